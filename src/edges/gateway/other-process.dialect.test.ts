import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onEachDatabase } from '../../../test/on-each-database.ts'
import { until } from '../../../test/until.ts'

onEachDatabase('a Mautic that another process connects', { isOwn: true }, (shared) => {
  test('is served at once', async (t) => {
    const { service } = shared
    if (!service.app.storage.isShared) return t.skip('one process serves SQLite')
    const other = await shared.openAnother()
    let changes = 0
    service.app.storage.listen('mautics', () => {
      changes += 1
    })
    const url = 'http://127.0.0.1:1'
    const values = { name: 'acme', url, clientId: 'id', clientSecret: 'a secret' }
    await other.askFor('POST', '/api/mautics/new', values)
    await until(() => changes > 0, 'it knows of the change')
    // Waits until it has read the Mautics.
    await service.app.gateway.close()
    const answer = await service.ask('GET', '/mautic/acme/api/emails')
    assert.equal(answer.status, 502, answer.text)
  })
})
