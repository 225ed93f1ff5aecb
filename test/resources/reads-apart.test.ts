import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { addTransport } from '../callers.ts'
import { addMautic, closeMautics } from '../mautics.ts'
import { onEachDatabase } from '../on-each-database.ts'

onEachDatabase('a read that may scan many rows', (shared) => {
  after(closeMautics)

  test('runs apart from other requests, as lists do', async (t) => {
    const { service } = shared
    const { storage } = service.app
    const { id } = await addTransport(service)
    const mautic = await addMautic(service)
    const lists = t.mock.method(storage, 'lists')
    const filter = { transportId: 1 }
    for (const [method, path, body] of [
      ['POST', '/api/suppressions/delete?dryRun=1', filter],
      ['GET', `/api/mautics/${mautic.id}/reports`, undefined],
      ['POST', '/api/multipleTransport/drill', { down: [id] }],
      ['GET', '/api/queue/brakes', undefined],
    ] as const) {
      lists.mock.resetCalls()
      const { status, text } = await service.ask(method, path, body)
      assert.equal(status, 200, text)
      assert.ok(lists.mock.callCount() > 0, path)
    }
  })
})
