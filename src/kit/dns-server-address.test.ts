import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseDnsServer } from './dns-server-address.ts'

test('a DNS server is an IP address with or without a port', () => {
  assert.deepEqual(parseDnsServer('192.0.2.53'), { address: '192.0.2.53', port: 53 })
  assert.deepEqual(parseDnsServer('192.0.2.53:5353'), { address: '192.0.2.53', port: 5353 })
  assert.deepEqual(parseDnsServer('2001:db8::53'), { address: '2001:db8::53', port: 53 })
  assert.deepEqual(parseDnsServer('[2001:db8::53]:5353'), { address: '2001:db8::53', port: 5353 })
  assert.deepEqual(parseDnsServer('fe80::1%eth0'), { address: 'fe80::1%eth0', port: 53 })
  for (const text of ['', 'dns.example', '192.0.2.53:0', '192.0.2.53:65536', '[192.0.2.53]', '1:2'])
    assert.equal(parseDnsServer(text), undefined, text)
})
