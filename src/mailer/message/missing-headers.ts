import { readHeaders } from './read-headers.ts'

/** Header lines, each with its CRLF, of those of `wanted` that the message has none of. */
export function missingHeaders(
  raw: Uint8Array,
  wanted: readonly (readonly [name: string, value: string])[],
): string {
  const present = new Set(readHeaders(raw).map(({ name }) => name.toLowerCase()))
  return wanted
    .filter(([name]) => !present.has(name.toLowerCase()))
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')
}
