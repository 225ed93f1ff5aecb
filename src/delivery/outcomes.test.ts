import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { deliveryOutcomes } from './outcomes.ts'

test('the glossary names every outcome', () => {
  const glossary = readFileSync(new URL('../../docs/glossary.md', import.meta.url), 'utf8')
  const line = glossary.split('\n').find((each) => each.startsWith('| outcome |')) ?? ''
  for (const outcome of deliveryOutcomes) assert.ok(line.includes(`\`${outcome}\``), outcome)
})
