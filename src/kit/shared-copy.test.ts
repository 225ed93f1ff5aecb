import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { createLog } from './log.ts'
import { SharedCopy } from './shared-copy.ts'

/** A copy whose reads are answered by the test, in any order. */
function open() {
  const reads: PromiseWithResolvers<string>[] = []
  const notify: (() => void)[] = []
  const copy = new SharedCopy({
    read: () => {
      const read = Promise.withResolvers<string>()
      reads.push(read)
      return read.promise
    },
    empty: 'nothing',
    listen: (onChanged) => {
      notify.push(onChanged)
      return () => notify.splice(0)
    },
    intervalMs: 3_600_000,
    log: createLog('silent'),
    events: { failed: 'not read', recovered: 'read again' },
  })
  return { copy, reads, notify: () => notify[0]?.() }
}

test('of two reads at the same time, the one that began last counts', async () => {
  const { copy, reads } = open()
  const both = [copy.read(), copy.read()]
  reads[1]?.resolve('new')
  await both[1]
  reads[0]?.resolve('old')
  await both[0]
  assert.equal(copy.value, 'new')
})

test('a change is read again after a read during which it came, the first one too', async () => {
  const { copy, reads, notify } = open()
  const started = copy.start()
  notify()
  reads[0]?.resolve('before the first change')
  await started
  notify()
  reads[1]?.resolve('before the second change')
  await setImmediate()
  assert.equal(reads.length, 3)
  reads[2]?.resolve('now')
  await copy.stop()
  assert.equal(copy.value, 'now')
})

test('who needs a value of now waits for a change, and who may use an older one does not', async () => {
  const { copy, reads, notify } = open()
  copy.listen()
  notify()
  const fresh = copy.fresh(60_000)
  assert.equal(copy.renew(60_000), 'nothing')
  for (let count = 0; count < 2; count += 1, await setImmediate()) reads[count]?.resolve('now')
  assert.equal(await fresh, 'now')
})

test('a read that fails is not repeated at each use', async () => {
  const { copy, reads } = open()
  for (let uses = 0; uses < 3; uses += 1, await setImmediate()) {
    copy.renew(60_000)
    reads.at(-1)?.reject(new Error('The database is lost.'))
  }
  assert.equal(reads.length, 1)
})
