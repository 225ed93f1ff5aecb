import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { after, before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { emptyDelivery } from '../../src/delivery/log/delivery-row.ts'
import type { DeliveryTables } from '../../src/delivery/table.ts'
import { needsBrowser } from '../browser/launch.ts'
import { addEmail, addTransport, addUser } from '../callers.ts'
import { type MailServer, openMailServer } from '../mail-server.ts'
import { addQueued } from '../queue/test-queue.ts'
import type { TestBody } from '../test-app.ts'
import { until } from '../until.ts'
import { assertAccessible, openTestConsole, type TestConsole } from './test-console.ts'

const login = { username: 'shop', password: 'tr0ub4dor' }
const failover = 'Failover: the next member when one fails'

describe('transports in the console', needsBrowser, () => {
  let console: TestConsole
  let server: MailServer
  before(async () => {
    server = await openMailServer({ login })
    console = await openTestConsole()
  })
  after(async () => {
    await console?.close()
    await server?.close()
  })
  const dsnOf = (password = login.password) =>
    `smtp://${login.username}:${password}@127.0.0.1:${server.port}`
  const readTransport = async (id: number): Promise<TestBody> =>
    (await console.service.ask('GET', `/api/multipleTransports/${id}`)).body
  const testFrom = async (page: Page) => {
    await page.getByLabel('To', { exact: true }).fill('admin@example.com')
    await page.getByRole('button', { name: 'Send a test' }).click()
    return page.getByRole('region', { name: 'Test', exact: true })
  }

  test('a first transport is typed in, tested through a real server, saved and published', async () => {
    const page = await console.open('/transports')
    await page.getByText('No transport yet.').waitFor()
    await assertAccessible(page)
    await page.getByRole('link', { name: 'Add a transport' }).first().click()
    await page.getByLabel('Name', { exact: true }).fill('Brand A')
    await page.getByLabel('Provider').selectOption({ label: 'SMTP server' })
    await page.getByLabel('Server', { exact: true }).fill('127.0.0.1')
    await page.getByLabel('Port', { exact: true }).fill(String(server.port))
    await page.getByLabel('User name', { exact: true }).fill(login.username)
    await page.getByLabel('Password', { exact: true }).fill(login.password)
    await page.getByLabel('Sender of test messages').fill('shop@example.com')
    const result = await testFrom(page)
    await result.getByRole('listitem').filter({ hasText: 'Message' }).getByText('Passed').waitFor()
    assert.deepEqual(
      server.received.map(({ from, to, username }) => ({ from, to, username })),
      [{ from: 'shop@example.com', to: ['admin@example.com'], username: login.username }],
    )
    await assertAccessible(page)
    await page.getByRole('button', { name: 'Test and save' }).click()
    await page.getByRole('heading', { name: 'Brand A' }).waitFor()
    const saved = await readTransport(1)
    assert.deepEqual([saved.name, saved.isPublished], ['Brand A', true])
    assert.equal(saved.mailerDsn.startsWith('smtp://'), true)
    await result
      .getByRole('paragraph')
      .filter({ hasText: 'Last test' })
      .getByText('Passed')
      .waitFor()
    assert.deepEqual(server.received[1]?.to, ['admin@localhost'])
    await testFrom(page)
    await result.getByRole('listitem').filter({ hasText: 'Message' }).getByText('Passed').waitFor()
    assert.equal(server.received.length, 3)
    await page.goto(`${console.url}/transports`)
    await page.getByRole('row', { name: /Brand A.*Published.*Passed/ }).waitFor()
    await assertAccessible(page)
  })

  test('a test of what is saved is the last test, and a failed one shows its reason', async () => {
    const page = await console.open('/transports/new')
    await page.getByLabel('Name', { exact: true }).fill('Tested')
    await page.getByRole('textbox', { name: 'DSN' }).fill(dsnOf())
    const result = await testFrom(page)
    await result.getByRole('listitem').filter({ hasText: 'Message' }).getByText('Passed').waitFor()
    await page.getByRole('button', { name: 'Save without a test' }).click()
    await page.getByRole('heading', { name: 'Tested' }).waitFor()
    const last = result.getByRole('paragraph').filter({ hasText: 'Last test' })
    await last.getByText('Not tested').waitFor()
    await testFrom(page)
    await last.getByText('Passed').waitFor()
    await page.getByLabel('Password', { exact: true }).fill('wrong')
    await page.getByText(`Connects to 127.0.0.1:${server.port}.`).waitFor()
    await page.getByRole('button', { name: 'Save without a test' }).click()
    await last.getByText('Not tested').waitFor()
    await testFrom(page)
    await last.getByText('Failed').waitFor()
    await page.reload()
    await result.getByText('Log in: ').waitFor()
    await assertAccessible(page)
  })

  test('a transport shows its share of accepted messages, and its most frequent faults', async () => {
    const { id } = await addTransport(console.service, { mailerDsn: 'null://null' })
    const start = { source: 'api' as const, caller: 'tests', startedAt: Date.now(), processId: 'x' }
    const row = { ...emptyDelivery(start), transport_id: id, transport: 'T', recipient: 'a@b.test' }
    const reason = (address: string) => `The server refused <${address}>: 550 5.1.1 unknown.`
    const rows = [
      { ...row, outcome: 'accepted' as const },
      { ...row, outcome: 'accepted' as const },
      { ...row, outcome: 'refused' as const, reason: reason('ann@example.com') },
      { ...row, outcome: 'refused' as const, reason: reason('bob@example.com') },
    ]
    const db = console.service.app.storage.tables<DeliveryTables>()
    await db.insertInto('deliveries').values(rows).execute()
    const page = await console.open(`/transports/${id}`)
    const day = page.getByRole('region', { name: 'Last 24 hours' })
    await day.getByText('50 % accepted').waitFor()
    await day.getByText('of 4 attempts').waitFor()
    await day.getByText('The server refused …: 550 5.1.1 unknown.').waitFor()
    await day.getByText('2 times, last').waitFor()
    await assertAccessible(page)
    await page.goto(`${console.url}/transports`)
    await page.getByRole('row', { name: /50 % accepted/ }).waitFor()
  })

  test('the fields and the DSN follow each other', async () => {
    const page = await console.open('/transports/new')
    const dsn = page.getByRole('textbox', { name: 'DSN' })
    await dsn.fill('smtp://shop:p%40ss@mail.example.com:2525')
    await page.getByText('Connects to mail.example.com:2525.').waitFor()
    assert.equal(await page.getByLabel('Server', { exact: true }).inputValue(), 'mail.example.com')
    assert.equal(await page.getByLabel('Port', { exact: true }).inputValue(), '2525')
    assert.equal(await page.getByLabel('Password', { exact: true }).inputValue(), 'p@ss')
    await page.getByLabel('Server', { exact: true }).fill('other.example.com')
    await page.getByLabel('Require encryption').check()
    await page.getByText(/Connects to other\.example\.com:2525\..*is required/).waitFor()
    assert.doesNotMatch(await dsn.inputValue(), /p%40ss/)
    await page.getByRole('button', { name: 'Show: DSN' }).click()
    assert.equal(await dsn.inputValue(), 'smtp://shop:p%40ss@other.example.com:2525?require_tls=1')
    await page.getByLabel('Provider').selectOption({ label: 'SendGrid' })
    await page.getByRole('textbox', { name: 'API key' }).fill('sample-key-123')
    await page.getByText(/Connects to .*sendgrid/).waitFor()
  })

  test('a fault of a field stands beside it, and nothing is saved', async () => {
    const page = await console.open('/transports/new')
    await page.getByLabel('Name', { exact: true }).fill('Faulty')
    await page.getByLabel('Provider').selectOption({ label: 'SMTP server' })
    await page.getByLabel('Server', { exact: true }).fill('127.0.0.1')
    await page.getByLabel('Port', { exact: true }).fill('99999')
    await page.getByRole('button', { name: 'Test and save' }).click()
    await page.getByRole('textbox', { name: 'Port', description: /65535/ }).waitFor()
    const { body } = await console.service.ask('GET', '/api/multipleTransports?search=Faulty')
    assert.deepEqual(body, [])
  })

  test('a failed test is shown in the form, which stays as it is, and nothing is saved', async () => {
    const { id } = await addTransport(console.service, { mailerDsn: dsnOf() })
    const before = await readTransport(id)
    const page = await console.open(`/transports/${id}`)
    const password = page.getByLabel('Password', { exact: true })
    await password.fill('wrong')
    await page.getByText('The test message is sent to admin@localhost.').waitFor()
    await page.getByRole('button', { name: 'Discard changes' }).waitFor()
    // Enter in a field presses the main button.
    await password.press('Enter')
    const alert = page.getByRole('alert')
    await alert.getByText(/failed at the stage "auth"\. The transport was not saved/).waitFor()
    const stage = (name: string) =>
      page.locator('form .stages > li').filter({ has: page.getByText(name, { exact: true }) })
    await stage('Log in').getByText('Failed', { exact: true }).waitFor()
    await stage('Connect').getByText('Passed', { exact: true }).waitFor()
    assert.equal(await password.inputValue(), 'wrong')
    assert.deepEqual(await readTransport(id), before)
    await assertAccessible(page)
    await page.getByRole('link', { name: 'Transports', exact: true }).first().click()
    await page.getByRole('dialog').getByRole('button', { name: 'Stay' }).click()
    await page.getByRole('button', { name: 'Save without a test' }).click()
    await page.getByText(/is saved\./).waitFor()
    assert.equal(await alert.count(), 0)
    assert.equal((await readTransport(id)).mailerDsn, dsnOf('wrong'))
  })

  test('while the test before saving runs, leaving the page asks first, and it can be cancelled', async (t) => {
    // It accepts the connection and never greets.
    const connected = Promise.withResolvers<Socket>()
    const silent = createServer((socket) => connected.resolve(socket)).listen(0, '127.0.0.1')
    t.after(() => silent.close())
    await once(silent, 'listening')
    const { id } = await addTransport(console.service, { mailerDsn: 'null://null' })
    const page = await console.open(`/transports/${id}`)
    const { port } = silent.address() as AddressInfo
    await page.getByRole('textbox', { name: 'DSN' }).fill(`smtp://127.0.0.1:${port}`)
    const main = page.getByRole('button', { name: 'Test and save' })
    await main.click()
    const socket = await connected.promise
    const closed = once(socket.on('error', () => undefined).resume(), 'close')
    await page.getByRole('link', { name: 'Transports', exact: true }).first().click()
    await page.getByRole('dialog').getByRole('button', { name: 'Stay' }).click()
    await page.getByRole('button', { name: 'Cancel the test' }).click()
    await page.getByText('The test was cancelled.').waitFor()
    await closed
    assert.equal(await main.evaluate((button) => button === document.activeElement), true)
    assert.equal((await readTransport(id)).mailerDsn, 'null://null')
  })

  test('who may create but not edit saves without a test', async () => {
    const creator = await addUser(console.service, { multipleTransports: ['view', 'create'] })
    const page = await console.open('/transports/new', creator)
    await page.getByLabel('Name', { exact: true }).fill('Untested')
    await page.getByRole('textbox', { name: 'DSN' }).fill('null://null')
    assert.equal(await page.getByRole('button', { name: /test/i }).count(), 0)
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('Transport "Untested" is saved.').waitFor()
  })

  test('a change copied as a command has no secret, and keeps the stored one', async () => {
    const { id } = await addTransport(console.service, { mailerDsn: dsnOf() })
    const page = await console.open(`/transports/${id}`)
    await page.getByLabel('Require encryption').check()
    await page.getByRole('button', { name: 'Save without a test' }).click()
    await page.getByText(/is saved\./).waitFor()
    await console.context.grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.getByRole('button', { name: 'More' }).click()
    await page.getByRole('button', { name: 'Copy as curl' }).click()
    await page.getByText('keep the stored secret').waitFor()
    await page
      .getByRole('button', { name: `Copy PATCH /api/multipleTransports/${id}/edit` })
      .click()
    const command = await page.evaluate(() => navigator.clipboard.readText())
    assert.equal(command.includes(login.password), false)
    const [, body = ''] = /-d '([^']+)'$/.exec(command) ?? []
    const masked = `${dsnOf('********')}?require_tls=1`
    assert.deepEqual(JSON.parse(body), { mailerDsn: masked })
    const path = `/api/multipleTransports/${id}/edit`
    const answer = await console.service.ask('PATCH', path, JSON.parse(body))
    assert.equal(answer.status, 200, answer.text)
    assert.equal(answer.body.mailerDsn, `${dsnOf()}?require_tls=1`)
  })

  test('a key file is pasted as it is, and a faulty one is refused at its field', async () => {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
    const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
    const file = JSON.stringify({ type: 'service_account', private_key: pem }, null, 2)
    const page = await console.open('/transports/new')
    await console.context.grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.getByLabel('Name', { exact: true }).fill('Workspace')
    await page.getByLabel('Provider').selectOption({ label: 'Google (Gmail, Workspace)' })
    await page.getByLabel('Client id').fill('ID')
    await page.getByLabel('Sends by').selectOption({ label: 'Google (OAuth, service account)' })
    const account = page.getByRole('textbox', { name: 'Service account' })
    assert.equal(await account.getAttribute('aria-invalid'), 'false')
    await account.fill('mailyard@sample.example')
    const key = page.getByRole('textbox', { name: 'Key' })
    const paste = async (text: string) => {
      await page.evaluate((given) => navigator.clipboard.writeText(given), text)
      await key.fill('')
      await key.press('Control+V')
    }
    await paste(pem.slice(0, 200))
    await page
      .getByRole('textbox', { name: 'Key', description: /must be the private key/ })
      .waitFor()
    for (const text of [pem, file]) {
      await paste(text)
      await page.getByText('Connects to smtp.gmail.com:465.').waitFor()
    }
    await page.getByRole('button', { name: 'Save without a test' }).click()
    await page.getByRole('heading', { name: 'Workspace' }).waitFor()
    const { body } = await console.service.ask('GET', '/api/multipleTransports?search=Workspace')
    const [, saved = ''] = /key=([^&]+)/.exec(body[0].mailerDsn) ?? []
    const decoded = Buffer.from(decodeURIComponent(saved), 'base64').toString()
    assert.deepEqual(JSON.parse(decoded), JSON.parse(file))
    assert.equal(await page.getByLabel('Sends by').inputValue(), 'serviceAccount')
  })

  test('members of a failover are added, moved by buttons and by keys, and removed', async () => {
    const { id } = await addTransport(console.service, { mailerDsn: 'smtp://one.example.com' })
    const page = await console.open(`/transports/${id}`)
    await page.getByLabel('Provider').selectOption({ label: failover })
    const member = (place: number) => page.locator('.members > li').nth(place - 1)
    const serverOf = (place: number) => member(place).getByLabel('Server', { exact: true })
    for (const [place, host] of [
      [2, 'two.example.com'],
      [3, 'three.example.com'],
    ] as const) {
      await page.getByRole('button', { name: 'Add a member' }).click()
      await serverOf(place).fill(host)
    }
    await page.getByRole('button', { name: 'Move member 3 up' }).click()
    await page.getByText('SMTP server is now 2 of 3.').waitFor()
    assert.equal(await serverOf(2).inputValue(), 'three.example.com')
    await serverOf(2).press('Alt+ArrowUp')
    await page.getByText('SMTP server is now 1 of 3.').waitFor()
    await assertAccessible(page)
    await page.getByRole('button', { name: 'Remove member 3' }).click()
    await page.getByRole('button', { name: 'Save without a test' }).click()
    await page.getByText(/is saved\./).waitFor()
    const { mailerDsn } = await readTransport(id)
    assert.equal(mailerDsn, 'failover(smtp://three.example.com smtp://one.example.com)')
  })

  test('who may only view gets no secret and no way to change, test or delete', async () => {
    const { id, name } = await addTransport(console.service, { mailerDsn: dsnOf() })
    const viewer = await addUser(console.service, { multipleTransports: ['view'] })
    const page = await console.open(`/transports/${id}`, viewer)
    await page.getByText(`Connects to 127.0.0.1:${server.port}.`).waitFor()
    const assertHarmless = async () => {
      assert.equal((await page.content()).includes(login.password), false)
      const main = page.getByRole('main')
      for (const role of ['button', 'checkbox', 'textbox'] as const) {
        const controls = main.getByRole(role).filter({ visible: true })
        const labels = await controls.evaluateAll((all) => all.map((each) => each.ariaLabel))
        // The menu of each page.
        assert.deepEqual(
          labels.filter((label) => label !== 'More'),
          [],
          role,
        )
      }
    }
    await assertHarmless()
    await assertAccessible(page)
    await page.goto(`${console.url}/transports?search=${name}`)
    await page.getByRole('link', { name }).waitFor()
    assert.equal((await page.content()).includes(login.password), false)
    assert.equal(await page.getByRole('checkbox').count(), 0)
    assert.equal(await page.getByRole('link', { name: 'Add a transport' }).count(), 0)
  })

  test('of two people who edit a transport, the second sees both versions and overwrites nothing', async () => {
    const { id } = await addTransport(console.service, { name: 'Shared', mailerDsn: dsnOf() })
    const first = await console.open(`/transports/${id}`)
    const second = await console.context.newPage()
    await second.goto(`${console.url}/transports/${id}`)
    await second.getByLabel('Description').fill('Second')
    await second.getByLabel('Sender of test messages').fill('second@example.com')
    await first.getByLabel('Description').fill('First')
    await first.getByRole('button', { name: 'Test and save' }).click()
    await first.getByText('Transport "Shared" is saved.').waitFor()
    await second.getByRole('button', { name: 'Test and save' }).click()
    const conflict = second.getByRole('alert')
    await conflict.getByText('Someone else has changed this in the meantime.').waitFor()
    await conflict.getByText('First', { exact: true }).waitFor()
    await conflict.getByText('Second', { exact: true }).waitFor()
    assert.equal((await readTransport(id)).description, 'First')
    await assertAccessible(second)
    await conflict.getByRole('button', { name: 'Keep your changes' }).click()
    await second.getByText('Transport "Shared" is saved.').waitFor()
    const { description, testedEmailFrom } = await readTransport(id)
    assert.deepEqual([description, testedEmailFrom], ['Second', 'second@example.com'])
    await second.close()
  })

  test('before several transports are unpublished, what is then sent through another one is counted', async () => {
    const add = (name: string, isPublished: boolean) =>
      addTransport(console.service, { name, mailerDsn: 'null://null', isPublished })
    const [first, second] = [await add('Way one', true), await add('Way two', true)]
    const unpublished = await add('Way three', false)
    for (const transport of [first, unpublished]) {
      const email = await addEmail(console.service, { plainText: 'Hello' })
      const assignment = `/api/multipleTransport/transportEmail/${email.id}`
      await console.service.ask('POST', assignment, { transportId: transport.id })
    }
    const now = Date.now()
    for (const lane of ['transactional', 'bulk'] as const)
      await addQueued(console.service, now, {
        recipient: 'ann@a.test',
        due_at: now + 3_600_000,
        transport_id: second.id,
        lane,
      })
    // What was counted before is shown for some seconds.
    await until(async () => {
      const { groups } = (await console.service.ask('GET', '/api/queue')).body
      return groups.some(({ transportId }: TestBody) => transportId === second.id)
    }, 'the messages are counted')
    const page = await console.open('/transports?search=way')
    await page.getByLabel('Transports: select all on this page').check()
    await page.getByRole('button', { name: 'Unpublish 3' }).click()
    const dialog = page.getByRole('dialog', { name: 'Unpublish 2 transports?' })
    await dialog.getByText('1 email, 0 users, 2 messages in the queue.').waitFor()
    await assertAccessible(page)
    await dialog.getByRole('button', { name: 'Keep them' }).click()
    assert.equal((await readTransport(first.id)).isPublished, true)
    await page.goto(`${console.url}/transports/${second.id}`)
    await page.getByLabel('Published').uncheck()
    await page.getByText('0 emails, 0 users, 2 messages in the queue.').waitFor()
    await page.getByRole('button', { name: 'Discard changes' }).click()
    await page.goto(`${console.url}/transports?search=way`)
    await page.getByLabel(`Select ${second.id}`, { exact: true }).check()
    await page.getByRole('button', { name: 'Unpublish', exact: true }).click()
    const one = page.getByRole('dialog', { name: 'Unpublish this transport?' })
    await one.getByRole('button', { name: 'Keep it' }).click()
    await page.getByLabel('Transports: select all on this page').check()
    await page.getByRole('button', { name: 'Delete 3' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete 3' }).waitFor()
    const permissions = { multipleTransports: ['full'], email: ['full'] }
    await console.open('/transports?search=way', await addUser(console.service, permissions))
    await page.getByLabel('Transports: select all on this page').check()
    await page.getByRole('button', { name: 'Unpublish 3' }).click()
    await dialog.getByText('1 email, 0 users.').waitFor()
  })
})
