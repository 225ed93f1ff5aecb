import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { after, afterEach, before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { needsBrowser } from '../browser/launch.ts'
import { addEmail, addRole, addTransport, addUser } from '../callers.ts'
import { type DnsServer, startDnsServer } from '../dns-server.ts'
import { useMailCatcher } from '../mail-catcher.ts'
import { openMailServer } from '../mail-server.ts'
import { startMauticDouble } from '../mautic-double/mautic-double.ts'
import { addBrand, addMautic, closeMautics, submitMessage } from '../mautics.ts'
import { addQueued } from '../queue/test-queue.ts'
import { createQuickFolder } from '../quick-folder.ts'
import { type CommandResult, runMailyard } from '../run-mailyard.ts'
import { createSendFixture } from '../send-fixture.ts'
import { openTestApp, type TestApp } from '../test-app.ts'
import { useTokenServers } from '../transports/token-servers.ts'
import { until } from '../until.ts'
import { Clicks } from './clicks.ts'
import { handFromMautic } from './hand-from-mautic.ts'
import { openTestConsole, type TestConsole, useTestConsole } from './test-console.ts'

const hourMs = 3_600_000
const tasks = join(import.meta.dirname, '../../docs/tasks')
const textOf = (task: string) => readFileSync(join(tasks, `${task}.md`), 'utf8')

/** Runs a line of the text of a task, in which a word may stand for another one here. */
function runLine(
  { database }: Pick<TestApp, 'database'>,
  task: string,
  line: string,
  {
    replaced = {},
    settings = {},
  }: { replaced?: Readonly<Record<string, string>>; settings?: Record<string, string> } = {},
): Promise<CommandResult> {
  assert.ok(textOf(task).includes(line), `docs/tasks/${task}.md has the line ${line}`)
  const [, ...args] = line.split(' ').map((word) => replaced[word] ?? word)
  const env = {
    MAILYARD_SECRET_KEY: 'a secret key for tests, of 32 characters or more',
    MAILYARD_PORT: '0',
    MAILYARD_SMTP_PORT: '0',
    ...settings,
  }
  return runMailyard(args, { databaseUrl: database.url, env })
}

test('every page of docs/tasks is a job in the console, with the number of its clicks', () => {
  const pages = globSync('*.md', { cwd: tasks }).map((page) => basename(page, '.md'))
  const source = readFileSync(import.meta.filename, 'utf8')
  const titles = [...source.matchAll(/(?:job|test)\('([\w ]+)(?:', |: )\d+/g)]
  const jobs = titles.map(([, title = '']) => title.toLowerCase().replaceAll(' ', '-'))
  assert.deepEqual(jobs.sort(), pages.sort())
})

/** Every job begins on the overview, and its title says how many clicks it takes. */
describe('the jobs of docs/tasks in the console', needsBrowser, () => {
  const catcher = useMailCatcher()
  const console = useTestConsole(() => ({ config: { mailerDsn: catcher.dsn } }))
  const clicks = new Clicks()
  const fixture = createSendFixture(() => console.service)
  before(() => clicks.watch(console.context))
  after(closeMautics)

  const begin = async (opened: TestConsole = console) => {
    const page = await opened.open('/')
    await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor()
    clicks.count = 0
    return page
  }
  const job = (title: string, expected: number, work: (page: Page) => Promise<void>) => {
    test(`${title}: ${expected} clicks`, async () => {
      await work(await begin())
      assert.equal(clicks.count, expected)
    })
  }
  const openFromMenu = (page: Page, name: string) =>
    page
      .getByRole('navigation')
      .getByRole('link', { name: new RegExp(`^${name}`) })
      .first()
      .click()
  const openRow = (page: Page, name: string) =>
    page.getByRole('table').getByRole('link', { name, exact: true }).click()
  const edit = (page: Page) => page.getByRole('button', { name: 'Edit', exact: true }).click()
  const choose = async (page: Page, combobox: string, option: string) => {
    await page.getByRole('combobox', { name: combobox }).fill(option)
    await page.getByRole('option', { name: new RegExp(option) }).click()
  }
  /** Unpublishes a record in its list. */
  const unpublish = async (page: Page, name: string) => {
    await page.getByRole('row', { name }).getByRole('checkbox').check()
    await page.getByRole('button', { name: 'Unpublish' }).click()
  }
  /** Sends an email to one contact. */
  const sendOne = async (transportId: number, email: string) => {
    await fixture.sendTo(await fixture.email(transportId, { name: `To ${email}` }), [email])
  }

  job('add a brand', 5, async (page) => {
    await openFromMenu(page, 'Brands')
    await page.getByRole('link', { name: 'New brand' }).first().click()
    await page.getByLabel('Name', { exact: true }).fill('Harbour')
    await page.getByLabel('From domains and addresses').fill('harbour.example')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByRole('link', { name: 'Add a transport' }).first().click()
    await page.getByRole('heading', { name: 'New transport' }).waitFor()
    await page.getByLabel('Name', { exact: true }).fill('Harbour · Letters')
    await page.getByRole('textbox', { name: 'DSN' }).fill(catcher.dsn)
    await page.getByLabel('Sender of test messages').fill('news@harbour.example')
    await page.getByRole('button', { name: 'Test and save' }).click()
    await page.getByRole('heading', { name: 'Letters' }).waitFor()
    const { body } = await console.service.ask('GET', '/api/brands?search=harbour')
    const [{ id, domains }] = body.brands
    assert.deepEqual(domains, ['harbour.example'])
    const { body: all } = await console.service.ask('GET', '/api/multipleTransports?search=letters')
    assert.equal(all[0].brand, id)
    // The console shows this brand only, for the session.
    await page.evaluate(() => sessionStorage.clear())
  })

  job('give a colleague one brand', 5, async (page) => {
    const brand = await addBrand(console.service, { name: 'Orchard' })
    const user = await addUser(console.service, { email: ['view'] })
    await page.reload()
    await openFromMenu(page, 'Access')
    await openRow(page, user.username)
    await edit(page)
    await page.getByRole('combobox', { name: 'Add one' }).fill('Orchard')
    // The switch of the menu has it, too.
    await page.getByRole('listbox').getByRole('option', { name: 'Orchard' }).click()
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('Saved').first().waitFor()
    const { body } = await console.service.ask('GET', `/api/users/${user.id}`)
    assert.deepEqual(body.user.brands, [brand])
  })

  job('a password stops working', 4, async (page) => {
    const login = { username: 'shop', password: 'new' }
    const server = await openMailServer({ login })
    try {
      const { id } = await addTransport(console.service, {
        name: 'Password',
        mailerDsn: `smtp://shop:old@127.0.0.1:${server.port}`,
      })
      await sendOne(id, 'ann@password.test')
      await until(
        async () => (await fixture.deliveries(`transportId=${id}`))[0]?.outcome === 'deferred',
        'its server refuses the password',
      )
      await openFromMenu(page, 'Transports')
      await openRow(page, 'Password')
      await edit(page)
      await page.getByLabel('Password', { exact: true }).fill(login.password)
      await page.getByRole('button', { name: 'Test and save' }).click()
      await until(() => server.received.length > 1, 'the message is sent')
      const recipients = server.received.flatMap(({ to }) => to)
      assert.deepEqual(recipients, ['admin@localhost', 'ann@password.test'])
    } finally {
      await server.close()
    }
  })

  job('a provider is down', 8, async (page) => {
    const { id } = await addTransport(console.service, {
      name: 'Down',
      mailerDsn: 'smtp://127.0.0.1:1',
    })
    await sendOne(id, 'ann@down.test')
    await openFromMenu(page, 'Routing')
    await page.getByRole('link', { name: 'Fire drill' }).click()
    await choose(page, 'Mark a transport as down', 'Down')
    await page.getByRole('button', { name: 'Show what would happen' }).click()
    const emails = page.getByRole('table', { name: 'Emails' })
    await emails.getByRole('row', { name: /To ann@down\.test/ }).waitFor()
    await openFromMenu(page, 'Transports')
    await unpublish(page, 'Down')
    const dialog = page.getByRole('dialog', { name: 'Unpublish Down?' })
    await dialog.getByText('Then sent through the default transport: 1 email.').waitFor()
    await dialog.getByRole('button', { name: 'Unpublish' }).click()
    await page.getByText('Unpublished: Down.').waitFor()
    const isSent = () => catcher.mails.some(({ to }) => to.includes('ann@down.test'))
    await until(isSent, 'the message is sent through the default transport')
  })

  job('connect a Mautic', 4, async (page) => {
    const mautic = await startMauticDouble()
    const { port = 0 } = await console.service.openSmtpServer()
    try {
      await openFromMenu(page, 'Mautics')
      await page.getByRole('link', { name: 'Connect a Mautic' }).first().click()
      await page.getByLabel('URL of Mautic').fill(mautic.url)
      await page.getByLabel('Name', { exact: true }).fill('shop')
      await page.getByLabel('User name').fill(mautic.administrator.username)
      await page.getByRole('textbox', { name: 'Password' }).fill(mautic.administrator.password)
      await page.getByRole('button', { name: 'Connect' }).click()
      const dsn = new URL(await page.getByLabel('Mailer DSN').inputValue())
      const webhook = page.getByRole('region', { name: 'Create the webhook' })
      await webhook.getByLabel('Where Mautic reaches Mailyard').fill(console.url)
      await webhook.getByRole('button', { name: 'Create the webhook' }).click()
      await page.getByText(`leads to ${console.url}/webhooks/mautic/`).waitFor()
      await handFromMautic(port, dsn)
      await page.getByText('A message to ann@rcpt.test has come.').waitFor()
    } finally {
      await mautic.close()
    }
  })

  job('go to production', 3, async (page) => {
    const task = 'go-to-production'
    const settings = { MAILYARD_MAILER_DSN: catcher.dsn }
    const doctor = await runLine(console.service, task, './mailyard doctor', { settings })
    const found = [...doctor.stdout.matchAll(/^(?:ok|warn|FAIL) +([^:]+): (.*)$/gm)]
    assert.ok(found.length > 10, doctor.stdout)
    await openFromMenu(page, 'Health')
    // Only the command sees whether the key is the right one: with another one nothing starts.
    for (const [, check = ''] of found.filter(([, name]) => name !== 'secrets'))
      await page
        .getByRole('main')
        .getByText(new RegExp(`^${check}$`, 'i'))
        .first()
        .waitFor()
    const add = './mailyard clients create --name shop --grant-types client_credentials --role ROLE'
    const roleId = await addRole(console.service, { email: ['view'] })
    const replaced = { ROLE: String(roleId) }
    const added = await runLine(console.service, task, add, { replaced })
    assert.equal(added.code, 0, added.stderr)
    await openFromMenu(page, 'Access')
    await page.getByRole('link', { name: 'OAuth clients' }).click()
    await page.getByRole('link', { name: 'shop', exact: true }).waitFor()
  })

  test('if this disk dies: 7 clicks', async () => {
    const task = 'if-this-disk-dies'
    const folder = createQuickFolder('mailyard-copy-')
    const backup = join(folder, 'backup.db')
    const url = `sqlite:${join(folder, 'mailyard.db')}`
    const lost = await openTestApp({ isStarted: false })
    for (const to of ['sent@copy.test', 'lost@copy.test'])
      await submitMessage(lost, undefined, { to, text: 'Subject: Hello\n\nHello', mode: 'queue' })
    const replaced = { 'mailyard-2026-11-24-0300.db': backup }
    const made = await runLine(lost, task, './mailyard backup mailyard-2026-11-24-0300.db', {
      replaced,
    })
    assert.equal(made.code, 0, made.stderr)
    await lost.close()
    const copy = { database: { url, drop: async () => undefined } }
    const put = await runLine(copy, task, './mailyard restore mailyard-2026-11-24-0300.db', {
      replaced,
    })
    assert.equal(put.code, 0, put.stderr)
    const doctor = await runLine(copy, task, './mailyard doctor')
    assert.match(doctor.stdout, /secrets: The secret key decrypts the data keys/)
    const held = await runLine(copy, task, './mailyard queue hold --all')
    assert.match(held.stdout, /^changed: +2\n/, held.stderr)
    const confirmed = await runLine(copy, task, './mailyard confirm')
    assert.equal(confirmed.code, 0, confirmed.stderr)
    const restored = await openTestConsole({ ...copy, config: { mailerDsn: catcher.dsn } })
    try {
      await clicks.watch(restored.context)
      const page = await begin(restored)
      await openFromMenu(page, 'Queue')
      const selected = page.getByRole('region', { name: '1 selected' })
      const dialog = page.getByRole('dialog')
      const row = (address: string) =>
        page.getByRole('row', { name: new RegExp(`${address}.*Held`) })
      await row('lost@copy.test').getByRole('checkbox').check()
      await selected.getByRole('button', { name: 'Release' }).click()
      await dialog.getByRole('button', { name: /^Release/ }).click()
      await row('lost@copy.test').waitFor({ state: 'detached' })
      await row('sent@copy.test').getByRole('checkbox').check()
      await selected.getByRole('button', { name: /^Cancel( messages)?$/ }).click()
      await dialog.getByRole('button', { name: /^Cancel (messages|1)/ }).click()
      await page.getByText('Cancelled: 1 message.').waitFor()
      const arrived = () =>
        catcher.mails.flatMap(({ to }) => to.filter((each) => /copy/.test(each)))
      await until(async () => arrived().length > 0, 'what was released is sent')
      assert.deepEqual(arrived(), ['lost@copy.test'])
      assert.equal(clicks.count, 7)
      restored.check()
    } finally {
      await restored.close()
    }
  })

  job('Jane did not get her mail', 2, async (page) => {
    const address = 'jane@jane.test'
    const contact = { email: address, firstname: 'Jane' }
    await console.service.ask('POST', '/api/contacts/new', contact)
    await console.service.ask('POST', '/api/suppressions/new', { address, reason: 'bounced' })
    await page.keyboard.press('/')
    await page.getByRole('combobox', { name: 'Find' }).fill('jane@')
    await page.getByRole('group', { name: 'Contacts' }).getByText(address).waitFor()
    await page.keyboard.press('Enter')
    await page.getByText('This address is suppressed').waitFor()
    await page.getByRole('button', { name: 'Unsuppress' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Unsuppress' }).click()
    await page.getByText(`${address} gets emails again.`).waitFor()
    const { body } = await console.service.ask('GET', `/api/suppressions?address=${address}`)
    assert.equal(body.total, 0)
  })

  job('leave Mailyard', 5, async (page) => {
    const task = 'leave-mailyard'
    const { id, name } = await addMautic(console.service)
    const later = Date.now() + hourMs
    for (const recipient of ['ann@leave.test', 'bob@leave.test'])
      await addQueued(console.service, Date.now(), { recipient, mautic_id: id, due_at: later })
    const run = (line: string) =>
      runLine(console.service, task, line, { replaced: { brand: name } })
    const waiting = await run('./mailyard queue list --mautic brand')
    assert.match(waiting.stdout, /bob@leave\.test[\s\S]*ann@leave\.test/)
    const tried = await run('./mailyard queue cancel --mautic brand --dry-run')
    assert.match(tried.stdout, /^changed: +2\n/)
    const cancelled = await run('./mailyard queue cancel --mautic brand')
    assert.match(cancelled.stdout, /^changed: +2\n/)
    await openFromMenu(page, 'Mautics')
    await openRow(page, name)
    await edit(page)
    await page.getByLabel('Published', { exact: true }).uncheck()
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText(/is saved\./).waitFor()
    const { body } = await console.service.ask('GET', `/api/mautics/${id}`)
    assert.equal(body.mautic.isPublished, false)
  })

  job('move a brand to another provider', 14, async (page) => {
    const { id } = await addTransport(console.service, { name: 'Brand, old provider' })
    const email = await addEmail(console.service, { name: 'Letter of the brand' })
    const assignment = `/api/multipleTransport/transportEmail/${email.id}`
    await console.service.ask('POST', assignment, { transportId: id })
    await openFromMenu(page, 'Transports')
    await page.getByRole('link', { name: 'Add a transport' }).first().click()
    await page.getByLabel('Name', { exact: true }).fill('Brand, new provider')
    await page.getByRole('textbox', { name: 'DSN' }).fill(catcher.dsn)
    await page.getByLabel('Published', { exact: true }).uncheck()
    await page.getByRole('button', { name: 'Test and save' }).click()
    await page.getByRole('heading', { name: 'Brand, new provider' }).waitFor()
    await edit(page)
    await page.getByLabel('Published', { exact: true }).check()
    await page.getByRole('button', { name: 'Save without a test' }).click()
    await until(async () => {
      const { body } = await console.service.ask('GET', '/api/multipleTransports?search=new')
      return body[0].isPublished
    }, 'it is published')
    await openFromMenu(page, 'Assignments')
    await page
      .getByRole('row', { name: /Letter of the brand/ })
      .getByRole('checkbox')
      .check()
    await choose(page, 'Assign the selected to', 'Brand, new provider')
    await page.getByRole('button', { name: 'Assign', exact: true }).click()
    await page.getByText('1 email now uses Brand, new provider.').waitFor()
    await openFromMenu(page, 'Transports')
    await unpublish(page, 'Brand, old provider')
    await page.getByText('Unpublished: Brand, old provider.').waitFor()
    const { body } = await console.service.ask('GET', assignment)
    assert.equal(body.transportEmail.transport.name, 'Brand, new provider')
  })

  describe('with a server that takes tokens', () => {
    const servers = useTokenServers()

    job('move to OAuth', 4, async (page) => {
      const { id } = await addTransport(console.service, {
        name: 'Ends',
        mailerDsn: `smtp://me%40example.com@127.0.0.1:${servers.smtp.port}?accessToken=S3cret`,
      })
      await openFromMenu(page, 'Transports')
      await openRow(page, 'Ends')
      await page.getByRole('button', { name: 'Move to OAuth' }).click()
      const dialog = page.getByRole('dialog')
      const first = dialog.getByLabel('Client id', { exact: true })
      await first.and(page.locator(':focus')).waitFor()
      await first.fill('mailyard')
      await dialog.getByLabel('Client secret', { exact: true }).fill('S3cret-of-the-client')
      await dialog.getByLabel('Token URL', { exact: true }).fill(servers.tokens.url)
      await dialog.getByRole('button', { name: 'Test and save' }).click()
      await page.getByText('Transport "Ends" logs in with OAuth.').waitFor()
      const { body } = await console.service.ask('GET', `/api/multipleTransports/${id}`)
      assert.match(body.mailerDsn, /^smtp\+oauth:/)
    })
  })

  job('sent to the wrong people', 7, async (page) => {
    const subject = 'To the wrong people'
    for (const name of ['ann', 'bob', 'eve'])
      await addQueued(console.service, Date.now(), {
        recipient: `${name}@wrong.test`,
        due_at: Date.now() + hourMs,
        subject,
      })
    await openFromMenu(page, 'Queue')
    await page.getByRole('button', { name: '+ Filter' }).click()
    await page.locator('.menu-list').getByRole('button', { name: 'Subject' }).click()
    await page.getByRole('textbox', { name: 'Subject' }).fill(subject)
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Cancel messages' }).waitFor()
    const dialog = page.getByRole('dialog')
    // The first one holds a transport, where the counts of the queue have these messages already.
    await page.getByRole('button', { name: 'Hold' }).last().click()
    await dialog.getByRole('button', { name: 'Hold 3 messages' }).click()
    await page.getByText('Held: 3 messages.').waitFor()
    await page.getByRole('button', { name: 'Cancel messages' }).click()
    await dialog.getByRole('button', { name: 'Cancel 3 messages' }).click()
    await page.getByText('Cancelled: 3 messages.').waitFor()
    assert.equal((await fixture.deliveries('recipient=*@wrong.test&outcome=cancelled')).length, 3)
  })

  job('warm up', 7, async (page) => {
    await addTransport(console.service, { name: 'New address' })
    await openFromMenu(page, 'Limits')
    await page.getByRole('link', { name: 'Add a limit' }).first().click()
    await page.getByLabel('Name', { exact: true }).fill('Warm-up')
    await choose(page, 'Add a transport', 'New address')
    await page.getByLabel('Recipients per day').first().fill('50000')
    await page.getByLabel('Start slowly and send more each day').check()
    await clicks.choose(
      page.getByLabel('When it is reached'),
      'Use the next transport of the route',
    )
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('Today is day 1: it allows 200 recipients.').waitFor()
    const { body } = await console.service.ask('GET', '/api/limits?search=warm-up')
    const [{ warmUp, overflow }] = body.limits
    assert.deepEqual([warmUp.firstDay, warmUp.growthPercent, overflow], [200, 50, 'next'])
    assert.ok(textOf('warm-up').includes('"firstDay": 200, "growthPercent": 50'))
  })

  describe('with a DNS server', () => {
    let dns: DnsServer
    let own: TestConsole
    before(async () => {
      dns = await startDnsServer({ 'brand.example': { TXT: ['v=spf1 -all'] } })
      own = await openTestConsole({ config: { dnsServers: [dns.address] } })
      await own.context.grantPermissions(['clipboard-read', 'clipboard-write'])
      await clicks.watch(own.context)
    })
    afterEach(() => own.check())
    after(async () => {
      await own?.close()
      await dns?.close()
    })

    test('be believed: 6 clicks', async () => {
      const values = { mailerDsn: 'smtp://127.0.0.1:1', testedEmailFrom: 'news@brand.example' }
      await addTransport(own.service, values)
      const page = await begin(own)
      await openFromMenu(page, 'Senders')
      await openRow(page, 'brand.example')
      await page.getByRole('link', { name: 'Create a key' }).click()
      await page.getByRole('button', { name: 'Create the key' }).click()
      await page.getByRole('button', { name: /^Copy the value of/ }).click()
      const value = await page.evaluate(() => navigator.clipboard.readText())
      const { body } = await own.service.ask('GET', '/api/dkimKeys')
      dns.set(body.dkimKeys[0].record.name, 'TXT', [value])
      await page.getByRole('button', { name: 'Check now' }).click()
      await page.getByText('Messages of this domain are signed.').waitFor()
      assert.equal(clicks.count, 6)
      assert.ok(textOf('be-believed').includes('api dkimKeys/$key/check -X POST'))
    })
  })
})
