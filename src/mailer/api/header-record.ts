import type { ParsedMessage } from '../message/parsed-message.ts'

/**
 * Headers as an object, for APIs that take them so; undefined for none. Fields of one name are joined
 * by a comma, as an object has each name once.
 */
export function headerRecord(
  headers: ParsedMessage['headers'],
): Record<string, string> | undefined {
  const record = new Map<string, { name: string; value: string }>()
  for (const { name, value } of headers) {
    const before = record.get(name.toLowerCase())
    record.set(name.toLowerCase(), {
      name: before?.name ?? name,
      value: before === undefined ? value : `${before.value}, ${value}`,
    })
  }
  if (record.size === 0) return undefined
  return Object.fromEntries([...record.values()].map(({ name, value }) => [name, value]))
}
