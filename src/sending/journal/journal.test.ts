import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { newDelivery } from '../../../test/new-delivery.ts'
import { onEachDatabase } from '../../../test/on-each-database.ts'
import type { DeliveryResult } from '../../mailer/index.ts'
import type { DeliveryTables } from '../table.ts'
import { openJournal } from './journal.ts'

const to = (address: string, messageKey: string | null = null, bulkKey: string | null = null) =>
  newDelivery([{ address, messageKey, bulkKey }])

const result = (outcome: DeliveryResult['outcome'], addresses: string[]): DeliveryResult => ({
  member: 'smtp://test:25',
  outcome,
  stage: 'data',
  reply: { protocol: 'smtp', code: 250, enhancedCode: null, text: 'ok' },
  fault: null,
  durationMs: 3.4,
  messageId: 'queued as 1',
  isRetrySafe: outcome === 'refused',
  isPermanent: false,
  retryAfterMs: null,
  attempts: [],
  recipients: addresses.map((address) => ({ address, outcome, reply: null, isPermanent: false })),
})

onEachDatabase('the journal', (shared) => {
  const open = () => {
    const { storage } = shared.yard.app
    return openJournal({ storage, clock: { now: () => 1_000 }, processId: 'test' })
  }
  const rows = async (ids: readonly number[]) => {
    const db = shared.yard.app.storage.tables<DeliveryTables>()
    const query = db
      .selectFrom('deliveries')
      .selectAll()
      .where('id', 'in', [...ids])
    return query.orderBy('id').execute()
  }

  test('many that begin at once each get their own row', async () => {
    const journal = open()
    const addresses = Array.from({ length: 150 }, (_, index) => `${index}@begin.test`)
    const begun = await Promise.all(
      addresses.map((address, index) =>
        journal.begin(to(address, index % 3 === 0 ? null : `many ${index}`)),
      ),
    )
    await Promise.all(begun.map(({ onDisk }) => onDisk))
    const admissions = begun.flatMap((each) => each.admissions)
    assert.ok(admissions.every(({ state }) => state === 'begun'))
    const ids = admissions.map((each) => (each.state === 'begun' ? each.id : 0))
    const found = new Map((await rows(ids)).map((row) => [row.id, row]))
    assert.deepEqual(
      ids.map((id) => found.get(id)?.recipient),
      addresses,
    )
  })

  test('of many messages to many recipients at once, each recipient gets his own row', async () => {
    const journal = open()
    const recipientsOf = (index: number) =>
      Array.from({ length: 100 }, (_, n) => ({
        address: `${n}@many-${index}.test`,
        messageKey: n % 7 === 0 ? null : `many ${index} ${n}`,
        bulkKey: null,
      }))
    const begun = await Promise.all(
      Array.from({ length: 30 }, (_, index) => journal.begin(newDelivery(recipientsOf(index)))),
    )
    for (const [index, { admissions }] of begun.entries()) {
      const ids = admissions.map((each) => (each.state === 'begun' ? each.id : 0))
      const addresses = (await rows(ids)).map(({ recipient }) => recipient)
      assert.deepEqual(
        addresses,
        recipientsOf(index).map(({ address }) => address),
      )
    }
  })

  test('what a hostile sender or server says is written down as far as a database takes it', async () => {
    const journal = open()
    const about = { ...to('nul@said.test'), messageId: '<a\0b@c.test>' }
    const [begun] = (await journal.begin(about)).admissions
    assert.ok(begun?.state === 'begun')
    const ended = result('accepted', ['nul@said.test'])
    await journal.finish([begun], { ...ended, messageId: 'queued\0 as \ud800' })
    const [row] = await rows([begun.id])
    assert.deepEqual(
      [row?.message_id, row?.provider_id, row?.outcome],
      ['<ab@c.test>', 'queued as \ufffd', 'accepted'],
    )
  })

  test('the name of a list of many members is written down as far as it fits', async () => {
    const journal = open()
    const [begun] = (await journal.begin(to('a@list.test'))).admissions
    assert.ok(begun?.state === 'begun')
    const member = randomBytes(4_000).toString('hex')
    await journal.finish([begun], { ...result('accepted', ['a@list.test']), member })
    const [row] = await rows([begun.id])
    assert.equal(row?.outcome, 'accepted')
    assert.ok(member.startsWith(row?.member?.slice(0, -1) ?? ''))
  })

  test('an outcome that the database does not take keeps no other from being written down', async () => {
    const journal = open()
    const { admissions } = await journal.begin({
      ...to('1@unstorable.test'),
      recipients: [1, 2, 3].map((n) => ({
        address: `${n}@unstorable.test`,
        messageKey: null,
        bulkKey: null,
      })),
    })
    const begun = admissions.filter((each) => each.state === 'begun')
    const ends = begun.map((each, index) => {
      const good = result('accepted', [each.address])
      // SQLite takes everything.
      const isBad = index === 1 && shared.yard.app.storage.kind !== 'sqlite'
      return journal.finish([each], isBad ? { ...good, durationMs: 1e30 } : good)
    })
    const settled = (await Promise.allSettled(ends)).map(({ status }) => status)
    const second = shared.yard.app.storage.kind === 'sqlite' ? 'fulfilled' : 'rejected'
    assert.deepEqual(settled, ['fulfilled', second, 'fulfilled'])
    const outcomes = (await rows(begun.map(({ id }) => id))).map(({ outcome }) => outcome)
    assert.deepEqual([outcomes[0], outcomes[2]], ['accepted', 'accepted'])
  })

  test('of those with the same key one begins, and the others are told of it', async () => {
    const journal = open()
    const twins = Array.from({ length: 40 }, (_, index) =>
      journal.begin(to(`${index}@twin.test`, index % 2 === 0 ? 'twin' : `only ${index}`)),
    )
    const admissions = (await Promise.all(twins)).flatMap((each) => each.admissions)
    const same = admissions.filter((_, index) => index % 2 === 0)
    const others = admissions.filter((_, index) => index % 2 === 1)
    assert.equal(same.filter(({ state }) => state === 'begun').length, 1)
    assert.ok(others.every(({ state }) => state === 'begun'))
    const [first] = same
    assert.ok(first?.state === 'begun')
    for (const each of same.slice(1)) {
      assert.ok(each.state === 'known')
      assert.equal(each.earlier.id, first.id)
    }
    for (const each of others) {
      assert.ok(each.state === 'begun')
      assert.equal((await rows([each.id]))[0]?.recipient, each.address)
    }
  })

  test('a bulk key stands in the way as a message key does, recipient by recipient', async () => {
    const journal = open()
    await journal.begin(to('a@bulk.test', 'bulk 1', 'email 1 a'))
    const { admissions } = await journal.begin(
      newDelivery([
        { address: 'a@bulk.test', messageKey: 'bulk 2 a', bulkKey: 'email 1 a' },
        { address: 'b@bulk.test', messageKey: 'bulk 2 b', bulkKey: 'email 1 b' },
      ]),
    )
    assert.deepEqual(
      admissions.map(({ state, address }) => [state, address]),
      [
        ['known', 'a@bulk.test'],
        ['begun', 'b@bulk.test'],
      ],
    )
  })

  test('what became of each is written down; the refused give their keys back, the others keep them', async () => {
    const journal = open()
    const outcomes = ['accepted', 'refused', 'uncertain'] as const
    const begin = async () => {
      const begun = await Promise.all(
        Array.from({ length: 60 }, (_, index) =>
          journal.begin(to(`${index}@end.test`, `end ${index}`, `end bulk ${index}`)),
        ),
      )
      return begun.flatMap(({ admissions }) => admissions)
    }
    const admissions = await begin()
    const ids = admissions.map((each) => (each.state === 'begun' ? each.id : 0))
    await Promise.all(
      ids.map((id, index) => {
        const address = `${index}@end.test`
        return journal.finish(
          [{ id, address }],
          result(outcomes[index % 3] ?? 'accepted', [address]),
        )
      }),
    )
    for (const [index, row] of (await rows(ids)).entries()) {
      const outcome = outcomes[index % 3]
      assert.deepEqual(
        [row.outcome, row.duration_ms, row.member, row.provider_id, row.message_key, row.bulk_key],
        [
          outcome,
          3,
          'smtp://test:25',
          'queued as 1',
          outcome === 'refused' ? null : `end ${index}`,
          outcome === 'refused' ? null : `end bulk ${index}`,
        ],
      )
    }
    const again = (await begin()).map(({ state }) => state)
    assert.deepEqual(
      again,
      again.map((_, index) => (index % 3 === 1 ? 'begun' : 'known')),
    )
  })

  test('what an operator has settled meanwhile stays', async () => {
    const journal = open()
    const [admission] = (await journal.begin(to('settled@end.test', 'settled'))).admissions
    assert.ok(admission?.state === 'begun')
    const db = shared.yard.app.storage.tables<DeliveryTables>()
    const settle = db.updateTable('deliveries').set({ outcome: 'accepted', reason: 'by hand' })
    await settle.where('id', '=', admission.id).execute()
    await journal.finish([admission], result('refused', ['settled@end.test']))
    const [row] = await rows([admission.id])
    assert.deepEqual([row?.outcome, row?.reason], ['accepted', 'by hand'])
  })
})
