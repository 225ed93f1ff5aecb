import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addTemplate } from '../../../test/callers.ts'
import { onEachDatabase } from '../../../test/on-each-database.ts'
import { createLog } from '../../kit/log.ts'
import { createVersionPruner } from './version-pruner.ts'

onEachDatabase('the versions of a template', (shared) => {
  const pathOf = (id: number) => `/api/twigTemplates/${id}`
  const createWithVersions = async (count: number): Promise<number> => {
    const { id } = await addTemplate(shared.service, { template: 'version 1' })
    const edits = Array.from({ length: count - 1 }, (_, index) => ({
      id,
      template: `version ${index + 2}`,
    }))
    await shared.ask('PATCH', '/api/twigTemplates/batch/edit', edits)
    return id
  }
  const versionsOf = async (id: number): Promise<number[]> => {
    const { body } = await shared.ask('GET', `${pathOf(id)}/versions`)
    return body.versions.map(({ version }: { version: number }) => version)
  }
  const prunerOf = (keep: number) =>
    createVersionPruner({
      storage: shared.service.app.storage,
      log: createLog('silent', { write: () => undefined }),
      keep,
    })

  test('are kept up to the limit, the newest ones', async () => {
    const [few, many] = [await createWithVersions(3), await createWithVersions(310)]
    const pruner = prunerOf(5)
    assert.equal(await pruner.run(), 305)
    assert.deepEqual(await versionsOf(few), [3, 2, 1])
    assert.deepEqual(await versionsOf(many), [310, 309, 308, 307, 306])
    const oldest = await shared.ask('GET', `${pathOf(many)}/versions/306`)
    assert.equal(oldest.body.version.template, 'version 306')
    assert.equal((await shared.ask('GET', `${pathOf(many)}/versions/305`)).status, 404)
    assert.equal(await pruner.run(), 0)
    const restored = await shared.ask('POST', `${pathOf(many)}/versions/306/restore`, {})
    assert.equal(restored.body.twigTemplate.template, 'version 306')
    assert.equal(await pruner.run(), 1)
    assert.deepEqual(await versionsOf(many), [311, 310, 309, 308, 307])
  })

  test('never lose the current one', async () => {
    const id = await createWithVersions(4)
    await prunerOf(1).run()
    assert.deepEqual(await versionsOf(id), [4])
    const { body } = await shared.ask('GET', pathOf(id))
    assert.equal(body.twigTemplate.template, 'version 4')
  })
})
