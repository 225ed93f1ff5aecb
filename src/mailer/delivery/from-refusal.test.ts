import assert from 'node:assert/strict'
import { test } from 'node:test'
import { refusesFromDomain } from './from-refusal.ts'

test('refusals because of SPF, DKIM or DMARC of the From domain are recognized by code or words', () => {
  for (const text of [
    "550 5.7.515 Access denied, sending domain example.com doesn't meet the required authentication level.",
    '550 5.7.509 Access denied, sending domain example.com does not pass verification',
    '550-5.7.26 Your email has been blocked because the sender is unauthenticated.',
    '421-4.7.26 This mail has been rate limited because it is unauthenticated.',
    '550 5.7.30 This mail has been blocked',
    '550 5.7.40 This mail has been blocked',
    '550 5.7.23 Validation failed',
    '554 Message rejected: SPF check failed',
    '550 Unauthenticated email from example.com is not accepted',
  ])
    assert.equal(refusesFromDomain(text), true, text)
})

test('refusals for other reasons are not taken for one of the From domain', () => {
  for (const text of [
    '550 5.1.1 No such user',
    '550 5.7.1 Relaying denied',
    // A name of the server that does not resolve, too many messages, no TLS.
    '550 5.7.25 The sending IP does not have a PTR record',
    '550 5.7.28 Unusual rate of messages',
    '550 5.7.29 The message was not sent over a TLS connection',
    '550 5.7.260 Else',
    '550 15.7.26x',
    '530 5.7.57 Client not authenticated to send mail',
    '550 Spfx',
    '',
  ])
    assert.equal(refusesFromDomain(text), false, text)
})
