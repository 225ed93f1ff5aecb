import { isObject } from '../api/json.ts'
import { WebhookError } from './provider-webhooks.ts'

/** An integer that a double may not hold, outside of a text. The search costs less than reading the source of every value. */
const largeInteger = /[:[,\s]-?\d{16}/
const integer = /^-?\d+$/

/** The same bytes, with the methods of a `Buffer`. */
export function bytesOf({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength)
}

/**
 * Parses a JSON body. Integers that a double cannot hold become their digits, because they are ids.
 * @throws {WebhookError}
 */
export function parseJson(body: Uint8Array): unknown {
  return parseJsonText(
    bytesOf(body)
      .toString('utf8')
      .replace(/^\ufeff/, ''),
  )
}

/**
 * Parses a text as JSON, as `parseJson` does.
 * @throws {WebhookError}
 */
export function parseJsonText(text: string): unknown {
  try {
    return largeInteger.test(text) ? JSON.parse(text, keepDigits) : JSON.parse(text)
  } catch {
    throw new WebhookError('The body is not JSON. Send what the provider posted, unchanged.')
  }
}

function keepDigits(_: string, value: unknown, { source }: { source?: string } = {}): unknown {
  if (typeof value !== 'number' || source === undefined || Number.isSafeInteger(value)) return value
  return integer.test(source) ? source : value
}

/**
 * Parses a JSON body that is one object.
 * @throws {WebhookError}
 */
export function parseJsonObject(body: Uint8Array): Readonly<Record<string, unknown>> {
  const value = parseJson(body)
  if (isObject(value)) return value
  throw new WebhookError('The body is not a JSON object. Send what the provider posted, unchanged.')
}

/**
 * Parses a JSON body that is an array of objects, or one of them alone. Other elements are empty objects.
 * @throws {WebhookError}
 */
export function parseJsonObjects(body: Uint8Array): Readonly<Record<string, unknown>>[] {
  const value = parseJson(body)
  if (Array.isArray(value)) return value.map((element) => (isObject(element) ? element : {}))
  if (isObject(value)) return [value]
  throw new WebhookError('The body is not a JSON array. Send what the provider posted, unchanged.')
}

/** Providers send some tens. They are counted first, because a form is read before its signature can be verified. */
const fieldsMax = 1_000
/** The size of the headers of all parts of a multipart form: providers send some kilobytes. */
const headsSizeMax = 131_072

/**
 * Finds out what a body is: from its content type, else from how it begins.
 *
 * @param contentType Undefined or not one of the three: the body decides.
 */
export function bodyKindOf(
  body: Uint8Array,
  contentType = '',
): 'json' | 'multipart' | 'urlencoded' {
  const start = bytesOf(body).toString('latin1', 0, 200).trimStart()
  if (start.startsWith('--')) return 'multipart'
  // A body that says it is a form may be JSON: test tools post so.
  if (/^[{[]/.test(start)) return 'json'
  if (/^multipart\/form-data\b/i.test(contentType)) return 'multipart'
  return /json/i.test(contentType) ? 'json' : 'urlencoded'
}

/**
 * Reads the fields of a form, multipart or urlencoded. Files are left out.
 *
 * @param contentType Without a boundary, that of the first line is used.
 * @throws {WebhookError}
 * @see RFC 7578
 */
export async function readForm(body: Uint8Array, contentType?: string): Promise<URLSearchParams> {
  const isMultipart = bodyKindOf(body, contentType) === 'multipart'
  const text = (isMultipart ? bytesOf(body) : withSpaces(body)).toString('utf8')
  const parts = text.split(isMultipart ? '\n--' : '&', fieldsMax + 1)
  const heads = isMultipart ? parts.map((part) => part.slice(0, part.search(/\n\r?\n/))) : []
  if (parts.length > fieldsMax || heads.join('').length > headsSizeMax)
    throw new WebhookError(
      `The form has more than ${fieldsMax} fields, or large headers of its parts. Check that the provider itself calls this address.`,
    )
  return new URLSearchParams(isMultipart ? await readMultipart(body, contentType) : text)
}

/** Writes plus signs as spaces: that of many of them costs `URLSearchParams` a tenth of a second. */
function withSpaces(body: Uint8Array): Buffer {
  const bytes = Buffer.from(body)
  for (let at = 0; at < bytes.length; at += 1) if (bytes[at] === 0x2b) bytes[at] = 0x20
  return bytes
}

async function readMultipart(body: Uint8Array, contentType = ''): Promise<[string, string][]> {
  const type = /\bboundary=/i.test(contentType)
    ? contentType
    : `multipart/form-data; boundary="${boundaryOf(body)}"`
  try {
    const form = await new Response(withCarriageReturns(body), {
      headers: { 'content-type': type },
    }).formData()
    return [...form].flatMap(([name, value]) =>
      typeof value === 'string' ? [[name, value] as [string, string]] : [],
    )
  } catch {
    throw new WebhookError(
      'The body is not a complete form. Send what the provider posted, unchanged.',
    )
  }
}

/** The boundary is the first line without its two hyphens; it has at most 70 characters (RFC 2046). */
function boundaryOf(body: Uint8Array): string {
  return (
    /^\s*--([^\r\n"]{1,70}?)[ \t]*\r?\n/.exec(bytesOf(body).toString('latin1', 0, 200))?.[1] ?? ''
  )
}

/** Restores the line ends of a form that was saved as a text. */
function withCarriageReturns(body: Uint8Array): Uint8Array<ArrayBuffer> {
  const bytes = bytesOf(body)
  if (bytes.includes('\r\n')) return Uint8Array.from(bytes)
  return Uint8Array.from(Buffer.from(bytes.toString('latin1').replaceAll('\n', '\r\n'), 'latin1'))
}
