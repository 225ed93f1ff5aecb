import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DeliveryResult, ServerReply } from '../../../libraries/mailer/index.ts'
import { refusedAddresses } from './bounces.ts'

/** The result of a message that each recipient was refused with the given enhanced code. */
function refused(
  codes: readonly (string | null)[],
  {
    stage = 'recipient',
    protocol = 'smtp',
  }: { stage?: string; protocol?: ServerReply['protocol'] } = {},
): DeliveryResult {
  const recipients = codes.map((enhancedCode, index) => ({
    address: `${index}@example.net`,
    outcome: 'refused' as const,
    isPermanent: enhancedCode?.startsWith('5') ?? true,
    reply: { protocol, code: 550, enhancedCode, text: 'no' },
  }))
  return { outcome: 'refused', recipients, fault: { stage } } as unknown as DeliveryResult
}

const codesOf = (result: DeliveryResult) =>
  refusedAddresses(result).map(({ reply }) => reply?.protocol === 'smtp' && reply.enhancedCode)

test('an address is refused only by the codes that are about the address', () => {
  const codes = ['5.1.0', '5.1.1', '5.1.2', '5.1.3', '5.1.4', '5.1.6', '5.1.10']
  const others = ['5.1.5', '5.1.7', '5.1.8', '5.2.1', '5.2.2', '5.7.1', '4.1.1', null]
  assert.deepEqual(codesOf(refused([...others, ...codes])).sort(), codes.toSorted())
})

test('a reply to the message or to the sender says nothing of one of several recipients', () => {
  assert.deepEqual(codesOf(refused(['5.1.1', '5.1.1'], { stage: 'data' })), [])
  assert.deepEqual(codesOf(refused(['5.1.1'], { stage: 'data' })), ['5.1.1'])
  // After the message, this code may be about its sender.
  assert.deepEqual(codesOf(refused(['5.1.0'], { stage: 'data' })), [])
  assert.deepEqual(codesOf(refused(['5.1.1'], { stage: 'sender' })), [])
})

test('an error code of a provider is no enhanced status code', () => {
  assert.deepEqual(codesOf(refused(['5.1.1'], { protocol: 'http' })), [])
})
