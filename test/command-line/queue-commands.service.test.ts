import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, describe, test } from 'node:test'
import { defaultIntervals } from '../../src/core/delivery/intervals.ts'
import { RefreshTokens } from '../../src/core/transports/index.ts'
import { systemClock } from '../../src/kit/clock.ts'
import { createLog } from '../../src/kit/log.ts'
import { openKeyring, openStorage } from '../../src/platform/storage/index.ts'
import { createFolder } from '../mailyard-process.ts'
import { runMailyard } from '../run-mailyard.ts'

const { folder, remove } = createFolder()
const hourMs = 3_600_000

before(async () => {
  assert.equal((await run('migrate')).code, 0)
})
after(remove)

function run(...args: string[]) {
  return runMailyard(args, { folder })
}

/** Runs statements on the database, as another process would; returns the rows of the last one. */
function query(...statements: string[]): Record<string, unknown>[] {
  const database = new DatabaseSync(join(folder, 'data/mailyard.db'))
  try {
    return statements.map((statement) => database.prepare(statement).all()).at(-1) ?? []
  } finally {
    database.close()
  }
}

/** Puts one message with these recipients, by id, into the queue; it is due in an hour. */
function fillQueue(recipients: Record<number, string>, keyId = 'none'): void {
  const now = Date.now()
  query(
    'delete from queue_recipients',
    'delete from queue_messages',
    `insert into queue_messages (id, created_at, expires_at, lane, caller, submitter, sender, size_bytes, key_id, body)
      values (1, ${now}, ${now + 24 * hourMs}, 'bulk', 'admin', '{}', 'shop@a.test', 9, '${keyId}', x'00')`,
    ...Object.entries(recipients).map(
      ([id, address]) => `insert into queue_recipients
        (id, message_id, address, address_key, state, lane, transport_id, due_at, created_at, attempts, message_key)
        values (${id}, 1, '${address}', '${address}', 'queued', 'bulk', -1, ${now + hourMs}, ${now}, 0, 'k${id}')`,
    ),
  )
}

