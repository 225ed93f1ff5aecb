import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hostileTemplates } from '../../../test/templates/hostile/all.ts'
import { findProblem, runHostile } from '../../../test/templates/hostile/run-hostile.ts'
import { twigInputs } from '../../../test/templates/twig-inputs.ts'
import { volume } from '../../../test/volume.ts'
import { createTwig } from './create-twig.ts'
import { TwigError } from './errors.ts'

for (const [aim, templates] of Object.entries(hostileTemplates)) {
  test(`a template that ${aim} is stopped, and the next email is rendered`, () => {
    const twig = createTwig()
    for (const template of templates) {
      assert.equal(findProblem(template, runHostile(template)), undefined, template.title)
      assert.equal(twig.renderSource('Hello {{ name }}!', { name: '<Ada>' }), 'Hello &lt;Ada&gt;!')
    }
    assert.equal(Object.hasOwn(Object.prototype, 'polluted'), false)
  })
}

// Without the budget, these templates took seconds to minutes.
test('no search, pattern, library or loop blocks the thread longer than the budget allows', () => {
  const twig = createTwig()
  const some = twigInputs.filter((_input, index) => index % volume({ short: 3, full: 1 }) === 0)
  for (const { name, template, context = {} } of some) {
    try {
      twig.lint(template)
      twig.renderSource(template, context)
    } catch (error) {
      assert(error instanceof TwigError, `${name} threw ${String(error)}`)
    }
  }
})
