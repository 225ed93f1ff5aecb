import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addTemplate } from '../../test/callers.ts'
import { onMailyard } from '../../test/on-each-database.ts'
import { WorkQueue } from '../kit/work-queue.ts'
import { createTwig } from '../twig/index.ts'
import { createLintTemplate } from './lint-template.ts'
import { StoredTemplates } from './template-sources.ts'

onMailyard('the lint of a template', { isOwn: true }, (shared) => {
  /** Lints with the stored templates; counts how often all templates of a name are gone through. */
  const lintCounting = async (source: string) => {
    const [twig, work] = [createTwig(), new WorkQueue()]
    const stored = new StoredTemplates(shared.service.app.storage, twig, work)
    let reads = 0
    const loadNamed = stored.loadNamed.bind(stored)
    stored.loadNamed = async (references, options) => {
      const set = await loadNamed(references, options)
      const namesakesOf = set.namesakesOf.bind(set)
      set.namesakesOf = (name) => {
        reads += 1
        return namesakesOf(name)
      }
      return set
    }
    const { warnings } = await createLintTemplate(twig, stored, work)({ source })
    return { warnings, reads }
  }

  test('goes through the templates of a name once for all includes of it', async () => {
    for (const _ of [1, 2]) await addTemplate(shared.service, { name: 'Footer' })
    const { warnings, reads } = await lintCounting("{% include 'Footer' %}".repeat(100))
    assert.equal(warnings.length, 100)
    for (const { message } of warnings)
      assert.match(
        message,
        /^Two templates are named "Footer" \(ids \d+, \d+\)\. This include takes /,
      )
    assert.equal(reads, 1)
  })
})
