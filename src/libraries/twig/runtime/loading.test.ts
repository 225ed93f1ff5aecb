import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createTwig } from '../create-twig.ts'
import type { Loader } from '../options.ts'

/** Templates in folders, which find each other by names without folders. */
const sources = new Map([
  ['a/part', '{% block it %}a{% endblock %}'],
  ['b/part', '{% block it %}b{% endblock %}'],
  ['b/page', '{{ include("part") }}'],
])
const loader: Loader = {
  get: (name) => sources.get(name),
  resolve: (name, from = '') => (name.includes('/') ? name : `${from.split('/')[0]}/${name}`),
}
const twig = createTwig({ loader })

test('a name means what the loader resolves it to in the template that uses it', () => {
  for (const use of [
    '{{ include("part") }}',
    '{% include "part" %}',
    '{% include "part" ignore missing %}',
    '{{ include(["none", "part"]) }}',
    '{% extends "part" %}',
    '{% embed "part" %}{% endembed %}',
    '{% use "part" %}{{ block("it") }}',
    '{{ block("it", "part") }}',
  ]) {
    assert.equal(twig.renderSource(use, {}, { name: 'a/x' }), 'a', use)
    assert.equal(twig.renderSource(use, {}, { name: 'b/x' }), 'b', use)
  }
  const both = '{{ include("b/page") }}{{ include("part") }}{{ source("part") }}'
  assert.equal(twig.renderSource(both, {}, { name: 'a/x' }), `ba${sources.get('a/part')}`)
})

test('lint finds circles among the templates that names are resolved to', () => {
  const circle = twig.lint('{{ include("b/page") }}', 'b/part').faults
  assert.equal(circle.length, 1)
  assert.match(circle[0]?.rawMessage ?? '', /includes itself/)
  assert.deepEqual(twig.lint('{{ include("b/page") }}', 'a/part').faults, [])
})
