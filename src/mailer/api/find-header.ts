import type { ParsedMessage } from '../message/parsed-message.ts'

/** The first header of a name, in any case. */
export function findHeader(headers: ParsedMessage['headers'], name: string): string | undefined {
  return headers.find((header) => header.name.toLowerCase() === name.toLowerCase())?.value
}

/** The headers without those of some names, given in lower case. */
export function withoutHeaders(
  headers: ParsedMessage['headers'],
  names: ReadonlySet<string>,
): ParsedMessage['headers'] {
  return headers.filter(({ name }) => !names.has(name.toLowerCase()))
}