describe('the commands of the queue', { timeout: 120_000 }, () => {
  test('an id, or filters, choose what is held, released, retried and cancelled', async () => {
    fillQueue({ 1: 'ann@a.test', 2: 'bob@b.test' })
    const states = () =>
      query('select state from queue_recipients order by id').map(({ state }) => state)
    const change = async (...args: string[]) => {
      const { code, stdout, stderr } = await run('queue', ...args, '--json')
      assert.equal(code, 0, stdout + stderr)
      return JSON.parse(stdout)
    }
    const all = { changed: 2, skipped: 0, next: null }
    assert.deepEqual(await change('cancel', '--all', '--dry-run'), all)
    assert.equal((await change('hold', '1')).message.state, 'held')
    assert.deepEqual(states(), ['held', 'queued'])
    assert.deepEqual(await change('release', '--all'), { changed: 1, skipped: 1, next: null })
    assert.deepEqual(await change('retry', '--lane', 'bulk'), all)
    await change('cancel', '1')
    const [delivery] = query('select recipient, outcome, reason from deliveries')
    assert.deepEqual(
      { ...delivery },
      { recipient: 'ann@a.test', outcome: 'cancelled', reason: 'Cancelled by Operator.' },
    )
    assert.equal((await run('queue', 'cancel', '77')).code, 3)
    for (const args of [[], ['1', '--all'], ['--recipient', '']])
      assert.equal((await run('queue', 'cancel', ...args)).code, 2, args.join())
    assert.deepEqual(states(), ['queued'])
  })

  test('a Mautic is a filter by its name, and by its id also once it is deleted', async () => {
    fillQueue({ 1: 'ann@a.test', 2: 'bob@b.test' })
    query(
      `insert into queue_messages (id, created_at, expires_at, lane, caller, submitter, sender, size_bytes, key_id, body, mautic_id)
        select 2, created_at, expires_at, lane, caller, submitter, sender, size_bytes, key_id, body, 7 from queue_messages`,
      'update queue_recipients set message_id = 2 where id = 2',
      `insert into mautics (id, is_published, date_added, revision, search_text, name, url, username, secret, hosts, role_map,
          is_reporting, smtp_login, smtp_password_hash)
        values (7, 1, 0, 1, 'brand', 'brand', 'https://brand.test', 'u', '', '[]', '{}', 1, 'login', '')`,
    )
    const listed = await run('queue', 'list', '--mautic', 'brand')
    assert.match(listed.stdout, /^id +.*\n2 +bob@b\.test .*\n$/)
    assert.match((await run('queue', 'hold', '--mautic', 'brand')).stdout, /^changed: +1\n/)
    assert.equal((await run('queue', 'cancel', '--mautic', 'bland')).code, 3)
    // The emails of a Mautic have no names here.
    assert.equal((await run('queue', 'cancel', '--mautic', 'brand', '--email-id', 'x')).code, 2)
    query('delete from mautics')
    assert.match((await run('queue', 'cancel', '--mautic', '7')).stdout, /^changed: +1\n/)
    assert.deepEqual(
      query('select id from queue_recipients').map(({ id }) => id),
      [1],
    )
  })

  test('hold covers what a process was about to send that has ended', async () => {
    fillQueue({ 1: 'ann@a.test', 2: 'bob@b.test', 3: 'cid@c.test' })
    const seenAt = Date.now() + hourMs
    query(
      `insert into delivery_processes (id, started_at, seen_at) values ('ended', 1, 1), ('running', 1, ${seenAt})`,
      // A clock that is ahead is set back. However slow this machine is, the process has been seen a moment ago.
      `create trigger beats after update on delivery_processes when new.id = 'running' begin
        update delivery_processes set seen_at = ${seenAt} where id = 'running';
      end`,
      `update queue_recipients set state = 'claimed', claimed_by = case when id = 3 then 'running' else 'ended' end`,
      `insert into deliveries (id, started_at, source, caller, recipient, recipient_key, transport_id, outcome, process_id, sender, trace)
        values (99, 1, 'smtp', 'admin', 'bob@b.test', 'bob@b.test', -1, 'started', 'ended', '', '[]')`,
      `insert into delivery_keys (key, kind, delivery_id, started_at) values ('k2', 'message', 99, 1)`,
    )
    const states = () =>
      query('select state from queue_recipients order by id').map(({ state }) => state)
    assert.equal((await run('queue', 'hold', '--all', '--dry-run')).code, 0)
    assert.deepEqual(states(), ['claimed', 'claimed', 'claimed'], 'a dry run changes nothing')
    const { stdout } = await runMailyard(['queue', 'hold', '--all', '--json'], {
      folder,
      intervals: { ...defaultIntervals, expireAfterMs: 1_000 },
    })
    assert.deepEqual(JSON.parse(stdout), { changed: 1, skipped: 2, next: null })
    query('drop trigger beats')
    // The second was attempted: it may have arrived. The third is being sent.
    assert.deepEqual(states(), ['held', 'uncertain', 'claimed'])
    assert.deepEqual(
      { ...query('select outcome from deliveries where id = 99')[0] },
      { outcome: 'uncertain' },
    )
  })

  test('secrets rotate keeps the key of a queued message', async () => {
    const [current] = query('select id from data_keys where retired_at is null')
    fillQueue({ 1: 'ann@a.test' }, String(current?.['id']))
    assert.equal((await run('secrets', 'rotate')).code, 0)
    query('update data_keys set retired_at = 1 where retired_at is not null')
    assert.equal((await run('secrets', 'rotate')).code, 0)
    const keys = () => query('select id from data_keys').map(({ id }) => id)
    assert.ok(keys().includes(current?.['id']))
    query('delete from queue_recipients', 'delete from queue_messages')
    assert.equal((await run('secrets', 'rotate')).code, 0)
    assert.ok(!keys().includes(current?.['id']))
  })

  test('secrets rotate encrypts rotated refresh tokens again, and deletes their old key', async () => {
    const storage = openStorage({
      url: `sqlite:${join(folder, 'data/mailyard.db')}`,
      onIdleError: () => undefined,
    })
    try {
      const secretKey = readFileSync(join(folder, 'data/mailyard.key'), 'utf8').trim()
      const keyring = await openKeyring({ storage, secretKey, clock: systemClock })
      const log = createLog('silent')
      const tokens = new RefreshTokens({ storage, keyring, clock: systemClock, log })
      const grantKey = 'a'.repeat(64)
      await tokens.save(grantKey, 'token')
      const [before] = query('select substr(sealed_token, 1, 8) as id from refresh_tokens')
      assert.equal((await run('secrets', 'rotate')).code, 0)
      query('update data_keys set retired_at = 1 where retired_at is not null')
      assert.equal((await run('secrets', 'rotate')).code, 0)
      const keys = query('select id from data_keys').map(({ id }) => id)
      assert.ok(!keys.includes(before?.['id']))
      assert.equal(await tokens.find(grantKey), 'token')
    } finally {
      await storage.close()
    }
  })
})
