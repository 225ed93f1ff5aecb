import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createTwig } from '../create-twig.ts'
import { tagDescriptions } from './catalogue.ts'

const entries = createTwig().catalogue()
const find = (kind: string, name: string) =>
  entries.find((each) => each.kind === kind && each.name === name)

test('the catalogue has a line about every tag, filter, function and test', () => {
  for (const { kind, name, description } of entries) assert(description, `${kind} ${name}`)
  const tags = entries.filter(({ kind }) => kind === 'tag').map(({ name }) => name)
  assert.deepEqual(tags, Object.keys(tagDescriptions))
})

test('the catalogue writes signatures as templates do', () => {
  assert.equal(find('function', 'range')?.signature, 'range(low, high, step = 1)')
  assert.equal(find('filter', 'join')?.signature, 'join(glue = "", and = null)')
  assert.equal(find('filter', 'upper')?.signature, 'upper')
  assert.equal(find('function', 'max')?.signature, 'max(value, ...values)')
  assert.equal(find('function', 'parent')?.signature, 'parent()')
  assert.equal(find('filter', 'spaceless')?.isDeprecated, true)
})

test('the catalogue has the filters of the host', () => {
  const twig = createTwig({ filters: { money: (value) => `${String(value)} EUR` } })
  const money = twig.catalogue().find(({ name }) => name === 'money')
  assert.deepEqual([money?.kind, money?.signature], ['filter', 'money(...values)'])
})
