import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { findProviderByHost, providers } from './registry.ts'

const here = new URL('.', import.meta.url)
const folders = readdirSync(here, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map((entry) => entry.name)

test('every folder is a registered provider of its name, and every provider has its folder', () => {
  assert.deepEqual(providers.map(({ name }) => name).sort(), folders.sort())
})

test('no two schemes share a name', () => {
  const names = providers.flatMap(({ schemes }) => schemes.flatMap((scheme) => scheme.names))
  assert.deepEqual(
    names.filter((name, index) => names.indexOf(name) !== index),
    [],
  )
})

test("every provider's README shows a DSN for each of its own schemes", () => {
  for (const { name, schemes } of providers) {
    const readme = readFileSync(new URL(`${name}/README.md`, here), 'utf8')
    for (const scheme of schemes)
      assert.ok(
        scheme.names.some((own) => readme.includes(`${own}://`)),
        `${name}: ${scheme.names[0]}`,
      )
  }
})

test('a host is known as its provider whatever its case, and a look-alike is not', () => {
  assert.equal(findProviderByHost('SMTP.Gmail.com')?.name, 'gmail')
  assert.equal(findProviderByHost('email-smtp.us-east-1.amazonaws.com')?.name, 'ses')
  assert.equal(findProviderByHost('email-smtp.us-east-1.amazonaws.com.evil.example'), undefined)
  assert.equal(findProviderByHost('mail.example.com'), undefined)
})
