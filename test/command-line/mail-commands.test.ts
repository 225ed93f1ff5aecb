import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, describe, test } from 'node:test'
import { adminPassword } from '../administrator.ts'
import { createFolder, type MailyardProcess, startMailyard } from '../mailyard-process.ts'
import { ask } from '../processes/client.ts'
import { runMailyard } from '../run-mailyard.ts'

const { folder, remove } = createFolder()
let service: MailyardProcess

before(async () => {
  service = await startMailyard({ folder, env: { MAILYARD_ADMIN_PASSWORD: adminPassword } })
  const dsns = ['inbox://local', 'smtp://user:S3cret@127.0.0.1:1', 'null://null']
  for (const [index, mailerDsn] of dsns.entries())
    await post('/api/multipleTransports/new', {
      name: index === 2 ? 'First' : `Box ${index}`,
      mailerDsn,
    })
  await post('/api/multipleTransport/transportEmail/1', { transportId: 1 })
  await post('/api/contacts/new', { email: 'jane@example.com' })
  await post('/api/emails/1/contact/1/send', {})
})
after(async () => {
  await service.stop()
  remove()
})

describe('while a server runs', { timeout: 120_000 }, () => {
  test('role list, transport list, delivery list and broadcast list show tables and JSON', async () => {
    const roles = await run('role', 'list', '--json')
    assert.equal(JSON.parse(roles.stdout)[0].id, 1)
    const transports = await run('transport', 'list')
    assert.match(
      transports.stdout,
      /^id +name +isPublished +mailerDsn +description\n1 +Box 0 +true +inbox:\/\/local/,
    )
    assert.doesNotMatch(transports.stdout, /S3cret/)
    const [delivery] = JSON.parse((await run('delivery', 'list', '--json')).stdout)
    assert.deepEqual([delivery.recipient, delivery.outcome], ['jane@example.com', 'accepted'])
    const refused = await run('delivery', 'list', '--outcome', 'refused', '--limit', '5')
    assert.equal(refused.stdout, 'None. All deliveries: ./mailyard delivery list\n')
    const wrong = await run('delivery', 'list', '--outcome', 'lost')
    assert.equal(wrong.code, 2)
    assert.match(wrong.stderr, /--outcome "lost" must be one of/)
  })

  test('an empty list says so, and how to get the first entry', async () => {
    const lists = {
      client: /^None\. Add one with: \.\/mailyard client add NAME\n$/,
      broadcast: /^None\. Start one in the console, or with: api emails\/1\/send /,
      mautic: /^None\. Connect one with: \.\/mailyard mautic connect https:/,
      queue: /^None\. No message waits: .* \.\/mailyard delivery list\n$/,
    }
    for (const [name, shown] of Object.entries(lists)) {
      assert.match((await run(name, 'list')).stdout, shown)
      assert.deepEqual(JSON.parse((await run(name, 'list', '--json')).stdout), [])
    }
    assert.match((await run('suppression', 'list')).stdout, /^None\. Add one in the console, /)
    assert.match((await run('queue', 'brakes')).stdout, /^None\. .* \.\/mailyard queue list\n$/)
    const filtered = await run('queue', 'list', '--lane', 'bulk')
    assert.equal(filtered.stdout, 'None. Everything that is queued: ./mailyard queue list\n')
  })

  test('suppressions are listed with what found them, and undone by it; brakes are continued and cancelled', async () => {
    const database = new DatabaseSync(join(folder, 'data/mailyard.db'))
    await post('/api/suppressions/new', { address: 'ann@example.net', reason: 'bounced' })
    const evidence = 'transport_id = 2, broadcast_id = 7, delivery_id = 9'
    database.exec(`update suppressions set ${evidence} where address = 'ann@example.net'`)
    database.exec(`insert into queue_brakes (id, sender_domain, transport_id, braked_at, counted_at)
      values (1, 'a.test', 1, 1, 1), (2, 'b.test', 1, 1, 1)`)
    database.close()
    const [found] = JSON.parse(
      (await run('suppression', 'list', '--transport', '2', '--json')).stdout,
    )
    assert.deepEqual(
      [found.address, found.broadcastId, found.deliveryId],
      ['ann@example.net', 7, 9],
    )
    assert.equal((await run('suppression', 'undo')).code, 2)
    const tried = await run('suppression', 'undo', '--broadcast', '7', '--dry-run')
    assert.equal(tried.stdout, 'Would undo: 1.\n')
    assert.equal(
      (await run('suppression', 'undo', '--transport', 'default')).stdout,
      'Undone: 0.\n',
    )
    assert.equal((await run('suppression', 'undo', '--broadcast', '7')).stdout, 'Undone: 1.\n')
    assert.match((await run('queue', 'brakes')).stdout, /b\.test +Box 0 +0 /)
    assert.equal((await run('queue', 'brakes', 'continue', '1')).stdout, 'Released: 0.\n')
    assert.equal((await run('queue', 'brakes', 'cancel', '2')).stdout, 'Cancelled: 0.\n')
    assert.equal((await run('queue', 'brakes', 'continue', '1')).code, 3)
  })

  test('transport test prints each step, by id or name, and exits with 5 where it fails', async () => {
    const passed = await run('transport', 'test', 'Box 0', '--to', 'ann@example.com')
    assert.equal(passed.code, 0, passed.stderr)
    assert.match(passed.stdout, /ok +data .*\nCaptured, not sent: \/api\/inbox\/\d+\.\n$/)
    const failed = await run('transport', 'test', '2', '--json')
    assert.equal(failed.code, 5)
    assert.equal(JSON.parse(failed.stdout).success, false)
    assert.equal((await run('transport', 'test', 'Nothing')).code, 3)
  })

  test('doctor sees that Mailyard holds the ports, and that another program does', async (t) => {
    const ports = {
      MAILYARD_PORT: String(service.port),
      MAILYARD_SMTP_PORT: String(service.smtpPort),
    }
    const held = await run('doctor', ports)
    assert.equal(held.code, 0, held.stdout)
    assert.match(held.stdout, /ok {3}API port: .* used by a running Mailyard/)
    assert.match(held.stdout, /ok {3}SMTP port: .* used by a running Mailyard/)
    assert.match(held.stdout, /default transport: none/)
    const other = createServer().listen(0, '127.0.0.1')
    t.after(() => other.close())
    await once(other, 'listening')
    const { port } = other.address() as AddressInfo
    const taken = await run('doctor', { MAILYARD_PORT: String(port), MAILYARD_SMTP_PORT: '0' })
    assert.equal(taken.code, 1)
    assert.match(taken.stdout, /FAIL API port: .* in use\n.*set MAILYARD_PORT/)
  })

  test('doctor names transports whose DSN cannot be read, and counts uncertain deliveries', async () => {
    const database = new DatabaseSync(join(folder, 'data/mailyard.db'))
    database.exec(`update transports set mailer_dsn = '00000000.AAAA' where id = 3`)
    database.exec(`update deliveries set outcome = 'uncertain'`)
    database.close()
    const { code, stdout } = await run('doctor', { MAILYARD_PORT: '0', MAILYARD_SMTP_PORT: '0' })
    assert.equal(code, 1)
    assert.match(stdout, /FAIL DSNs: 1 cannot be read: transport 3 \(First\)/)
    assert.match(stdout, /uncertain deliveries: 1:/)
  })

  test('secrets rewrap warns that the running server has to be restarted', async () => {
    const { code, stdout, stderr } = await run('secrets', 'rewrap')
    assert.equal(code, 0, stderr)
    assert.match(stderr, /A Mailyard serves this database\. Restart it/)
    assert.match(stdout, /Restart every process/)
  })
})

function run(...args: (string | Record<string, string>)[]) {
  const env = args.find((each) => typeof each === 'object') ?? {}
  return runMailyard(
    args.filter((each) => typeof each === 'string'),
    { folder, env },
  )
}

async function post(path: string, body: object): Promise<void> {
  const { status } = await ask(service, path, { method: 'POST', body })
  assert.ok(status < 300, `${path}: ${status}`)
}
