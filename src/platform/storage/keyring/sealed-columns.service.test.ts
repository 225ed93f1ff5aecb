import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { sql } from 'kysely'
import { onMailyard } from '../../../../test/on-each-database.ts'
import { SealedColumns } from './sealed-columns.ts'

interface AccountRow {
  owner: number
  name: string
  password: string | null
  token: string | null
}

onMailyard('encrypted columns', { isStarted: false }, (shared) => {
  const db = () => shared.service.app.storage.tables<{ accounts: AccountRow }>()
  const columns = () =>
    new SealedColumns({
      storage: shared.service.app.storage,
      keyring: shared.service.app.keyring,
      table: 'accounts',
      keyColumns: ['owner', 'name'],
      columns: ['password', 'token'],
    })
  before(async () => {
    await sql`create table accounts (owner bigint not null, name text not null, password text, token text,
        primary key (owner, name))`.execute(db())
  })
  const listAll = () =>
    db().selectFrom('accounts').selectAll().orderBy('owner').orderBy('name').execute()

  test('are encrypted again page by page, and those whose key is missing stay as they are', async () => {
    const { keyring } = shared.service.app
    const rows = await Promise.all(
      Array.from({ length: 450 }, async (_, index) => ({
        owner: Math.floor(index / 3),
        name: `n${index % 3}`,
        password: (await columns().seal('password', `password ${index}`)).text,
        token: index % 2 === 0 ? null : (await columns().seal('token', `token ${index}`)).text,
      })),
    )
    const lost = '00000000.bG9zdA=='
    rows[7] = { owner: 2, name: 'n1', password: lost, token: null }
    await db().insertInto('accounts').values(rows).execute()
    const sealed = await columns().seal('token', 'a token')
    const keyId = await keyring.rotate()
    assert.equal(await sealed.isCurrent(db()), false)
    assert.deepEqual((await columns().reseal()).sort(), ['00000000', keyId].sort())
    const opened = await Promise.all(
      (await listAll()).map(async (row) => [
        await columns().open(row, 'password'),
        await columns().open(row, 'token'),
      ]),
    )
    const expected = rows.map((_, index) => [
      index === 7 ? undefined : `password ${index}`,
      index % 2 === 0 || index === 7 ? null : `token ${index}`,
    ])
    assert.deepEqual(opened, expected)
  })
})
