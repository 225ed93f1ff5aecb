import { isUtf8 } from 'node:buffer'
import { oneLine } from '../../../kit/one-line.ts'
import { isMailAddress } from '../../../libraries/mailer/index.ts'

/** The fields of one block of a report: the values of each name, in lower case. */
export type ReportFields = ReadonlyMap<string, readonly string[]>

const recipientNames = ['original-recipient', 'final-recipient']

/** Whether a field is of another recipient than those before it in a block, in which fields have any order. */
function isOfNext(name: string, block: ReadonlyMap<string, unknown>): boolean {
  if (!recipientNames.includes(name)) return /^(?:action|status)$/.test(name) && block.has(name)
  return block.has(name) || (block.has('action') && recipientNames.some((each) => block.has(each)))
}

/**
 * Reads the blocks of a report, which blank lines separate: header fields, folded as those of a message. Some servers leave out
 * the blank lines between recipients, or write some within a block: fields that name no recipient belong to the block before.
 */
export function readBlocks(bytes: Uint8Array): ReportFields[] {
  const text = Buffer.from(bytes).toString(isUtf8(bytes) ? 'utf8' : 'latin1')
  const blocks: Map<string, string[]>[] = []
  let block: Map<string, string[]> | undefined
  let value: string[] | undefined
  for (const line of text.split(/\r\n?|\n/)) {
    if (line.trim() === '') {
      block = value = undefined
      continue
    }
    if (/^[ \t]/.test(line)) {
      const last = value?.pop()
      if (last !== undefined) value?.push(`${last} ${line.trim()}`)
      continue
    }
    const colon = line.indexOf(':')
    if (colon < 1) continue
    const name = line.slice(0, colon).trim().toLowerCase()
    if (block === undefined || isOfNext(name, block)) {
      block = new Map()
      blocks.push(block)
    }
    value = block.get(name) ?? []
    value.push(line.slice(colon + 1).trim())
    block.set(name, value)
  }
  const own: Map<string, string[]>[] = []
  for (const fields of blocks) {
    const last = own.at(-1)
    if (last === undefined || recipientNames.some((name) => fields.has(name))) own.push(fields)
    else for (const [name, values] of fields) last.set(name, [...(last.get(name) ?? []), ...values])
  }
  return own
}

/** Returns the first value of a field; '' if there is none. */
export function fieldOf(fields: ReportFields, name: string): string {
  return fields.get(name)?.[0] ?? ''
}

/** Returns the value behind the type of `rfc822; jane@example.com` or `smtp; 550 5.1.1 …`. */
export function untyped(value: string): string {
  const type = /^[\w-]{1,50}\s{0,10};/.exec(value)?.[0] ?? ''
  return value.slice(type.length).trim()
}

/**
 * Reads an address, without name and comment: `rfc822; jane@example.com`, `utf-8; j\x{F6}rg@example.com` (RFC 6533, section 3),
 * `<jane@example.com>`. Null for what is none.
 */
export function readAddress(value: string): string | null {
  const address = untyped(untyped(value.slice(0, 1_000)))
    .replace(/^[^<]*<([^<>]*)>.*$|\s+\([^()]*\)$/, '$1')
    .replace(/\\x\{([\dA-F]{1,5})\}/gi, (_, hex: string) =>
      String.fromCodePoint(Number.parseInt(hex, 16)),
    )
    .toWellFormed()
  return isMailAddress(address) ? address : null
}

/** Reads a date of RFC 5322, in milliseconds since the epoch; undefined for what is none. */
export function readDate(value: string): number | undefined {
  const time = value.length > 100 ? Number.NaN : Date.parse(value)
  return Number.isNaN(time) ? undefined : time
}

const wordsLengthMax = 1_000

/** The words of a value, in one line; null without any. */
export function wordsOf(value: string): string | null {
  const words = oneLine(value, wordsLengthMax)
  return words === '' ? null : words
}
