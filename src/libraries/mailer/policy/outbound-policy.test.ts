import assert from 'node:assert/strict'
import { test } from 'node:test'
import { OutboundPolicy } from './outbound-policy.ts'

const open = new OutboundPolicy()
const closed = new OutboundPolicy({ mode: 'public' })
const to = (address: string, port = 25, host = 'mail.example.com') => ({ host, address, port })

test('cloud metadata and link-local addresses are refused in every mode, even if allow-listed', () => {
  const generous = new OutboundPolicy({
    mode: 'public',
    allow: ['169.254.0.0/16', '::/0', '0.0.0.0/0', 'mail.example.com'],
  })
  for (const address of [
    '169.254.169.254',
    '169.254.170.2',
    'fe80::1',
    'fe80::1%eth0',
    'fd00:ec2::254',
    '100.100.100.200',
    '168.63.129.16',
    '::ffff:169.254.169.254',
    '::ffff:a9fe:a9fe',
    '::169.254.169.254',
    '::ffff:0:169.254.169.254',
    '64:ff9b::169.254.169.254',
    '64:ff9b:1::169.254.169.254',
    '2002:a9fe:a9fe::1',
    '2001:0:a9fe:a9fe::1',
    '2001:0:4136:e378:8000:63bf:5601:5601',
    'fe80::5efe:169.254.169.254',
    '2001:470::5efe:169.254.169.254',
    '224.0.0.1',
    '255.255.255.255',
    'ff02::1',
  ])
    for (const policy of [open, closed, generous])
      assert.equal(policy.check(to(address)), 'closed', address)
})

test('private and loopback addresses are allowed in the mode open and refused in public', () => {
  for (const address of [
    '127.0.0.1',
    '127.8.8.8',
    '10.0.0.7',
    '172.16.0.1',
    '192.168.1.1',
    '100.64.0.1',
    '0.0.0.0',
    '192.0.2.1',
    '198.18.0.1',
    '240.0.0.1',
    '::1',
    '::',
    'fd12:3456::1',
    '::ffff:10.0.0.7',
    '::ffff:0:10.0.0.7',
    '64:ff9b::10.0.0.7',
    '64:ff9b:1:a00:0:700::',
    '2002:a00:7::1',
    '2001:db8::1',
  ]) {
    assert.equal(open.check(to(address)), undefined, address)
    assert.equal(closed.check(to(address)), 'private', address)
  }
})

test('public addresses are allowed on mail ports, and on other ports only in the mode open', () => {
  for (const address of ['8.8.8.8', '2a00:1450:4001::1', '::ffff:8.8.8.8', '64:ff9b::8.8.8.8']) {
    assert.equal(closed.check(to(address, 587)), undefined, address)
    assert.equal(closed.check(to(address, 6379)), 'port', address)
    assert.equal(open.check(to(address, 6379)), undefined, address)
  }
})

test('an allow-list allows addresses, networks and names, with or without a port', () => {
  const policy = new OutboundPolicy({
    mode: 'public',
    allow: ['10.1.0.0/16', '[::1]:25', 'Relay.internal:2500', 'localhost:25', 'fd00::/8'],
  })
  assert.equal(policy.check(to('10.1.2.3', 9999)), undefined)
  assert.equal(policy.check(to('::ffff:10.1.2.3')), undefined)
  assert.equal(policy.check(to('10.2.2.3')), 'private')
  assert.equal(policy.check(to('::1', 25)), undefined)
  assert.equal(policy.check(to('::1', 26)), 'private')
  assert.equal(policy.check(to('192.168.0.9', 2500, 'relay.INTERNAL')), undefined)
  assert.equal(policy.check(to('192.168.0.9', 25, 'relay.internal')), 'private')
  assert.equal(policy.check(to('127.0.0.1', 25, 'localhost')), undefined)
  assert.equal(policy.check(to('fd00::9')), undefined)
})

test('a deny-list refuses addresses in both modes', () => {
  const policy = new OutboundPolicy({ mode: 'open', deny: ['10.0.0.0/8:25', 'bad.example'] })
  assert.equal(policy.check(to('10.0.0.1', 25)), 'denied')
  assert.equal(policy.check(to('10.0.0.1', 587)), undefined)
  for (const name of ['bad.example', 'BAD.example', 'bad.example.'])
    assert.equal(policy.check(to('8.8.8.8', 25, name)), 'denied', name)
})

test('an invalid entry is a RangeError', () => {
  for (const entry of ['10.0.0.0/33', '10.0.0.0/', 'a b', 'host:port', '[::1', 'http://x/'])
    assert.throws(() => new OutboundPolicy({ mode: 'public', allow: [entry] }), RangeError, entry)
})
