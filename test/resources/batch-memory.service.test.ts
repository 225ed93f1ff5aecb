import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { uniqueName } from '../callers.ts'
import { onMailyard } from '../on-each-database.ts'

const count = 160

onMailyard('a batch of large templates', (shared) => {
  const path = '/api/twigTemplates'
  /** Templates of a megabyte each, as if they had been saved one by one. */
  const addTemplates = async (): Promise<number[]> => {
    const items = Array.from({ length: count }, () => ({ name: uniqueName('t'), template: 'x' }))
    const { body } = await shared.ask('POST', `${path}/batch/new`, items)
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
  test('that hold more than 100 MB is refused', async () => {
    const ids = await addTemplates()
    const edits = ids.map((id) => ({ id, description: 'changed' }))
    const one = Array.from({ length: count }, () => ({ id: ids[0], description: 'changed' }))
    for (const [method, url, body] of [
      ['PATCH', 'edit', edits],
      ['PATCH', 'edit?atomic=1', edits],
      ['PATCH', 'edit', one],
      ['DELETE', `delete?ids=${ids.join(',')}`, undefined],
    ] as const) {
      const answer = await shared.ask(method, `${path}/batch/${url}`, body)
      assert.equal(answer.status, 413, answer.text.slice(0, 300))
      assert.match(answer.body.error, /100 MB/)
    }
    const some = edits.slice(0, 5)
    const answer = await shared.ask('PATCH', `${path}/batch/edit?atomic=1`, some)
    assert.deepEqual([answer.status, answer.body.statusCodes], [200, [200, 200, 200, 200, 200]])
    const { rows } = await sql<{ changed: number }>`select count(*) as changed from twig_templates
      where description = 'changed'`.execute(shared.service.app.storage.tables())
    assert.equal(Number(rows[0]?.changed), 5)
  })
})
