import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hostileTemplates } from '../../test/templates/hostile/all.ts'
import { findProblem, runHostile } from '../../test/templates/hostile/run-hostile.ts'
import { twigInputs } from '../../test/templates/twig-inputs.ts'
import { volume } from '../../test/volume.ts'
import { workedSince } from '../../test/worked-ms.ts'
import { createTwig, TwigError } from './index.ts'

/** No template takes nearly this long. A longer time means that rendering does not end. */
const hangsAfterMs = 5_000

for (const [aim, templates] of Object.entries(hostileTemplates)) {
  test(`a template that ${aim} is stopped, and the next email is rendered`, (t) => {
    const twig = createTwig()
    let slowestMs = 0
    for (const template of templates) {
      const start = process.threadCpuUsage()
      const outcome = runHostile(template)
      const ms = workedSince(start)
      slowestMs = Math.max(slowestMs, ms)
      assert.equal(findProblem(template, outcome), undefined, template.title)
      assert(ms < hangsAfterMs, `${template.title} took ${ms} ms`)
      assert.equal(twig.renderSource('Hello {{ name }}!', { name: '<Ada>' }), 'Hello &lt;Ada&gt;!')
    }
    assert.equal(Object.hasOwn(Object.prototype, 'polluted'), false)
    t.diagnostic(`${templates.length} templates, the slowest ${slowestMs.toFixed(0)} ms`)
  })
}

/**
 * Several times the budget of a render. Without the budget, these templates took seconds to
 * minutes.
 */
const blockedMaxMs = 1_000

test('no search, pattern, library or loop blocks the thread longer than the budget allows', () => {
  const twig = createTwig()
  const some = twigInputs.filter((_input, index) => index % volume({ short: 3, full: 1 }) === 0)
  for (const { name, template, context = {} } of some) {
    const work = process.threadCpuUsage()
    try {
      twig.lint(template)
      twig.renderSource(template, context)
    } catch (error) {
      assert(error instanceof TwigError, `${name} threw ${String(error)}`)
    }
    const ms = workedSince(work)
    assert(ms < blockedMaxMs, `${name} took ${ms} ms of processor time`)
  }
})
