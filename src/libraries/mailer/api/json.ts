import type { HttpRequest, HttpResponse } from '../connect/http-message.ts'

/** Builds a POST request with a JSON body; properties that are undefined are left out. */
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

/** Parses the body of a response as a JSON object. Returns undefined for anything else. */
export function readJson({ body }: HttpResponse): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(body)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** Whether a value is a JSON object and not an array. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Reads a property that should be a string. A number is converted; anything else gives ''. */
export function textOf(value: unknown): string {
  if (typeof value === 'string') return value
  return typeof value === 'number' ? String(value) : ''
}

/** Encodes bytes in base64, for attachments in JSON. */
export function base64(content: Uint8Array): string {
  return Buffer.from(content.buffer, content.byteOffset, content.byteLength).toString('base64')
}

/** Reads a property that should be an array of objects; other elements are left out. */
export function objectsOf(value: unknown): Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) ? value.filter(isObject) : []
}

/** Reads a property that should be an array of strings; other elements are left out. */
export function textsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : []
}

/**
 * Builds the `authorization` header of a user and a password.
 * @see RFC 7617
 */
export function basicAuthorization(user: string, password: string): string {
  return `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`
}
