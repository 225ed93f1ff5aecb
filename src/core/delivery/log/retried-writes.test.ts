import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLog } from '../../../kit/log.ts'
import { ConstraintError } from '../../../platform/storage/index.ts'
import { openRetriedWrites } from './retried-writes.ts'

function open() {
  const lines: string[] = []
  const log = createLog('info', { write: (line) => void lines.push(line) })
  const writes = openRetriedWrites(log, { failed: 'not written', recovered: 'written again' })
  return { writes, events: () => lines.map((line) => JSON.parse(line).msg as string) }
}

test('a write is retried until it succeeds, and the outage is logged once', async () => {
  const { writes, events } = open()
  let tries = 0
  const written = writes.run(async () => {
    tries += 1
    if (tries < 4) throw new Error('lost')
  }, 7)
  assert.equal(writes.size, 7)
  await written
  assert.deepEqual([tries, writes.size], [4, 0])
  assert.deepEqual(events(), ['not written', 'written again'])
})

test('a write that can never be stored is not retried', async () => {
  const { writes } = open()
  let tries = 0
  const refused = writes.run(async () => {
    tries += 1
    throw new ConstraintError('unique', [], undefined)
  })
  await assert.rejects(refused, ConstraintError)
  assert.deepEqual([tries, writes.size], [1, 0])
})

test('a drain resolves when all is written, and gives up a lost database in time', async () => {
  const { writes, events } = open()
  let isLost = true
  const write = async () => {
    if (isLost) throw new Error('lost')
  }
  const written = [writes.run(write), writes.run(write)]
  await writes.drain(0)
  assert.equal(writes.size, 2)
  assert.deepEqual(events(), ['not written', 'not written'])
  isLost = false
  await writes.drain(60_000)
  await Promise.all(written)
  assert.equal(writes.size, 0)
})
