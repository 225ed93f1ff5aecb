import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { createTwig } from './create-twig.ts'
import { TwigError } from './errors.ts'

/** Enough steps for the clock to be read, before and after. */
const work = '{% for i in 1..9000 %}{{ i }}{% endfor %}'

function waitFor(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}

function workFor(ms: number): void {
  const { user } = process.threadCpuUsage()
  while (process.threadCpuUsage().user - user < ms * 1_000);
}

function isLimit(error: unknown): boolean {
  return error instanceof TwigError && error.kind === 'limit' && error.line !== undefined
}

test('time spent waiting does not count against the time limit', () => {
  const twig = createTwig({ limits: { timeMs: 1_000 }, functions: { pause: () => waitFor(1_500) } })
  const output = twig.renderSource(`${work}{{ pause() }}${work}`)
  assert.equal(output.length, 2 * 34_893)
})

test('a render that works for too long exceeds the time limit', () => {
  const twig = createTwig({ limits: { timeMs: 200 }, functions: { toil: () => workFor(400) } })
  assert.throws(() => twig.renderSource(`${work}{{ toil() }}${work}`), /took longer than 200 ms/)
})

test('the token limit covers all templates that a render uses', () => {
  const part = '{{ a }}'.repeat(100)
  const loader = new Map([
    ['main', '{% include "a" %}{% include "b" %}{% include "a" %}'],
    ['a', part],
    ['b', `${part} `],
  ])
  const twig = createTwig({ loader, limits: { sourceTokens: 700 } })
  assert.equal(twig.render('main', { a: 'x' }).length, 301)
  const less = createTwig({ loader, limits: { sourceTokens: 500 } })
  assert.throws(() => less.render('main'), isLimit)
  // The limit also counts templates that another render has compiled.
  for (const name of ['a', 'b']) less.render(name)
  assert.throws(() => less.render('main'), isLimit)
})

test('a source that is rendered under many names is not cached for each of them', () => {
  const twig = createTwig()
  const source = '{{ a }}'.repeat(1_000)
  const heapBefore = heapInUse()
  for (let i = 0; i < 1_000; i++) twig.renderSource(source, {}, { name: `email ${i}` })
  // If each were kept, they would take 400 MB or more.
  assert(heapInUse() - heapBefore < 250_000_000)
  // It is in use until here, with what it caches.
  assert.equal(twig.renderSource('{{ a }}', { a: 1 }), '1')
})

/** Returns the bytes of the heap that are in use, without garbage. */
function heapInUse(): number {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc()')
  return process.memoryUsage().heapUsed
}
