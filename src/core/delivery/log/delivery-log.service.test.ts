import assert from 'node:assert/strict'
import { test } from 'node:test'
import { clockAt } from '../../../../test/movable-clock.ts'
import { newDelivery } from '../../../../test/new-delivery.ts'
import { onMailyard } from '../../../../test/on-each-database.ts'
import { refuseText } from '../../../../test/refuse-text.ts'
import { AppError } from '../../../kit/app-error.ts'
import { createLog } from '../../../kit/log.ts'
import type { DeliveryResult } from '../../../libraries/mailer/index.ts'
import type { outcomeOf } from '../outcomes.ts'
import type { DeliveryTables } from '../table.ts'
import { openDeliveryLog } from './delivery-log.ts'
import { resultOf } from './simulated-process.case.test.ts'

const to = (address: string, messageKey: string | null = null, bulkKey: string | null = null) =>
  newDelivery([{ address, messageKey, bulkKey }])

const result = (logged: ReturnType<typeof outcomeOf>, addresses: string[]): DeliveryResult => {
  const outcome = logged === 'deferred' ? 'refused' : logged
  const isPermanent = logged === 'refused'
  return {
    ...resultOf(outcome),
    durationMs: 3.4,
    messageId: 'queued as 1',
    isPermanent,
    recipients: addresses.map((address) => ({ address, outcome, reply: null, isPermanent })),
  }
}

