import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hostileTemplates } from '../../bench/twig/hostile/all.ts'
import { complaint, runHostile } from '../../bench/twig/hostile/run-hostile.ts'
import { twigInputs } from '../../test/hostile/twig-inputs.ts'
import { createTwig, TwigError } from './index.ts'

/** Far above what any takes: it tells an end from none. */
const hangsAfterMs = 5_000

for (const [aim, templates] of Object.entries(hostileTemplates)) {
  test(`a template that ${aim} is stopped, and the next email is rendered`, (t) => {
    const twig = createTwig()
    let slowestMs = 0
    for (const template of templates) {
      const start = performance.now()
      const outcome = runHostile(template)
      const ms = performance.now() - start
      slowestMs = Math.max(slowestMs, ms)
      assert.equal(complaint(template, outcome), undefined, template.title)
      assert(ms < hangsAfterMs, `${template.title} took ${ms} ms`)
      assert.equal(twig.renderSource('Hello {{ name }}!', { name: '<Ada>' }), 'Hello &lt;Ada&gt;!')
    }
    assert.equal(Object.hasOwn(Object.prototype, 'polluted'), false)
    t.diagnostic(`${templates.length} templates, the slowest ${slowestMs.toFixed(0)} ms`)
  })
}

/** Several times what the budget lets a render take; without it, these took seconds to minutes. */
const heldMaxMs = 1_000

test('no search, pattern, library or loop holds the thread longer than the budget allows', () => {
  const twig = createTwig()
  for (const { name, template, context = {} } of twigInputs) {
    const work = process.threadCpuUsage()
    try {
      twig.lint(template)
      twig.renderSource(template, context)
    } catch (error) {
      assert(error instanceof TwigError, `${name} threw ${String(error)}`)
    }
    const { user, system } = process.threadCpuUsage(work)
    const ms = (user + system) / 1_000
    assert(ms < heldMaxMs, `${name} took ${ms} ms of processor time`)
  }
})

test('there are more than 120 hostile templates', () => {
  const count = Object.values(hostileTemplates).flat().length
  assert(count >= 120, `${count}`)
})
