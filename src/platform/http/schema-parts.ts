import Type, {
  type Static,
  type TSchema,
  type TSchemaOptions,
  type TStringOptions,
  type TUnsafe,
} from 'typebox'
import { emailAddressPattern } from '../../kit/email-address.ts'
import { formatDate, formatOptionalDate } from '../../kit/iso-date.ts'

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

/** The columns of a record that name its creator and last editor, and the times of both. */
interface StampColumns {
  is_published: boolean
  date_added: number
  date_modified: number | null
  created_by: string | null
  created_by_id: number | null
  modified_by: string | null
  modified_by_id: number | null
}

/** Creator, last editor and times of a record, as the contract has them: with names. */
export const stampSchema = {
  isPublished: Type.Boolean(),
  dateAdded: Type.String({ description: 'ISO 8601 with offset.' }),
  dateModified: nullable(Type.String()),
  createdBy: nullable(Type.String()),
  modifiedBy: nullable(Type.String()),
}

/** The stamps of a record in an example. */
export const stampExample = {
  isPublished: true,
  dateAdded: '2026-01-31T15:54:35+00:00',
  dateModified: null,
  createdBy: 'admin',
  modifiedBy: null,
}

export function presentStamps(row: StampColumns) {
  return {
    isPublished: Boolean(row.is_published),
    dateAdded: formatDate(row.date_added),
    dateModified: formatOptionalDate(row.date_modified),
    createdBy: row.created_by,
    modifiedBy: row.modified_by,
  }
}

/** Creator, last editor and times of a record, as Mautic has them: with ids and names. */
export const mauticStampSchema = {
  ...stampSchema,
  createdBy: nullable(Type.Integer()),
  createdByUser: nullable(Type.String()),
  modifiedBy: nullable(Type.Integer()),
  modifiedByUser: nullable(Type.String()),
}

/** The stamps of a record in an example, as Mautic has them. */
export const mauticStampExample = {
  ...stampExample,
  createdBy: 1,
  createdByUser: 'admin',
  modifiedBy: null,
  modifiedByUser: null,
}

export function presentMauticStamps(row: StampColumns) {
  return {
    ...presentStamps(row),
    createdBy: row.created_by_id,
    createdByUser: row.created_by,
    modifiedBy: row.modified_by_id,
    modifiedByUser: row.modified_by,
  }
}

/** The fields that every list may be filtered and ordered by, and their columns. */
export const stampFields = {
  id: { column: 'id', type: 'number' },
  isPublished: { column: 'is_published', type: 'boolean' },
  dateAdded: { column: 'date_added', type: 'date' },
  dateModified: { column: 'date_modified', type: 'date' },
  createdBy: { column: 'created_by', type: 'text' },
  modifiedBy: { column: 'modified_by', type: 'text' },
} as const

/** The same for records whose stamps are as Mautic has them. */
export const mauticStampFields = {
  ...stampFields,
  createdBy: { column: 'created_by_id', type: 'number' },
  createdByUser: stampFields.createdBy,
  modifiedBy: { column: 'modified_by_id', type: 'number' },
  modifiedByUser: stampFields.modifiedBy,
} as const
