import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type Kysely, sql } from 'kysely'
import { testDatabases } from '../../../../test/databases.ts'
import {
  createRecordTable,
  keyringMigrations,
  type Migrations,
  migrate,
  openStorage,
} from '../../../platform/storage/index.ts'
import { senderMigrations } from '../table.ts'
import { dkimMigrations } from './table.ts'

/** The table of keys as it was, with the next key of a rotation. */
const oldMigrations: Migrations = {
  async '20261128_10_dkim_keys'(db, database) {
    await createRecordTable(db, database, 'dkim_keys')
      .addColumn('domain', 'text', (column) => column.notNull().unique())
      .addColumn('algorithm', 'text', (column) => column.notNull())
      .addColumn('selector', 'text', (column) => column.notNull())
      .addColumn('private_key', 'text', (column) => column.notNull())
      .addColumn('public_key', 'text', (column) => column.notNull())
      .addColumn('state', 'text', (column) => column.notNull())
      .addColumn('active_at', 'bigint')
      .addColumn('absent_since', 'bigint')
      .addColumn('problem', 'text')
      .addColumn('checked_at', 'bigint')
      .addColumn('check_at', 'bigint', (column) => column.notNull())
      .addColumn('next_algorithm', 'text')
      .addColumn('next_selector', 'text')
      .addColumn('next_private_key', 'text')
      .addColumn('next_public_key', 'text')
      .addColumn('next_problem', 'text')
      .addColumn('next_added_at', 'bigint')
      .addColumn('removable', 'text', (column) => column.notNull())
      .execute()
    await database.createSearchIndex(db, 'dkim_keys')
    await db.schema.createIndex('dkim_keys_check_at').on('dkim_keys').column('check_at').execute()
  },
}

/** The brands came later, and need the Mautics. */
const ofSenders = Object.entries(senderMigrations).filter(([name]) => name < '20261202')
const before = ofSenders.filter(([name]) => !name.includes('_72_'))
const oldModules = [keyringMigrations, Object.fromEntries(before), oldMigrations]
const newModules = [keyringMigrations, Object.fromEntries(ofSenders), dkimMigrations]

const stamp = { date_added: 1, created_by: 'Ann', revision: 1, search_text: '' }
const key = {
  ...stamp,
  algorithm: 'rsa',
  selector: 'mailyard-202610',
  private_key: 'sealed',
  public_key: 'AAAA',
  state: 'active',
  check_at: 1,
  removable: '[]',
}
const rotation = {
  next_algorithm: 'rsa',
  next_selector: 'mailyard-202611',
  next_private_key: 'sealed next',
  next_public_key: 'BBBB',
  next_added_at: 2,
}

/** What describes the tables: columns and indexes, and on SQLite the statements that made them. */
async function describeTables(db: Kysely<unknown>, isSqlite: boolean): Promise<unknown> {
  const statement = isSqlite
    ? sql`select name, sql from sqlite_master where name like 'dkim%' or name like 'sender%' order by name`
    : sql`select indexname as name, indexdef as definition from pg_indexes
        where tablename like 'dkim%' or tablename like 'sender%' order by name`
  const { rows } = await statement.execute(db)
  const tables = await db.introspection.getTables()
  const known = tables.filter(({ name }) => /^(dkim|sender)/.test(name))
  return [rows, known.map(({ name, columns }) => [name, columns])]
}

describe('a database of before', () => {
  for (const { name, create } of testDatabases) {
    test(`keeps the keys that sign, without the next key of a rotation, on ${name}`, async (context) => {
      const [old, fresh] = [await create(), await create()]
      const open = ({ url }: typeof old) => openStorage({ url, onIdleError: () => undefined })
      const [storage, newStorage] = [open(old), open(fresh)]
      context.after(async () => {
        for (const each of [storage, newStorage]) await each.close()
        for (const each of [old, fresh]) await each.drop()
      })
      const isSqlite = (await storage.describe()).kind === 'sqlite'
      await migrate(storage, oldModules)
      const db = storage.tables<{ dkim_keys: Record<string, unknown> }>()
      await sql`create table sender_proofs (domain text)`.execute(db)
      const isPublished = isSqlite ? 1 : true
      const rows = [
        { domain: 'active.example', active_at: 5 },
        { domain: 'rotating.example', active_at: 6, ...rotation },
        { domain: 'waiting.example', active_at: null, state: 'waiting' },
        { domain: 'deleted.example', active_at: null },
      ]
      for (const row of rows)
        await db
          .insertInto('dkim_keys')
          .values({ ...key, is_published: isPublished, ...row })
          .execute()
      await db.deleteFrom('dkim_keys').where('domain', '=', 'deleted.example').execute()
      await migrate(storage, newModules)
      await migrate(newStorage, newModules)
      const kept = await db
        .selectFrom('dkim_keys')
        .select(['id', 'domain', 'selector', 'active_at'])
        .select(['private_key', 'public_key'])
        .orderBy('id')
        .execute()
      const { selector, private_key, public_key } = key
      assert.deepEqual(
        kept.map(({ id, ...row }) => ({ id: Number(id), ...row })),
        rows.slice(0, 3).map(({ domain, active_at }, index) => {
          return { id: index + 1, domain, selector, active_at, private_key, public_key }
        }),
      )
      const { state: _state, check_at: _checkAt, removable: _removable, ...columns } = key
      const another = { ...columns, domain: 'active.example', selector: 'second' }
      const inserted = await db
        .insertInto('dkim_keys')
        .values({ ...another, is_published: isSqlite ? 0 : false })
        .returning('id')
        .executeTakeFirstOrThrow()
      assert.equal(Number(inserted['id']), 5, 'an id is not given twice')
      const values = { ...another, selector: 'third', is_published: isPublished }
      await assert.rejects(db.insertInto('dkim_keys').values(values).execute())
      assert.deepEqual(
        await describeTables(storage.tables(), isSqlite),
        await describeTables(newStorage.tables(), isSqlite),
      )
    })
  }
})
