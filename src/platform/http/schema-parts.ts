import Type, {
  type Static,
  type TSchema,
  type TSchemaOptions,
  type TStringOptions,
  type TUnsafe,
} from 'typebox'
import { emailAddressPattern } from '../../kit/email-address.ts'

const shortTextMax = 255
const longTextMax = 65_535

/** A name: text that is not blank. */
export const nameText = (description: string) =>
  Type.String({
    minLength: 1,
    maxLength: shortTextMax,
    pattern: '\\S',
    fault: 'must not be empty',
    description,
  })

/** Text that may be left out: a query parameter, or a value of a form. */
export const text = (description: string, options: TStringOptions = {}) =>
  Type.Optional(Type.String({ ...options, description }))

/** What a schema allows, or null. The schema names one type, or the values that it allows. */
export function nullable<Schema extends TSchema>(
  schema: Schema,
  options: TSchemaOptions = {},
): TUnsafe<Static<Schema> | null> {
  const { type, enum: values, ...rest } = schema as { type?: string; enum?: readonly unknown[] }
  return Type.Unsafe({
    ...(type === undefined ? {} : { type: [type, 'null'] }),
    ...(values === undefined ? {} : { enum: [...values, null] }),
    ...rest,
    ...options,
  })
}

/** Text that may be left out, or null. */
export const optionalText = (description: string, maxLength: number = longTextMax) =>
  Type.Optional(nullable(Type.String(), { maxLength, description }))

/** An email address; see `emailAddressPattern`. */
export const emailAddress = (description: string) =>
  Type.String({
    maxLength: shortTextMax,
    pattern: `^${emailAddressPattern}$`,
    fault: addressFault,
    description,
  })

/** An email address that may be left out, null or empty. `isTrimmed` allows outer blanks, which the service removes. */
export const optionalEmailAddress = (description: string, { isTrimmed = false } = {}) =>
  Type.Optional(
    nullable(
      Type.String({
        maxLength: shortTextMax,
        pattern: isTrimmed
          ? `^\\s*$|^\\s*${emailAddressPattern}\\s*$`
          : `^$|^${emailAddressPattern}$`,
        fault: addressFault,
        description,
      }),
    ),
  )

const addressFault = 'must be an email address, such as ann@example.com'

/** Whether the record is published. */
export const isPublishedFlag = Type.Optional(
  Type.Boolean({ default: true, description: 'Default: true.' }),
)

/** The id of another record. */
export const recordId = (description: string) =>
  Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description, reference: true })

/** The id of another record, or null for none. */
export const recordIdOrNull = (description: string) => nullable(recordId(description))
