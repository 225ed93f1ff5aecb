import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'

const shared = new URL('../../../shared/', import.meta.url)
const root = new URL('../../', import.meta.url)

test('the contract that the tests quote is the contract', () => {
  assert.equal(
    readFileSync(new URL('test/contract/contract.md', root), 'utf8'),
    readFileSync(new URL('spec/contract.md', shared), 'utf8'),
  )
})

test('the DSNs that Symfony Mailer read are those of the reference', () => {
  assert.deepEqual(
    JSON.parse(readFileSync(new URL('test/symfony-dsns.json', root), 'utf8')),
    JSON.parse(readFileSync(new URL('reference/dsn-cases.json', shared), 'utf8')),
  )
})

test("the messages that Mautic sent are the reference's, byte for byte", () => {
  const originals = new URL('reference/mautic-messages/', shared)
  const copies = new URL('test/mautic-messages/', root)
  assert.deepEqual(readdirSync(copies), readdirSync(originals))
  for (const name of readdirSync(originals))
    assert.ok(readFileSync(new URL(name, copies)).equals(readFileSync(new URL(name, originals))))
})
