import type { HttpAnswer, HttpRequest } from '../http/http-exchange.ts'

/** A POST of JSON; members that are undefined are left out. */
export function postJson(
  url: string,
  headers: Readonly<Record<string, string>>,
  body: unknown,
): HttpRequest {
  return {
    method: 'POST',
    url,
    headers: { accept: 'application/json', 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  }
}

/** The body of an answer as a JSON object, to be read member by member; undefined for anything else. */
export function readJson({ body }: HttpAnswer): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(body)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** Whether a value is a JSON object, not an array. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A member that should be a text; a number is written out, anything else is ''. */
export function textOf(value: unknown): string {
  if (typeof value === 'string') return value
  return typeof value === 'number' ? String(value) : ''
}

/** Bytes in base64, as JSON bodies carry attachments. */
export function base64(content: Uint8Array): string {
  return Buffer.from(content.buffer, content.byteOffset, content.byteLength).toString('base64')
}
