import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DeliveryResult, RecipientResult } from '../../mailer/index.ts'
import { bouncedAddresses, refusedAddresses } from './bounces.ts'

type Reply = NonNullable<RecipientResult['reply']>

/** The result of a message that each recipient was refused with the given enhanced code. */
function refused(
  codes: readonly (string | null)[],
  { stage = 'recipient', protocol = 'smtp' }: { stage?: string; protocol?: Reply['protocol'] } = {},
): DeliveryResult {
  const recipients = codes.map((enhancedCode, index) => ({
    address: `${index}@example.net`,
    outcome: 'refused' as const,
    isPermanent: enhancedCode?.startsWith('5') ?? true,
    reply: { protocol, code: 550, enhancedCode, text: 'no' },
  }))
  return { outcome: 'refused', recipients, fault: { stage } } as unknown as DeliveryResult
}

test('an address has bounced only by the codes that say that it does not exist', () => {
  const gone = ['5.1.1', '5.1.2', '5.1.6', '5.1.10']
  const others = ['5.1.0', '5.1.3', '5.1.7', '5.1.8', '5.2.1', '5.2.2', '5.7.1', '4.1.1', null]
  const addresses = gone.map((_, index) => `${index}@example.net`)
  assert.deepEqual(bouncedAddresses(refused([...gone, ...others])), addresses)
})

test('a reply to the message or to the sender says nothing of one of several recipients', () => {
  assert.deepEqual(bouncedAddresses(refused(['5.1.1', '5.1.1'], { stage: 'data' })), [])
  assert.deepEqual(bouncedAddresses(refused(['5.1.1'], { stage: 'data' })), ['0@example.net'])
  assert.deepEqual(bouncedAddresses(refused(['5.1.1'], { stage: 'sender' })), [])
})

test('an error code of a provider is no enhanced status code', () => {
  assert.deepEqual(bouncedAddresses(refused(['5.1.1'], { protocol: 'http' })), [])
})

test('Mautic is reported every address that is refused, and nothing else', () => {
  const codes = ['5.1.0', '5.1.1', '5.1.2', '5.1.3', '5.1.4', '5.1.6', '5.1.10']
  const others = ['5.1.5', '5.1.7', '5.1.8', '5.2.2', '5.7.1', null]
  const found = (given: readonly (string | null)[], stage?: string) =>
    refusedAddresses(refused(given, stage === undefined ? {} : { stage })).map(
      ({ reply }) => reply?.protocol === 'smtp' && reply.enhancedCode,
    )
  assert.deepEqual(found([...others, ...codes]).sort(), codes.toSorted())
  // After the message, this code may be about its sender.
  assert.deepEqual([found(['5.1.0'], 'data'), found(['5.1.1'], 'data')], [[], ['5.1.1']])
  assert.deepEqual(found(codes, 'sender'), [])
})
