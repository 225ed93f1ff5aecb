import { createHash } from 'node:crypto'
import { createByteChunks } from './byte-chunks.ts'
import { describeMessage } from './describe-message.ts'
import { endOfHead, type HeaderField, parseFields } from './header-fields.ts'
import { readHead, takenOut } from './read-head.ts'
import type { RelayedMessage } from './relayed-message.ts'

/**
 * Reads a message's head and takes the headers out that are meant for Mailyard; every other byte stays.
 * The body is neither copied nor looked into.
 */
export function readMessage(chunks: readonly Uint8Array[]): RelayedMessage {
  const received = createByteChunks(chunks)
  const headEnd = endOfHead(received, 0, received.sizeBytes)
  const head = received.slice(0, headEnd)
  const fields = parseFields(head.toString('latin1'))
  const isChanged = fields.some(({ name }) => takenOut.has(name))
  const body = () => received.pieces(headEnd, received.sizeBytes)
  const kept = isChanged ? createByteChunks([withoutOurs(head, fields), ...body()]) : received
  return describeMessage(kept, { head: readHead(fields), fingerprint: () => hash(chunks) })
}

function withoutOurs(head: Buffer, fields: readonly HeaderField[]): Buffer {
  const kept = fields.filter(({ name }) => !takenOut.has(name))
  return Buffer.concat(kept.map(({ start, end }) => head.subarray(start, end)))
}

function hash(chunks: readonly Uint8Array[]): string {
  const sum = createHash('sha256')
  for (const chunk of chunks) sum.update(chunk)
  return sum.digest('base64url')
}
