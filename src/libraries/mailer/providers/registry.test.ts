import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { inspectDsn } from '../dsn/inspect-dsn.ts'
import { DsnError } from '../grammar/dsn.ts'
import { readSingle } from '../grammar/read-single.ts'
import { DsnReader, type OptionReader } from './dsn-reader.ts'
import type { ApiScheme, SmtpScheme } from './provider.ts'
import { findProviderByHost, providers } from './registry.ts'

const here = new URL('.', import.meta.url)
const folders = readdirSync(here, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map((entry) => entry.name)

test('every folder is a registered provider, and every provider has a folder', () => {
  assert.deepEqual(providers.map(({ name }) => name).sort(), folders.sort())
})

test('a host is matched to its provider in any case, and a similar host is not', () => {
  assert.equal(findProviderByHost('SMTP.Gmail.com')?.name, 'gmail')
  assert.equal(findProviderByHost('email-smtp.us-east-1.amazonaws.com')?.name, 'ses')
  assert.equal(findProviderByHost('email-smtp.us-east-1.amazonaws.com.evil.example'), undefined)
  assert.equal(findProviderByHost('mail.example.com'), undefined)
})

test('every option that a scheme reads is declared public or masked', () => {
  const secrets = ['accessToken', 'key', 'refreshToken', 'session_token']
  for (const { schemes } of providers)
    for (const scheme of schemes) {
      if (scheme.kind !== 'smtp' && scheme.kind !== 'api') continue
      const known = [...(scheme.publicOptions ?? []), 'max_per_second', ...secrets]
      for (const name of scheme.names)
        for (const option of readOptions(scheme, `${name}://user:password@default`))
          assert.ok(known.includes(option), `${name}: ${option}`)
    }
})

/** The options that a scheme asks for, as far as it comes with this DSN. */
function readOptions(scheme: SmtpScheme | ApiScheme, dsn: string): string[] {
  const asked: string[] = []
  const reader = new DsnReader(readSingle(dsn, { start: 0, end: dsn.length }), [])
  const options = new Proxy(reader.options, {
    get: (target, method: keyof OptionReader) => (name: string, what: string) => {
      asked.push(name)
      return (target[method] as (name: string, what: string) => unknown).call(target, name, what)
    },
  })
  const asking = new Proxy(reader, {
    get(target, key: keyof DsnReader) {
      if (key === 'options') return options
      return Reflect.get(target, key)
    },
  })
  try {
    scheme.read(asking)
  } catch (error) {
    assert.ok(error instanceof DsnError, String(error))
  }
  return asked
}

for (const { name } of providers)
  test(`${name}: the DSNs in its README belong to the provider, and are warned of only if a log-in ends`, () => {
    const readme = readFileSync(new URL(`${name}/README.md`, import.meta.url), 'utf8')
    const pasted = [...readme.matchAll(/^```\n([\s\S]*?)\n```$/gm)]
      .flatMap(([, block = '']) => block.split('\n'))
      .filter((line) => line.includes('://'))
    assert.ok(pasted.length > 0)
    for (const dsn of pasted) {
      const inspection = inspectDsn(dsn)
      assert.ok(inspection.valid, `${dsn}: ${inspection.valid ? '' : inspection.error}`)
      const ends = inspection.endingLogins.map(({ sentence }) => sentence)
      assert.deepEqual(inspection.warnings, ends, dsn)
      assert.equal(inspection.transport.provider, name, dsn)
    }
  })
