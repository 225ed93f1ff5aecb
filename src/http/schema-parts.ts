import Type from 'typebox'

const shortTextMax = 255
const longTextMax = 65_535

/** A name: some text that is not blank. */
export const nameText = (description: string) =>
  Type.String({
    minLength: 1,
    maxLength: shortTextMax,
    pattern: '\\S',
    fault: 'must not be empty',
    description,
  })

/** A text that may be left out, or null. */
export const optionalText = (description: string, maxLength: number = longTextMax) =>
  Type.Optional(Type.Unsafe<string | null>({ type: ['string', 'null'], maxLength, description }))

/** An email address: something before and after one `@`, without blanks or controls. */
export const emailAddress = (description: string) =>
  Type.String({
    maxLength: shortTextMax,
    pattern: addressPattern,
    fault: addressFault,
    description,
  })

/** An email address that may be left out, null, or empty; with outer blanks only where the service trims it. */
export const optionalEmailAddress = (description: string, { isTrimmed = false } = {}) =>
  Type.Optional(
    Type.Unsafe<string | null>({
      type: ['string', 'null'],
      maxLength: shortTextMax,
      pattern: isTrimmed ? `^\\s*$|^\\s*${bareAddressPattern}\\s*$` : `^$|${addressPattern}`,
      fault: addressFault,
      description,
    }),
  )

const bareAddressPattern =
  '[^\\s@<>",;:\\\\\\u0000-\\u001f\\u007f]+@[^\\s@<>",;:\\\\\\u0000-\\u001f\\u007f]+'
const addressPattern = `^${bareAddressPattern}$`
const addressFault = 'must be an email address, such as ann@example.com'

/** Whether the record is in use. */
export const isPublishedFlag = Type.Optional(
  Type.Boolean({ default: true, description: 'Default: true.' }),
)

/** What an answer holds, or null. */
export const nullable = <T extends string | number | boolean>(
  type: 'string' | 'integer' | 'boolean',
) => Type.Unsafe<T | null>({ type: [type, 'null'] })

/** The id of another record. */
export const recordId = (description: string) =>
  Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description, reference: true })

/** The id of another record, or null for none. */
export const recordIdOrNull = (description: string) =>
  Type.Unsafe<number | null>({
    type: ['integer', 'null'],
    minimum: 0,
    maximum: Number.MAX_SAFE_INTEGER,
    description,
    reference: true,
  })
