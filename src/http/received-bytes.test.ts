import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ReceivedBytes } from './received-bytes.ts'

const limits = { all: 64, target: 32, network: 16 }

test('one client leaves memory for every target', () => {
  const received = new ReceivedBytes(limits)
  const slow = ['mautic 1', 'mautic 2'].map((target) =>
    received.open({ target, address: '2001:db8::1' }),
  )
  assert.deepEqual(
    slow.map((body) => body.add(8)),
    [true, true],
  )
  // Another address of the same customer.
  assert.equal(received.open({ target: 'mautic 1', address: '2001:db8::2' }).add(8), false)
  assert.equal(received.open({ target: 'mautic 1', address: '192.0.2.1' }).add(8), true)
})

test('many clients that name one target leave memory for the others', () => {
  const received = new ReceivedBytes(limits)
  const add = (target: string, address: string) => received.open({ target, address }).add(8)
  const addresses = ['192.0.2.1', '192.0.2.2', '192.0.2.3', '192.0.2.4', '192.0.2.5']
  const added = addresses.map((address) => add('mautic 1', address))
  assert.deepEqual(added, [true, true, true, true, false])
  assert.equal(add('mautic 2', '192.0.2.6'), true)
})

test('a body that has ended leaves its memory to others', () => {
  const received = new ReceivedBytes(limits)
  const origin = { target: 'mautic 1', address: '192.0.2.1' }
  const body = received.open(origin)
  assert.equal(body.add(17), false)
  body.release()
  assert.equal(received.open(origin).add(16), true)
})
