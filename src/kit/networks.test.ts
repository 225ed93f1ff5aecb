import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { blockList, isListed, isNetwork } from './networks.ts'

describe('networks', () => {
  const list = blockList(['10.1.0.0/16', '192.0.2.7', '2001:db8::/32'])

  for (const [address, isIn] of [
    ['10.1.255.255', true],
    ['::ffff:10.1.2.3', true],
    ['192.0.2.7', true],
    ['2001:db8:1::5', true],
    ['2001:db8::1%eth0', true],
    ['10.2.0.1', false],
    ['192.0.2.8', false],
    ['2001:db9::1', false],
    ['unknown', false],
    ['', false],
  ] as const)
    it(`${isIn ? 'have' : 'do not have'} "${address}"`, () => {
      assert.equal(isListed(list, address), isIn)
    })

  for (const text of ['10.1.0.0/33', '10.1/16', '2001:db8::/129', '10.1.0.0/', 'shop.example', ''])
    it(`are not written "${text}"`, () => {
      assert.equal(isNetwork(text), false)
    })

  for (const text of ['10.1.0.0/16', '192.0.2.7', '::1', '2001:db8::/32'])
    it(`are written ${text}`, () => {
      assert.equal(isNetwork(text), true)
    })
})
