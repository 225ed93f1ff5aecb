import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { inspectDsn } from '../dsn/inspect-dsn.ts'
import { providers } from './registry.ts'

for (const { name } of providers)
  test(`${name}: what its README gives to paste is a DSN of this provider without a warning`, () => {
    const readme = readFileSync(new URL(`${name}/README.md`, import.meta.url), 'utf8')
    const pasted = [...readme.matchAll(/^```\n([\s\S]*?)\n```$/gm)]
      .flatMap(([, block = '']) => block.split('\n'))
      .filter((line) => line.includes('://'))
    assert.ok(pasted.length > 0)
    for (const dsn of pasted) {
      const inspection = inspectDsn(dsn)
      assert.ok(inspection.valid, `${dsn}: ${inspection.valid ? '' : inspection.error}`)
      assert.deepEqual(inspection.warnings, [], dsn)
      assert.equal(inspection.transport.provider, name, dsn)
    }
  })
