import assert from 'node:assert/strict'
import { test } from 'node:test'
import { callerOf } from '../../../test/mautics.ts'
import { onEachDatabase } from '../../../test/on-each-database.ts'
import { createLog } from '../../kit/log.ts'
import { openSuppressions } from './suppressions.ts'

onEachDatabase('suppressions', (shared) => {
  test('are found for many messages at the same time', async () => {
    const { app } = shared.service
    const { ask } = shared
    const names = Array.from({ length: 20 }, (_, index) => `many.${index}@example.net`)
    for (const address of names) await ask('POST', '/api/suppressions/new', { address })
    const find = async (...recipients: string[]) => {
      const asked = { recipients, senderDomains: ['example.com'], brand: 0, isBulk: true }
      return [...(await app.suppressions.findSuppressions(asked)).keys()]
    }
    const found = await Promise.all(names.map((address) => find(address)))
    assert.deepEqual(
      found,
      names.map((address) => [address]),
    )
    const { suppressions } = (await ask('GET', '/api/suppressions?search=many.&limit=0')).body
    const ids = suppressions.map(({ id }: { id: number }) => id).join(',')
    await ask('DELETE', `/api/suppressions/batch/delete?ids=${ids}`)
    assert.deepEqual(await find(...names), [])
  })
})

onEachDatabase('the first suppression', { isOwn: true }, (shared) => {
  test('counts from its commit, also where that takes longer than what is remembered', async () => {
    const { clock, service } = shared
    const asked = { recipients: ['a@example.net'], senderDomains: [], brand: 0, isBulk: true }
    const find = async () => [...(await suppressions.findSuppressions(asked)).keys()]
    const suppressions = openSuppressions({
      storage: service.app.storage,
      clock,
      log: createLog('fatal'),
      published: {
        wants: () => true,
        async publish() {
          clock.advance(1_001)
          assert.deepEqual(await find(), [])
        },
        notify: () => undefined,
      },
    })
    await suppressions.create([{ address: 'a@example.net' }], {
      caller: callerOf(undefined),
      isAtomic: true,
    })
    assert.deepEqual(await find(), asked.recipients)
  })
})
