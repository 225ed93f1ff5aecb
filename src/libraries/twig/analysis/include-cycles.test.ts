import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createTwig } from '../create-twig.ts'

function faultsOf(templates: Record<string, string>): string[] {
  const twig = createTwig({ loader: new Map(Object.entries(templates)) })
  const { faults } = twig.lint(templates['a'] ?? '', 'a')
  return faults.map(({ rawMessage }) => rawMessage)
}

test('reports a template that includes itself in every render, with the shortest path', () => {
  assert.deepEqual(faultsOf({ a: '{% include "a" %}' }), [
    'The template includes itself: "a" → "a".',
  ])
  assert.deepEqual(
    faultsOf({
      a: '{{ include("b") }}{% include "d" %}',
      b: '{% extends "c" %}',
      c: '{% embed "a" %}{% endembed %}{% include "b" %}',
      d: 'x',
    }),
    ['The template includes itself: "a" → "b" → "c" → "a".'],
  )
})

test('accepts a template that can end', () => {
  assert.deepEqual(faultsOf({ a: '{% if more %}{% include "a" %}{% endif %}' }), [])
  assert.deepEqual(faultsOf({ a: '{% include ["b", "a"] %}', b: 'x' }), [])
  assert.deepEqual(faultsOf({ a: '{% include "b" %}', b: '{% include "b" %}' }), [])
})

test('examines templates that all refer to each other once each', () => {
  const names = Array.from({ length: 100 }, (_, index) => `t${index}`)
  const others = names.map((name) => `{% include "${name}" %}`).join('')
  const templates = Object.fromEntries(names.map((name) => [name, others]))
  // Checking every path separately would take hours.
  assert.deepEqual(faultsOf({ ...templates, a: others.repeat(9) }), [])
  assert.equal(faultsOf({ ...templates, t0: '{% include "a" %}', a: others.repeat(9) }).length, 200)
})
