import { createHash } from 'node:crypto'
import { type ByteChunks, createByteChunks } from './byte-chunks.ts'
import { digestContent } from './content-digest.ts'
import { describeMessage } from './describe-message.ts'
import { type FieldBlock, readFields } from './header-fields.ts'
import { readHead, takenOut } from './read-head.ts'
import type { RelayedMessage } from './relayed-message.ts'

/**
 * Reads a message's head and takes the headers out that are meant for Mailyard; every other byte stays.
 * The body is neither copied nor looked into.
 */
export function readMessage(chunks: readonly Uint8Array[]): RelayedMessage {
  const received = createByteChunks(chunks)
  const block = readFields(received, { from: 0, to: received.sizeBytes })
  const about = {
    head: readHead(block.fields),
    fingerprint: () => hash(chunks),
    contentDigest: () => digestContent(received, block),
  }
  const isChanged = block.fields.some(({ name }) => takenOut.has(name))
  if (!isChanged) return describeMessage(received, { ...about, block })
  return describeMessage(createByteChunks(withoutOurs(received, block)), about)
}

function withoutOurs(received: ByteChunks, { end: headEnd, fields }: FieldBlock): Buffer[] {
  const kept = fields.filter(({ name }) => !takenOut.has(name))
  const head = received.slice(0, headEnd)
  const body = received.pieces(headEnd, received.sizeBytes)
  return [...kept.map(({ start, end }) => head.subarray(start, end)), ...body]
}

function hash(chunks: readonly Uint8Array[]): string {
  const sum = createHash('sha256')
  for (const chunk of chunks) sum.update(chunk)
  return sum.digest('base64url')
}
