import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { uniqueName } from '../callers.ts'
import { onEachDatabase } from '../on-each-database.ts'
import type { TestAnswer } from '../test-app.ts'

const megabyte = 1_048_576
const count = 160

onEachDatabase('a batch of large templates', (shared) => {
  const path = '/api/twigTemplates'
  /** Templates of a megabyte each, as if they had been saved one by one. */
  const addTemplates = async (): Promise<number[]> => {
    const items = Array.from({ length: count }, () => ({ name: uniqueName('t'), template: 'x' }))
    const { body } = await shared.service.ask('POST', `${path}/batch/new`, items)
    const ids: number[] = body.twigTemplates.map(({ id }: { id: number }) => id)
    const db = shared.service.app.storage.tables<{
      twig_templates: { id: number; template: string }
    }>()
    const template = 'x'.repeat(1_000_000)
    for (const id of ids) {
      await db.updateTable('twig_templates').set({ template }).where('id', '=', id).execute()
    }
    return ids
  }
  /** Asks, and says by how many megabytes the heap grew at most meanwhile. */
  const askMeasured = async (ask: () => Promise<TestAnswer>) => {
    const before = process.memoryUsage().heapUsed
    let most = before
    const timer = setInterval(() => {
      most = Math.max(most, process.memoryUsage().heapUsed)
    }, 2)
    const answer = await ask()
    clearInterval(timer)
    most = Math.max(most, process.memoryUsage().heapUsed)
    return { answer, grownMegabytes: (most - before) / megabyte }
  }

  test('that hold more than 100 MB is refused before they are read', async () => {
    const ids = await addTemplates()
    const edits = ids.map((id) => ({ id, description: 'changed' }))
    const one = Array.from({ length: count }, () => ({ id: ids[0], description: 'changed' }))
    for (const ask of [
      () => shared.service.ask('PATCH', `${path}/batch/edit`, edits),
      () => shared.service.ask('PATCH', `${path}/batch/edit?atomic=1`, edits),
      () => shared.service.ask('PATCH', `${path}/batch/edit`, one),
      () => shared.service.ask('DELETE', `${path}/batch/delete?ids=${ids.join(',')}`),
    ]) {
      const { answer, grownMegabytes } = await askMeasured(ask)
      assert.equal(answer.status, 413, answer.text.slice(0, 300))
      assert.match(answer.body.error, /hold 153 MB together; a batch may have 100 MB/)
      assert.ok(grownMegabytes < 60, `${grownMegabytes} MB`)
    }
    const some = edits.slice(0, 5)
    const answer = await shared.service.ask('PATCH', `${path}/batch/edit?atomic=1`, some)
    assert.deepEqual([answer.status, answer.body.statusCodes], [200, [200, 200, 200, 200, 200]])
    const { rows } = await sql<{ changed: number }>`select count(*) as changed from twig_templates
      where description = 'changed'`.execute(shared.service.app.storage.tables())
    assert.equal(Number(rows[0]?.changed), 5)
  })
})
