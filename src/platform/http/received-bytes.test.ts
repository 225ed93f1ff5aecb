import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ReceivedBytes } from './received-bytes.ts'

const limits = { all: 64, target: 32, network: 16 }

/** Whether a body may grow by some bytes. */
function canAdd(body: ReturnType<ReceivedBytes['open']>, bytes: number): boolean {
  try {
    body.add(bytes)
    return true
  } catch {
    return false
  }
}

test('one client leaves memory for every target', () => {
  const received = new ReceivedBytes(limits)
  const slow = ['mautic 1', 'mautic 2'].map((target) =>
    received.open({ target, address: '2001:db8::1' }),
  )
  const areAccepted = slow.map((body) => canAdd(body, 8))
  assert.deepEqual(areAccepted, [true, true])
  // Another address of the same customer.
  assert.equal(canAdd(received.open({ target: 'mautic 1', address: '2001:db8::2' }), 8), false)
  assert.equal(canAdd(received.open({ target: 'mautic 1', address: '192.0.2.1' }), 8), true)
})

test('many clients that name one target leave memory for the others', () => {
  const received = new ReceivedBytes(limits)
  const add = (target: string, address: string) => canAdd(received.open({ target, address }), 8)
  const addresses = ['192.0.2.1', '192.0.2.2', '192.0.2.3', '192.0.2.4', '192.0.2.5']
  const added = addresses.map((address) => add('mautic 1', address))
  assert.deepEqual(added, [true, true, true, true, false])
  assert.equal(add('mautic 2', '192.0.2.6'), true)
})

test('a body that has ended leaves its memory to others', () => {
  const received = new ReceivedBytes(limits)
  const origin = { target: 'mautic 1', address: '192.0.2.1' }
  const body = received.open(origin)
  assert.equal(canAdd(body, 17), false)
  body.release()
  assert.equal(canAdd(received.open(origin), 16), true)
})
