import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { sql, type Transaction } from 'kysely'
import { fillDisk } from '../../../test/full-disk.ts'
import { onEachDatabase } from '../../../test/on-each-database.ts'
import { until } from '../../../test/until.ts'
import type { TransportTables } from './table.ts'

const dayMs = 86_400_000
const grantOf = (letter: string) => letter.repeat(64)

onEachDatabase('rotated refresh tokens', { isOwn: true }, (shared) => {
  const tokens = () => shared.service.app.refreshTokens
  const db = () => shared.service.app.storage.tables<TransportTables>()
  const readRow = (grantKey: string) => {
    const rows = db().selectFrom('refresh_tokens').selectAll()
    return rows.where('grant_key', '=', grantKey).executeTakeFirstOrThrow()
  }

  test('are found by their grant; others have none', async () => {
    await tokens().save(grantOf('1'), 'token-1')
    await tokens().save(grantOf('1'), 'token-2')
    assert.equal(await tokens().find(grantOf('1')), 'token-2')
    assert.equal(await tokens().find(grantOf('0')), undefined)
  })

  test('are stored encrypted', async () => {
    const token = 'refresh-token-in-clear-text'
    await tokens().save(grantOf('2'), token)
    const { sealed_token: sealed } = await readRow(grantOf('2'))
    const [, bytes = ''] = sealed.split('.')
    assert.ok(!sealed.includes(token) && !Buffer.from(bytes, 'base64').includes(token))
    const [, path] = /^sqlite:(.*)$/.exec(shared.database.url) ?? []
    for (const file of path === undefined ? [] : [path, `${path}-wal`].filter(existsSync))
      assert.ok(!readFileSync(file).includes(token), file)
    assert.ok(!shared.service.logged.some((line) => line.includes(token)))
  })

  test('of two processes, the last save is found by both', async () => {
    const other = (await shared.openAnother()).app.refreshTokens
    await tokens().save(grantOf('4'), 'of the first')
    await other.save(grantOf('4'), 'of the second')
    assert.equal(await tokens().find(grantOf('4')), 'of the second')
    const saved = Array.from({ length: 20 }, (_, index) => `token ${index}`)
    await Promise.all(
      saved.map((token, index) => (index % 2 === 0 ? tokens() : other).save(grantOf('4'), token)),
    )
    const found = await tokens().find(grantOf('4'))
    assert.ok(saved.includes(String(found)), found)
    assert.equal(await other.find(grantOf('4')), found)
  })

  test('are encrypted again under a new data key, however many there are', async () => {
    const { keyring } = shared.service.app
    const grants = Array.from({ length: 250 }, (_, index) => `${index}`.padStart(64, '5'))
    for (const grant of grants) await tokens().save(grant, `token of ${grant}`)
    const keyId = await keyring.rotate()
    assert.deepEqual(await tokens().reseal(), [keyId])
    for (const grant of grants) {
      assert.ok((await readRow(grant)).sealed_token.startsWith(`${keyId}.`))
      assert.equal(await tokens().find(grant), `token of ${grant}`)
    }
  })

  test('are stored under the new data key where one is created between encrypting and storing', async () => {
    const { keyring, storage } = shared.service.app
    const grant = grantOf('c')
    await tokens().save(grant, 'before')
    const held = Promise.withResolvers<void>()
    const isHeld = Promise.withResolvers<void>()
    // PostgreSQL lets no other transaction write this row, SQLite none write at all.
    const holder = storage.transaction(async (tx: Transaction<TransportTables>) => {
      await tx
        .updateTable('refresh_tokens')
        .set({ rotated_at: 0 })
        .where('grant_key', '=', grant)
        .execute()
      isHeld.resolve()
      await held.promise
    })
    await isHeld.promise
    let rotated: Promise<string>
    let saved: Promise<void>
    if (storage.runsInProcess) {
      rotated = keyring.rotate()
      await setImmediate()
      saved = tokens().save(grant, 'afterwards')
      await setImmediate()
    } else {
      saved = tokens().save(grant, 'afterwards')
      await until(isInsertWaiting, 'the token is encrypted, and waits to be stored')
      rotated = keyring.rotate()
      await rotated
    }
    held.resolve()
    await Promise.all([holder, saved])
    assert.ok((await readRow(grant)).sealed_token.startsWith(`${await rotated}.`))
    assert.equal(await tokens().find(grant), 'afterwards')
  })

  const isInsertWaiting = async () => {
    const { rows } = await sql`select pid from pg_stat_activity where datname = current_database()
      and wait_event_type = 'Lock' and query like 'insert into "refresh_tokens"%'`.execute(db())
    return rows.length > 0
  }

  test('whose data key is missing count as not stored, which is logged once, and keep no other from a new key', async () => {
    const { keyring } = shared.service.app
    await tokens().save(grantOf('6'), 'lost')
    await tokens().save(grantOf('7'), 'kept')
    const { sealed_token: sealed } = await readRow(grantOf('6'))
    await db()
      .updateTable('refresh_tokens')
      .set({ sealed_token: `00000000${sealed.slice(8)}` })
      .where('grant_key', '=', grantOf('6'))
      .execute()
    assert.equal(await tokens().find(grantOf('6')), undefined)
    assert.equal(await tokens().find(grantOf('6')), undefined)
    const keyId = await keyring.rotate()
    assert.deepEqual((await tokens().reseal()).sort(), ['00000000', keyId].sort())
    assert.equal(await tokens().find(grantOf('7')), 'kept')
    const logged = shared.service.logged.filter((line) => line.includes(grantOf('6')))
    assert.equal(logged.length, 1, logged.join(''))

    await tokens().save(grantOf('6'), 'saved again')
    assert.equal(await tokens().find(grantOf('6')), 'saved again')
  })

  test('above 8 KB are refused, and the one before is kept', async () => {
    await tokens().save(grantOf('8'), 'x'.repeat(8_192))
    const tooLong = { code: 'refresh_token_too_long' }
    await assert.rejects(tokens().save(grantOf('8'), 'é'.repeat(4_097)), tooLong)
    assert.equal(await tokens().find(grantOf('8')), 'x'.repeat(8_192))
  })

  test('are not saved on a full disk: the call rejects, and the one before is found', async () => {
    await tokens().save(grantOf('9'), 'before')
    const makeSpace = await fillDisk(shared.service.app.storage)
    try {
      const saveMany = async () => {
        // More than fit into what the pages of the database have free.
        for (let count = 0; count < 500; count += 1)
          await tokens().save(`${count}`.padStart(64, '9'), 'x'.repeat(8_192))
      }
      await assert.rejects(saveMany(), { kind: 'upstream' })
      assert.equal(await tokens().find(grantOf('9')), 'before')
    } finally {
      await makeSpace()
    }
    await tokens().save(grantOf('9'), 'afterwards')
    assert.equal(await tokens().find(grantOf('9')), 'afterwards')
  })

  test('are deleted 400 days after they were stored, unless they were replaced', async () => {
    await db().deleteFrom('refresh_tokens').execute()
    await tokens().save(grantOf('a'), 'old')
    await tokens().save(grantOf('b'), 'old')
    shared.clock.advance(2 * dayMs)
    await tokens().save(grantOf('b'), 'replaced')
    shared.clock.advance(397 * dayMs)
    assert.equal(await tokens().prune(), 0)
    shared.clock.advance(2 * dayMs)
    // As at each start, and once an hour.
    await (await shared.openAnother()).app.refreshTokens.pruning.idle()
    assert.equal(await tokens().find(grantOf('a')), undefined)
    assert.equal(await tokens().find(grantOf('b')), 'replaced')
  })

  test('beyond the newest 10,000 are deleted, the oldest first', async () => {
    await db().deleteFrom('refresh_tokens').execute()
    const now = shared.clock.now()
    const all = Array.from({ length: 10_250 }, (_, index) => ({
      grant_key: `${index}`.padStart(64, 'd'),
      sealed_token: 'sealed',
      rotated_at: now - index,
    }))
    for (let start = 0; start < all.length; start += 1_000)
      await db()
        .insertInto('refresh_tokens')
        .values(all.slice(start, start + 1_000))
        .execute()
    assert.equal(await tokens().prune(), 100)
    const oldest = db().selectFrom('refresh_tokens').select('rotated_at').orderBy('rotated_at')
    assert.equal((await oldest.executeTakeFirst())?.rotated_at, now - 10_149)
    await tokens().prune()
    assert.equal(await tokens().prune(), 50)
    assert.equal((await oldest.executeTakeFirst())?.rotated_at, now - 9_999)
    assert.equal(await tokens().prune(), 0)
  })
})
