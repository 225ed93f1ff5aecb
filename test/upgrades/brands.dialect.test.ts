import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { sql } from 'kysely'
import { migrations } from '../../src/app/database.ts'
import { migrate, openStorage } from '../../src/platform/storage/index.ts'
import { type TestDatabase, testDatabases } from '../databases.ts'
import type { TestApp, TestBody } from '../test-app.ts'
import { loadDump, openOnDump } from './load-dump.ts'

/** The migrations before records belonged to brands. */
const earlier = migrations.map((ofModule) =>
  Object.fromEntries(Object.entries(ofModule).filter(([name]) => name < '20261202')),
)

type Row = Record<string, unknown>

/** A Mautic that is deleted, and owned records. */
const gone = 9
const submitter = {
  ...{ key: 'mautic 1 user 2', name: 'Ann (shop)', mautic: { id: 1, name: 'shop' } },
  ...{ canViewTemplates: true, canViewContacts: false },
}

/**
 * Gives the Mautic of the dump, and one that is deleted, a transport, a template and a DKIM key each, and the first one a deleted
 * transport, senders, deliveries and a message that waits. Adds a Mautic that has nothing.
 */
async function addOwned(database: TestDatabase): Promise<void> {
  const storage = openStorage({ url: database.url, onIdleError: () => undefined })
  await migrate(storage, earlier)
  const db = storage.tables<Record<string, Row>>()
  const copy = async (table: string, id: number, changes: Row) => {
    const row = await db.selectFrom(table).selectAll().where('id', '=', id).executeTakeFirst()
    await db
      .insertInto(table)
      .values({ ...row, ...changes })
      .execute()
  }
  await copy('mautics', 1, { id: 2, name: 'bare', smtp_login: 'bare' })
  for (const [id, mautic_id] of [
    [11, 1],
    [12, gone],
  ]) {
    await copy('transports', 1, { id, mautic_id })
    await copy('twig_templates', 1, { id, mautic_id })
    await copy('dkim_keys', 1, { id, mautic_id, selector: `of-${mautic_id}` })
  }
  const ofMautic = sql`replace(record, '"mautic_id":null', '"mautic_id":1')`
  await db
    .updateTable('deleted_records')
    .set({ mautic_id: 1, record: ofMautic })
    .where('kind', '=', 'transports')
    .execute()
  const use = { transport_id: 1, last_used_at: 1, other_envelope: 'bounces.shop.example' }
  for (const [domain, mautic_id] of [
    ['shop.example', 1],
    ['mail.shop.example', 1],
    ['gone.example', gone],
  ])
    await db
      .insertInto('sender_uses')
      .values({ ...use, domain, mautic_id, ...(mautic_id === gone && { other_envelope: null }) })
      .execute()
  await db.updateTable('deliveries').set({ mautic_id: 1 }).execute()
  await copy('queue_messages', 4, { id: 14, mautic_id: 1, submitter: JSON.stringify(submitter) })
  await copy('queue_recipients', 10, { id: 20, message_id: 14, message_key: 'other' })
  await storage.close()
}

for (const { name, create } of testDatabases)
  describe(`a database whose Mautics own records, on ${name}`, () => {
    let database: TestDatabase
    let service: TestApp
    before(async () => {
      database = await create()
      await loadDump(database)
      await addOwned(database)
      service = await openOnDump(database, { isStarted: false })
    })
    after(async () => {
      await service.close()
      await database.drop()
    })

    const read = async (path: string): Promise<TestBody> => {
      const { status, body, text } = await service.ask('GET', `/api/${path}`)
      assert.equal(status, 200, text)
      return body
    }
    /** The brand of each record, by id. */
    const brandsOf = (records: readonly TestBody[]) =>
      Object.fromEntries(records.map(({ id, brand }) => [id, brand]))
    const rowsOf = (table: string) =>
      service.app.storage.tables<Record<string, Row>>().selectFrom(table).selectAll().execute()

    test('gets a brand for each of these Mautics, with the domains that it has sent from', async () => {
      const ownDomains = ['mail.shop.example', 'shop.example']
      const { brands } = await read('brands?orderBy=id')
      assert.deepEqual(
        brands.map(({ id, name, domains, isPublished }: TestBody) => {
          return { id, name, domains, isPublished }
        }),
        [
          ...[
            { id: 1, name: 'shop', domains: ['bounces.shop.example', ...ownDomains] },
            { id: 2, name: `Mautic ${gone} (deleted)`, domains: ['gone.example'] },
          ].map((brand, index) => ({ ...brand, isPublished: index === 0 })),
        ],
      )
      assert.deepEqual(brandsOf((await read('mautics')).mautics), { 1: 1, 2: undefined })
    })

    test('keeps who owns a record, as the brand of that Mautic', async () => {
      const none = undefined
      assert.deepEqual(brandsOf(await read('multipleTransports')), {
        ...{ 1: none, 2: none, 4: none },
        ...{ 11: 1, 12: 2 },
      })
      const { twigTemplates } = await read('twigTemplates')
      assert.deepEqual(brandsOf(twigTemplates), { 1: none, 11: 1, 12: 2 })
      const { dkimKeys } = await read('dkimKeys')
      assert.deepEqual(brandsOf(dkimKeys), { 1: none, 2: none, 11: 1, 12: 2 })
      for (const { id, isPublished } of dkimKeys) assert.equal(isPublished, true, id)
    })

    test('restores a deleted record with its brand', async () => {
      assert.deepEqual(brandsOf(await read('multipleTransports?deleted=1')), { 3: 1 })
      const restored = await service.ask('POST', '/api/multipleTransports/3/restore')
      assert.deepEqual([restored.status, restored.body.transport.brand], [200, 1], restored.text)
    })

    test('says of which brand deliveries, senders and waiting messages are', async () => {
      const numbers = async (table: string, column: string) => {
        const rows = await rowsOf(table)
        return [...new Set(rows.map((row) => Number(row[column])))].sort((one, two) => one - two)
      }
      assert.deepEqual(await numbers('deliveries', 'brand_id'), [1])
      const uses = await rowsOf('sender_uses')
      const ofBrand = uses.filter(({ brand_id: brand }) => Number(brand) !== 0)
      assert.deepEqual(
        ofBrand.map(({ domain, brand_id: brand }) => [domain, Number(brand)]).sort(),
        [
          ['mail.shop.example', 1],
          ['shop.example', 1],
        ],
      )
      const messages = await rowsOf('queue_messages')
      const waiting = messages.find(({ id }) => Number(id) === 14)
      assert.deepEqual(JSON.parse(String(waiting?.['submitter'])), { ...submitter, brand: 1 })
      const recipients = await rowsOf('queue_recipients')
      const ofMautic = recipients.filter(({ brand_id: brand }) => Number(brand) !== 0)
      assert.deepEqual(
        ofMautic.map(({ id, brand_id: brand }) => [Number(id), Number(brand)]),
        [[20, 1]],
      )
    })
  })
