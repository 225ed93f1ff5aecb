import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { addTemplate } from '../../../test/callers.ts'
import { onEachDatabase } from '../../../test/on-each-database.ts'
import { turnsOf, workedMs } from '../../../test/worked-ms.ts'
import type { TemplateTables } from '../../templates/index.ts'

/** The template that all others include. */
const included = 'included by all'

/** The first run may compile, and any may collect the garbage of other tests. */
async function leastMs(work: () => Promise<unknown>): Promise<number> {
  return Math.min(await workedMs(work), await workedMs(work))
}

onEachDatabase('a template among thousands', (shared) => {
  let id: number
  before(async () => {
    id = (await addTemplate(shared.service, { name: included })).id
  })
  const insert = async (count: number, nameOf: (index: number) => string) => {
    const db = shared.service.app.storage.tables<TemplateTables>()
    const row = await db.selectFrom('twig_templates').selectAll().executeTakeFirstOrThrow()
    const { id: _own, ...columns } = row
    for (let start = 0; start < count; start += 500) {
      const rows = Array.from({ length: 500 }, (_, index) => {
        const name = nameOf(start + index)
        return { ...columns, name, name_key: name, refers_to: JSON.stringify([included]) }
      })
      await db.insertInto('twig_templates').values(rows).execute()
    }
  }
  const ask = async (method: 'DELETE' | 'GET' | 'POST', path: string, body?: object) => {
    const answer = await shared.service.ask(method, `/api/twigTemplates${path}`, body)
    assert.equal(answer.status, 200, answer.text.slice(0, 300))
    return answer
  }

  test('is searched for its uses in short pieces', async () => {
    await insert(20_000, (index) => `template ${index}`)
    const searches = [
      () => ask('DELETE', `/${id}/delete?dryRun=1`),
      () => ask('POST', `/${id}/impact`, { template: 'x', only: { kind: 'template', id } }),
    ]
    for (const search of searches) {
      const { longestMs, allMs } = await turnsOf(search)
      assert.ok(longestMs < allMs / 2, `a turn took ${longestMs} of ${allMs} ms`)
    }
  })

  test('has an impact that is measured page by page', async () => {
    const measure = async (start: number) =>
      (await ask('POST', `/${id}/impact`, { template: 'x', start })).body
    const { total, next, impact } = await measure(0)
    assert.equal(total, 20_001)
    assert.ok(impact.length > 0 && impact.length <= 200)
    assert.equal(next, impact.length)
    const last = await measure(total - 1)
    assert.deepEqual([last.impact.length, last.next], [1, null])
  })

  test('with their name is found by a name in time that grows with their number', async () => {
    const find = () =>
      leastMs(async () => {
        const { body } = await ask('GET', `/${id}/dependents`)
        assert.ok(body.templates.length >= 20_000)
      })
    await insert(2_000, () => included)
    const fewMs = await find()
    await insert(6_000, () => included)
    const manyMs = await find()
    assert.ok(manyMs < fewMs * 4, `${Math.round(fewMs)} ms, then ${Math.round(manyMs)} ms`)
  })

  test('with their name are listed about as fast as others', async () => {
    const list = (name: string) =>
      leastMs(() => ask('GET', `?search=${encodeURIComponent(name)}&limit=1000`))
    const othersMs = await list('template')
    const ms = await list(included)
    assert.ok(ms < othersMs * 5 + 500, `${Math.round(othersMs)} ms, then ${Math.round(ms)} ms`)
  })
})

onEachDatabase('a chain of templates', (shared) => {
  const addLinks = async (from: number, to: number) => {
    const db = shared.service.app.storage.tables<TemplateTables>()
    const row = await db.selectFrom('twig_templates').selectAll().executeTakeFirstOrThrow()
    const { id: _first, ...columns } = row
    for (let start = from; start < to; start += 500) {
      const rows = Array.from({ length: 500 }, (_, index) => {
        const name = `link ${start + index}`
        const refers_to = JSON.stringify([`link ${start + index - 1}`])
        return { ...columns, name, name_key: name, refers_to }
      })
      await db.insertInto('twig_templates').values(rows).execute()
    }
  }
  const ask = async (path: string) => {
    const { status, body, text } = await shared.service.ask('GET', `/api/twigTemplates${path}`)
    assert.equal(status, 200, text.slice(0, 300))
    return body
  }

  test('is followed in time that grows with its length', async () => {
    const { id } = await addTemplate(shared.service, { name: 'link 0' })
    const listUsage = async (length: number) => {
      const [{ usage }] = (await ask(`?with=usage&search=ids:${id}`)).twigTemplates
      assert.equal(usage.templates, length - 1)
    }
    const findDependents = async (length: number) => {
      const { templates } = await ask(`/${id}/dependents`)
      assert.equal(templates.length, length - 1)
    }
    const measure = async (length: number) => [
      await leastMs(() => listUsage(length)),
      await leastMs(() => findDependents(length)),
    ]
    await addLinks(1, 1_001)
    const fewMs = await measure(1_001)
    await addLinks(1_001, 4_001)
    const manyMs = await measure(4_001)
    for (const [index, ms] of manyMs.entries())
      assert.ok(
        ms < (fewMs[index] ?? 0) * 12,
        `${fewMs.join(', ')} ms, then ${manyMs.join(', ')} ms`,
      )
  })
})
