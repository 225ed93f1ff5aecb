import { createHash } from 'node:crypto'
import type { ByteChunks } from './byte-chunks.ts'
import { type FieldBlock, valuesOf } from './header-fields.ts'
import { decodeValue } from './read-head.ts'
import { findTextParts } from './text-parts.ts'
import { decodeTransfer } from './transfer-encoding.ts'

/** Two emails that differ in nothing before that are taken for one. */
const partBytesMax = 262_144
const partsMax = 10
/** Mautic's tracking, and nothing else that differs from one try to the next, is in links: of clicks, of its pixel, to unsubscribe. */
const link = /https?:\/\/[^\s"'<>\])]*/gi

/**
 * Digests what a message says: its Subject, its From, and its text parts without their links. It is the same
 * for the same email to the same contact, however often Mautic sends it: Message-ID, Date, boundaries and
 * the numbers in tracked links differ each time.
 */
export function digestContent(bytes: ByteChunks, block: FieldBlock): string {
  const sum = createHash('sha256')
  const { fields } = block
  for (const name of ['subject', 'from'])
    sum.update(`${name} ${decodeValue(valuesOf(fields, name)[0] ?? '')}\n`)
  for (const part of findTextParts(bytes, block).slice(0, partsMax)) {
    const { kind, bodyStart, bodyEnd, encoding } = part
    const body = bytes.slice(bodyStart, Math.min(bodyEnd, bodyStart + partBytesMax))
    const content = decodeTransfer(body, encoding) ?? body
    const text = Buffer.from(content).toString('latin1').replaceAll(link, 'link')
    // Where lines end is the writer's doing.
    sum.update(`${kind}\n`).update(text.replaceAll(/\s+/g, ' '), 'latin1')
  }
  return sum.digest('base64url')
}
