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
  test('role list, transport list and delivery list show tables and JSON', async () => {
    const roles = await run('role', 'list', '--json')
    assert.equal(JSON.parse(roles.stdout)[0].id, 1)
    const transports = await run('transport', 'list')
    assert.match(
      transports.stdout,
      /^ID +Name +Published +DSN +Description\n1 +Box 0 +yes +inbox:\/\/local/,
    )
    assert.doesNotMatch(transports.stdout, /S3cret/)
    const [delivery] = JSON.parse((await run('delivery', 'list', '--json')).stdout)
    assert.deepEqual([delivery.recipient, delivery.outcome], ['jane@example.com', 'accepted'])
    const refused = await run('delivery', 'list', '--outcome', 'refused', '--limit', '5')
    assert.equal(refused.stdout, 'No delivery matches. All deliveries: ./mailyard delivery list\n')
    const wrong = await run('delivery', 'list', '--outcome', 'lost')
    assert.equal(wrong.code, 2)
    assert.match(wrong.stderr, /--outcome "lost" must be one of/)
  })

  test('emails, templates, contacts, limits, DKIM keys and users are listed and shown, by their ids or names', async () => {
    await post('/api/twigTemplates/new', { name: 'footer', template: 'Example Ltd\n{{ 1 }}\n' })
    await post('/api/limits/new', { name: 'SES', perDay: 300, transports: [1] })
    await post('/api/dkimKeys/new', { domain: 'bücher.example', algorithm: 'ed25519' })
    const shown: Record<string, [string, RegExp]> = {
      email: [
        'sample EMAIL',
        /^ID +1\nName +Sample email\nSubject +Hello [\s\S]*\n\nHello \{contactfield=/,
      ],
      template: ['footer', /\nName +footer\n[\s\S]*\n\nExample Ltd\n\{\{ 1 \}\}\n$/],
      contact: ['jane@example.com', /\nAddress +jane@example\.com\n/],
      limit: ['ses', /\nUsed +0 of 300 per day\n/],
      dkim: [
        'xn--bcher-kva.example',
        /\nActive +no\n[\s\S]*\nRecord value +v=DKIM1; k=ed25519; p=[\w+/]{43}=\n/,
      ],
      user: ['admin', /\nRole +Administrator\n/],
      role: ['Administrator', /\nAdministrator +yes\n/],
      transport: ['Box 1', /\nDSN +smtp:\/\/user:\*{8}@127\.0\.0\.1:1\n/],
    }
    for (const [name, [text, expected]] of Object.entries(shown)) {
      const byName = await run(name, 'show', text)
      assert.match(byName.stdout, expected, byName.stderr)
      const { id } = JSON.parse((await run(name, 'show', text, '--json')).stdout)
      assert.equal((await run(name, 'show', String(id))).stdout, byName.stdout)
      const [listed, ...others] = JSON.parse(
        (await run(name, 'list', '--search', text, '--json')).stdout,
      )
      assert.deepEqual([listed.id, others], [id, []], name)
      const missing = await run(name, 'show', 'nothing')
      assert.equal(missing.code, 3)
      assert.match(missing.stderr, new RegExp(`"nothing" was not found\\. .*${name} list.* lists`))
    }
    const published = await run('transport', 'list', '--published', '--search', 'box', '--json')
    assert.equal(JSON.parse(published.stdout).length, 2)
  })

  test('captured messages, assignments and a delivery are shown to people', async () => {
    const inbox = await run('inbox', 'list', '--transport', 'Box 0')
    assert.match(inbox.stdout, /^ID +Captured +Transport .*\n1 .* jane@example\.com +Hello/)
    const message = await run('inbox', 'show', '1')
    assert.match(message.stdout, /\nRecipients +jane@example\.com\n[\s\S]*\n\nHello there,\n/)
    assert.equal((await run('inbox', 'show', '99')).code, 3)
    const emails = await run('assignment', 'list', '--transport', 'Box 0')
    assert.match(emails.stdout, /\n1 +Sample email +Box 0 +no\n$/)
    assert.match((await run('assignment', 'list', '--users')).stdout, /\n1 +admin +default\n$/)
    const delivery = await run('delivery', 'show', '1')
    assert.match(
      delivery.stdout,
      /\nRecipient +jane@example\.com\n[\s\S]*\nRoute +Transport +Outcome/,
    )
    assert.equal((await run('delivery', 'show', '99')).code, 3)
  })

  test('filters take names as they take ids, and a name of several is refused with their ids', async () => {
    const deliveries = async (...filters: string[]) =>
      JSON.parse((await run('delivery', 'list', '--json', ...filters)).stdout).length
    const byName = [
      '--transport',
      'box 0',
      '--email',
      'Sample email',
      '--contact',
      'jane@example.com',
    ]
    assert.equal(await deliveries(...byName), 1)
    assert.equal(await deliveries('--transport', 'First'), 0)
    for (const command of [
      ['queue', 'list'],
      ['queue', 'hold'],
      ['suppression', 'list'],
      ['suppression', 'undo'],
      ['inbox', 'list'],
    ]) {
      assert.notEqual((await run(...command, '--transport', 'Box 0', '--json')).code, 3)
      const missing = await run(...command, '--transport', 'nope')
      assert.equal(missing.code, 3, command.join(' '))
      assert.match(missing.stderr, /^Transport "nope" was not found\. `.*transport list`/)
    }
    await post('/api/multipleTransports/new', { name: 'FIRST', mailerDsn: 'null://null' })
    const several = await run('queue', 'hold', '--transport', 'first')
    assert.equal(several.code, 4)
    assert.match(
      several.stderr,
      /^Two transports are named "first" \(ids 3, 4\)\. Use the id of one/,
    )
    assert.equal((await run('queue', 'hold', '--transport', '99')).stdout, 'Held: 0.\n')
    await post('/api/emails/new', { name: '2026', subject: 'Hello', plainText: 'Hello' })
    const [{ id }] = JSON.parse((await run('email', 'list', '--search', '2026', '--json')).stdout)
    assert.equal(await deliveries('--email', '2026'), 0)
    // The first transport is held by now.
    await post(`/api/multipleTransport/transportEmail/${id}`, { transportId: 4 })
    await post(`/api/emails/${id}/contact/1/send`, {})
    assert.equal(await deliveries('--email', '2026'), 1, 'a number without a record is a name')
    await post('/api/emails/new', { name: String(id), subject: 'Hello' })
    const ambiguous = await run('delivery', 'list', '--email', String(id))
    assert.equal(ambiguous.code, 4)
    assert.match(ambiguous.stderr, /is the id of the email "2026", and the name of another one/)
  })

  test('a terminal gets tables of its width, and a bar while secrets are encrypted again', async () => {
    const terminal = { folder, columns: 60 }
    const { stdout } = await runMailyard(['transport', 'list'], terminal)
    for (const line of stdout.split('\n')) assert.ok(line.length <= 60, line)
    const cut = await runMailyard(['delivery', 'list', '--limit', '1'], terminal)
    assert.match(cut.stdout, /\n\nThe first 1 are shown; --limit 10 shows more\.\n$/)
    const rotated = await runMailyard(['secrets', 'rotate'], terminal)
    assert.match(rotated.stderr, /^\rEncrypting again {2}░+ {2}0 of 8/)
    assert.ok(rotated.stderr.endsWith('\r\u001b[K'), 'the bar is removed at the end')
    assert.match(rotated.stdout, /^Every secret is now encrypted/)
    assert.equal((await run('secrets', 'rotate')).stderr, '')
  })

  test('an empty list says so, and how to get the first entry', async () => {
    const lists = {
      client: /^No client yet\. Add one with: \.\/mailyard client add NAME\n$/,
      mautic: /^No Mautic yet\. Connect one with: \.\/mailyard mautic connect https:/,
      queue: /^Nothing is queued: .* \.\/mailyard delivery list\n$/,
    }
    for (const [name, shown] of Object.entries(lists)) {
      assert.match((await run(name, 'list')).stdout, shown)
      assert.deepEqual(JSON.parse((await run(name, 'list', '--json')).stdout), [])
    }
    assert.match(
      (await run('suppression', 'list')).stdout,
      /^No suppression yet\. Create one in the console, /,
    )
    assert.match(
      (await run('queue', 'brakes')).stdout,
      /^No brake holds messages\. .* \.\/mailyard queue list\n$/,
    )
    const filtered = await run('queue', 'list', '--lane', 'bulk')
    assert.equal(
      filtered.stdout,
      'No queued message matches. Everything that is queued: ./mailyard queue list\n',
    )
  })

  test('suppressions are listed with what found them, and undone by it; brakes are continued and cancelled', async () => {
    const database = new DatabaseSync(join(folder, 'data/mailyard.db'), { timeout: 5_000 })
    await post('/api/suppressions/new', { address: 'ann@example.net', reason: 'bounced' })
    const evidence = 'transport_id = 2, delivery_id = 9'
    database.exec(`update suppressions set ${evidence} where address = 'ann@example.net'`)
    database.exec(`insert into queue_brakes (id, sender_domain, transport_id, braked_at, counted_at)
      values (1, 'a.test', 1, 1, 1), (2, 'b.test', 1, 1, 1)`)
    database.close()
    const [found] = JSON.parse(
      (await run('suppression', 'list', '--transport', '2', '--json')).stdout,
    )
    assert.deepEqual([found.address, found.deliveryId], ['ann@example.net', 9])
    assert.equal((await run('suppression', 'undo')).code, 2)
    const tried = await run('suppression', 'undo', '--transport', '2', '--dry-run')
    assert.equal(tried.stdout, 'Would undo: 1.\n')
    assert.equal(
      (await run('suppression', 'undo', '--transport', 'default')).stdout,
      'Undone: 0.\n',
    )
    assert.equal((await run('suppression', 'undo', '--transport', '2')).stdout, 'Undone: 1.\n')
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
    assert.match(held.stdout, /default transport: There is none/)
    const other = createServer().listen(0, '127.0.0.1')
    t.after(() => other.close())
    await once(other, 'listening')
    const { port } = other.address() as AddressInfo
    const taken = await run('doctor', { MAILYARD_PORT: String(port), MAILYARD_SMTP_PORT: '0' })
    assert.equal(taken.code, 1)
    assert.match(taken.stdout, /FAIL API port: .* in use\.\n.*set MAILYARD_PORT/)
  })

  test('doctor names transports whose DSN cannot be read, and counts uncertain deliveries', async () => {
    const database = new DatabaseSync(join(folder, 'data/mailyard.db'), { timeout: 5_000 })
    database.exec(`update transports set mailer_dsn = '00000000.AAAA' where id = 3`)
    database.exec(`update deliveries set outcome = 'uncertain' where id = 1`)
    database.close()
    const { code, stdout } = await run('doctor', { MAILYARD_PORT: '0', MAILYARD_SMTP_PORT: '0' })
    assert.equal(code, 1)
    assert.match(stdout, /FAIL DSNs: 1 cannot be read: transport 3 \(First\)/)
    assert.match(stdout, /uncertain deliveries: 1 may have arrived/)
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