onMailyard('the delivery log', (shared) => {
  const parts = { clock: clockAt(1_000), processId: 'test', log: createLog('silent') }
  const open = (storage = shared.service.app.storage) => openDeliveryLog({ storage, ...parts })
  const tables = () => shared.service.app.storage.tables<DeliveryTables>()
  const rows = (ids: number[]) => {
    const query = tables().selectFrom('deliveries').selectAll().where('id', 'in', ids)
    return query.orderBy('id').execute()
  }
  const keysOf = async (id: number) => {
    const query = tables().selectFrom('delivery_keys').select('key').where('delivery_id', '=', id)
    return (await query.orderBy('kind', 'desc').execute()).map(({ key }) => key)
  }

  test('concurrent starts each get their own row', async () => {
    const deliveryLog = open()
    const addresses = Array.from({ length: 150 }, (_, index) => `${index}@begin.test`)
    const start = (address: string, index: number) =>
      deliveryLog.start(to(address, index % 3 === 0 ? null : `many ${index}`))
    const started = await Promise.all(addresses.map(start))
    await Promise.all(started.map(({ flushed }) => flushed))
    const results = started.flatMap((each) => each.results)
    assert.ok(results.every(({ state }) => state === 'started'))
    const ids = results.map((each) => (each.state === 'started' ? each.id : 0))
    const found = new Map((await rows(ids)).map((row) => [row.id, row]))
    const recipients = ids.map((id) => found.get(id)?.recipient)
    assert.deepEqual(recipients, addresses)
  })

  test('text of a hostile sender or server is stored without the characters that a database refuses', async () => {
    const deliveryLog = open()
    const about = { ...to('nul@said.test'), messageId: '<a\0b@c.test>' }
    const [started] = (await deliveryLog.start(about)).results
    assert.ok(started?.state === 'started')
    const ended = result('accepted', ['nul@said.test'])
    await deliveryLog.finish([started], { ...ended, messageId: 'queued\0 as \ud800' })
    const [row] = await rows([started.id])
    assert.deepEqual(
      [row?.message_id, row?.provider_id, row?.outcome],
      ['<ab@c.test>', 'queued as \ufffd', 'accepted'],
    )
  })

  test('of an outcome that the database cannot store the words are left out, and the others are stored unchanged', async () => {
    const deliveryLog = open()
    const addresses = ['1@unstorable.test', '2@unstorable.test', '3@unstorable.test']
    const { results } = await deliveryLog.start(
      newDelivery(addresses.map((address) => ({ address, messageKey: null, bulkKey: null }))),
    )
    const started = results.filter((each) => each.state === 'started')
    await refuseText(shared.service.app.storage, 'unstorable')
    const ends = started.map((each, index) => {
      const good = result('accepted', [each.address])
      return deliveryLog.finish([each], index === 1 ? { ...good, messageId: 'unstorable' } : good)
    })
    await Promise.all(ends)
    const stored = await rows(started.map(({ id }) => id))
    assert.deepEqual(
      stored.map(({ outcome, provider_id: providerId }) => `${outcome} ${providerId}`),
      ['accepted queued as 1', 'accepted null', 'accepted queued as 1'],
    )
  })

  test('nothing more is started while too many outcomes wait for the database', async () => {
    const { storage } = shared.service.app
    const lost = new AppError('upstream', 'database_unavailable', 'The database is lost.')
    const deliveryLog = open({ ...storage, transaction: () => Promise.reject(lost) })
    const attempt = { startedAt: 1_000, address: 'a@b.test' }
    const attempts = Array.from({ length: 10_000 }, (_, id) => ({ id: -id, ...attempt }))
    void deliveryLog.finish(attempts, result('accepted', ['a@b.test']))
    await assert.rejects(deliveryLog.start(to('full@lost.test')), {
      kind: 'upstream',
      message: /10000 outcomes of deliveries wait/,
    })
    deliveryLog.close()
  })

  test('of starts with the same key one succeeds, and the others are duplicates', async () => {
    const deliveryLog = open()
    const twins = Array.from({ length: 40 }, (_, index) =>
      deliveryLog.start(to(`${index}@twin.test`, index % 2 === 0 ? 'twin' : `only ${index}`)),
    )
    const results = (await Promise.all(twins)).flatMap((each) => each.results)
    const same = results.filter((_, index) => index % 2 === 0)
    const others = results.filter((_, index) => index % 2 === 1)
    assert.equal(same.filter(({ state }) => state === 'started').length, 1)
    assert.ok(others.every(({ state }) => state === 'started'))
    const [first] = same
    assert.ok(first?.state === 'started')
    for (const each of same.slice(1)) {
      assert.ok(each.state === 'duplicate')
      assert.equal(each.original.id, first.id)
    }
    for (const each of others) {
      assert.ok(each.state === 'started')
      assert.equal((await rows([each.id]))[0]?.recipient, each.address)
    }
  })

  test('a bulk key makes duplicates as a message key does, for each recipient', async () => {
    const deliveryLog = open()
    await deliveryLog.start(to('a@bulk.test', 'bulk 1', 'email 1 a'))
    const { results } = await deliveryLog.start(
      newDelivery([
        { address: 'a@bulk.test', messageKey: 'bulk 2 a', bulkKey: 'email 1 a' },
        { address: 'b@bulk.test', messageKey: 'bulk 2 b', bulkKey: 'email 1 b' },
      ]),
    )
    const states = results.map(({ state, address }) => `${state} ${address}`)
    assert.deepEqual(states, ['duplicate a@bulk.test', 'started b@bulk.test'])
  })

  test('outcomes are stored; deferred and refused deliveries release their keys, the others keep them', async () => {
    const deliveryLog = open()
    const outcomes = ['accepted', 'deferred', 'refused', 'uncertain'] as const
    const start = async () => {
      const starts = Array.from({ length: 60 }, (_, index) =>
        deliveryLog.start(to(`${index}@end.test`, `end ${index}`, `end bulk ${index}`)),
      )
      return (await Promise.all(starts)).flatMap(({ results }) => results)
    }
    const results = await start()
    const ids = results.map((each) => (each.state === 'started' ? each.id : 0))
    await Promise.all(
      ids.map((id, index) => {
        const address = `${index}@end.test`
        const ended = result(outcomes[index % 4] ?? 'accepted', [address])
        return deliveryLog.finish([{ id, startedAt: 1_000, address }], ended)
      }),
    )
    for (const [index, row] of (await rows(ids)).entries()) {
      const outcome = outcomes[index % 4]
      const isReleased = outcome === 'deferred' || outcome === 'refused'
      const stored = { outcome, duration_ms: 3, member: 'server', provider_id: 'queued as 1' }
      assert.partialDeepStrictEqual(row, stored)
      const keys = isReleased ? [] : [`end ${index}`, `end bulk ${index}`]
      assert.deepEqual(await keysOf(row.id), keys)
    }
    for (const [index, { state }] of (await start()).entries())
      assert.equal(state, index % 4 === 1 || index % 4 === 2 ? 'started' : 'duplicate')
  })

  test('an outcome does not overwrite what an operator has settled', async () => {
    const deliveryLog = open()
    const [attempt] = (await deliveryLog.start(to('settled@end.test', 'settled'))).results
    assert.ok(attempt?.state === 'started')
    const settle = tables()
      .updateTable('deliveries')
      .set({ outcome: 'accepted', reason: 'by hand' })
    await settle.where('id', '=', attempt.id).execute()
    await deliveryLog.finish([attempt], result('refused', ['settled@end.test']))
    const [row] = await rows([attempt.id])
    assert.deepEqual([row?.outcome, row?.reason], ['accepted', 'by hand'])
  })
})
