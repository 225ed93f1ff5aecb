import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { otherwiseHere, refusedHere } from './symfony-differences.test.ts'

test('the page on the mailer lists every difference from Symfony Mailer with its reason', () => {
  const page = readFileSync(new URL('../../../docs/mailer.md', import.meta.url), 'utf8')
  for (const [dsn, reason] of Object.entries({ ...refusedHere, ...otherwiseHere })) {
    const shown = dsn.replaceAll('\n', '\\n')
    const isListed = page
      .split('\n')
      .some((line) => line.startsWith(`| \`${shown}\``) && line.endsWith(`| ${reason} |`))
    assert.ok(isListed, dsn)
  }
})
