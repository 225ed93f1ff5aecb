import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { addTransport, addUser } from '../callers.ts'
import { logDeliveries } from '../log-deliveries.ts'
import { type MailServer, openMailServer } from '../mail-server.ts'
import { addQueued } from '../queue/test-queue.ts'
import type { TestBody } from '../test-app.ts'
import { type TestPage, useScreens } from './test-screens.ts'

const login = { username: 'shop', password: 'tr0ub4dor' }
const failover = 'Failover: the next member when one fails'

describe('transports in the console', () => {
  const console = useScreens()
  let server: MailServer
  before(async () => {
    server = await openMailServer({ login })
  })
  after(async () => {
    await server?.close()
  })
  const dsnOf = (password = login.password) =>
    `smtp://${login.username}:${password}@127.0.0.1:${server.port}`
  const readTransport = async (id: number): Promise<TestBody> =>
    await console.ask('GET', `/api/multipleTransports/${id}`)
  const testFrom = async (page: TestPage) => {
    await page.enter({ To: 'admin@example.com' })
    await page.button('Send a test').click()
    return page.region('Test')
  }

  test('a test of what is saved is the last test, and a failed one shows its reason', async () => {
    const page = await console.open('/transports')
    await page.see('No transport yet.')
    await page.link('Add a transport').nth(0).click()
    const connects = page.getByText(`Connects to 127.0.0.1:${server.port}.`)
    await page.enter({
      Name: 'Tested',
      DSN: dsnOf(),
      'Sender of test messages': 'shop@example.com',
    })
    const result = await testFrom(page)
    await result.getByRole('listitem').filter({ hasText: 'Message' }).see('Passed')
    const [{ from, to, username } = assert.fail()] = server.received
    assert.deepEqual([from, ...to, username], ['shop@example.com', 'admin@example.com', 'shop'])
    await page.button('Save without a test').click()
    await page.opens('Tested')
    const last = result.getByRole('paragraph').filter({ hasText: 'Last test' })
    await last.see('Not tested')
    await connects.waitFor()
    await testFrom(page)
    await last.see('Passed')
    await page.edit()
    await page.enter({ Password: 'wrong' })
    await connects.waitFor()
    await page.button('Save without a test').click()
    await last.see('Not tested')
    await testFrom(page)
    await last.see('Failed')
    await page.reload()
    await result.see('Log in: ')
    await page.goto('/transports')
    await page.row(/Tested.*Published.*Failed/).waitFor()
  })

  test('a transport shows its share of accepted messages, and its most frequent faults', async () => {
    const { id } = await addTransport(console.service, { mailerDsn: 'null://null' })
    const row = { transport_id: id, transport: 'T', recipient: 'a@b.test' }
    const reason = (address: string) => `The server refused <${address}>: 550 5.1.1 unknown.`
    const rows = [
      { ...row, outcome: 'accepted' as const },
      { ...row, outcome: 'accepted' as const },
      { ...row, outcome: 'refused' as const, reason: reason('ann@example.com') },
      { ...row, outcome: 'refused' as const, reason: reason('bob@example.com') },
    ]
    await logDeliveries(console.service, rows)
    const page = await console.open(`/transports/${id}`)
    const day = page.region('Last 24 hours')
    await day.see(
      '50 % accepted',
      'of 4 attempts',
      'The server refused …: 550 5.1.1 unknown.',
      '2 times, last',
    )
    await page.goto('/transports')
    await page.row(/50 % accepted/).waitFor()
  })

  test('the fields and the DSN follow each other; a fault of a field stands beside it, and nothing is saved', async () => {
    const page = await console.open('/transports/new')
    const dsn = page.textbox('DSN')
    await dsn.fill('smtp://shop:p%40ss@mail.example.com:2525')
    await page.see('Connects to mail.example.com:2525.')
    assert.equal(await page.getByLabel('Server').inputValue(), 'mail.example.com')
    assert.equal(await page.getByLabel('Port').inputValue(), '2525')
    assert.equal(await page.getByLabel('Password').inputValue(), 'p@ss')
    await page.enter({ Server: 'other.example.com', 'Require encryption': true })
    await page.see(/Connects to other\.example\.com:2525\..*is required/)
    assert.doesNotMatch(await dsn.inputValue(), /p%40ss/)
    await page.button('Show: DSN').click()
    assert.equal(await dsn.inputValue(), 'smtp://shop:p%40ss@other.example.com:2525?require_tls=1')
    await page.enter({ Provider: 'SendGrid', 'API key': 'sample-key-123' })
    await page.see(/Connects to .*sendgrid/)
    await page.goto('/transports/new')
    await page.enter({ Name: 'Faulty', DSN: 'smtp://127.0.0.1' })
    await page.enter({ Port: '99999' })
    await page.button('Test and save').click()
    await page.getByRole('textbox', { name: 'Port', description: /65535/ }).waitFor()
    const body = await console.ask('GET', '/api/multipleTransports?search=Faulty')
    assert.deepEqual(body, [])
  })

  test('a sentence that names a page of the docs leads to it', async () => {
    const page = await console.open('/transports/new')
    const target = (name: string) => page.link(name).getAttribute('href')
    await page.enter({ DSN: 'mailto://ada@a.test' })
    assert.equal(await target('Help: mailer'), '/help/mailer')
    await page.enter({ DSN: 'gmail+oauth://id:S3cret@default?refreshToken=old' })
    assert.equal(await target('Help: transports'), '/help/transports')
  })

  test('a failed test is shown beside the form, which stays as it is, and nothing is saved', async () => {
    const { id } = await addTransport(console.service, { mailerDsn: dsnOf() })
    const before = await readTransport(id)
    const page = await console.open(`/transports/${id}?edit=1`)
    const password = page.getByLabel('Password')
    await password.fill('wrong')
    await page.see('The test message is sent to admin@localhost.')
    await page.button('Discard changes').waitFor()
    // Enter in a field presses the main button.
    await password.press('Enter')
    const alert = page.getByRole('alert')
    await alert.see(/^The test failed, and the transport was not saved\./)
    const stage = (name: string) =>
      page.region('Test').locator('.stages > li').filter({ hasText: name })
    await stage('Log in').see(/^Failed$/)
    await stage('Connect').see(/^Passed$/)
    assert.equal(await password.inputValue(), 'wrong')
    assert.deepEqual(await readTransport(id), before)
    await page.link('Transports').nth(0).click()
    await page.dialog().button('Stay').click()
    await page.button('Save without a test').click()
    await page.see(/is saved\./)
    assert.equal(await alert.count(), 0)
    assert.equal((await readTransport(id)).mailerDsn, dsnOf('wrong'))
  })

  test('who may create but not edit saves without a test', async () => {
    const creator = await addUser(console.service, { multipleTransports: ['view', 'create'] })
    const page = await console.open('/transports/new', creator)
    await page.enter({ Name: 'Untested', DSN: 'null://null' })
    assert.equal(await page.button(/test/i).count(), 0)
    await page.button('Save').click()
    await page.see('Transport "Untested" is saved.')
  })

  test('a change copied as a command has no secret, and keeps the stored one', async () => {
    const { id } = await addTransport(console.service, { mailerDsn: dsnOf() })
    const page = await console.open(`/transports/${id}?edit=1`)
    await page.enter({ 'Require encryption': true })
    await page.button('Save without a test').click()
    await page.see(/is saved\./)
    await page.button('More').click()
    await page.button('Copy as curl').click()
    await page.see('keep the stored secret')
    await page.button(`Copy PATCH /api/multipleTransports/${id}/edit`).click()
    const command = page.copied
    assert.equal(command.includes(login.password), false)
    const [, body = ''] = /-d '([^']+)'$/.exec(command) ?? []
    const masked = `${dsnOf('********')}?require_tls=1`
    assert.deepEqual(JSON.parse(body), { mailerDsn: masked })
    const path = `/api/multipleTransports/${id}/edit`
    const answer = await console.service.askFor('PATCH', path, JSON.parse(body))
    assert.equal(answer.mailerDsn, `${dsnOf()}?require_tls=1`)
  })

  test('members of a failover are added, moved by buttons and by keys, and removed', async () => {
    const { id } = await addTransport(console.service, { mailerDsn: 'smtp://one.example.com' })
    const page = await console.open(`/transports/${id}?edit=1`)
    await page.enter({ Provider: failover })
    const member = (place: number) => page.locator('.members > li').nth(place - 1)
    const serverOf = (place: number) => member(place).getByLabel('Server')
    for (const [place, host] of [
      [2, 'two.example.com'],
      [3, 'three.example.com'],
    ] as const) {
      await page.button('Add a member').click()
      await serverOf(place).fill(host)
    }
    await page.button('Move member 3 up').click()
    await page.see('SMTP server is now 2 of 3.')
    assert.equal(await serverOf(2).inputValue(), 'three.example.com')
    await serverOf(2).press('Alt+ArrowUp')
    await page.see('SMTP server is now 1 of 3.')
    await page.button('Remove member 3').click()
    await page.button('Save without a test').click()
    await page.see(/is saved\./)
    const { mailerDsn } = await readTransport(id)
    assert.equal(mailerDsn, 'failover(smtp://three.example.com smtp://one.example.com)')
  })

  test('who may only view gets no secret and no way to change, test or delete', async () => {
    const { id, name } = await addTransport(console.service, { mailerDsn: dsnOf() })
    const viewer = await addUser(console.service, { multipleTransports: ['view'] })
    const page = await console.open(`/transports/${id}`, viewer)
    await page.see(`Connects to 127.0.0.1:${server.port}.`)
    const assertHarmless = async () => {
      assert.equal((await page.content()).includes(login.password), false)
      const main = page.getByRole('main')
      for (const role of ['button', 'checkbox', 'textbox'] as const) {
        const controls = main.getByRole(role).elements()
        // The menu of each page.
        const others = controls.filter((each) => each.getAttribute('aria-label') !== 'More')
        assert.equal(others.length, 0, role)
      }
    }
    await assertHarmless()
    await page.goto(`/transports?search=${name}`)
    await page.link(name).waitFor()
    assert.equal((await page.content()).includes(login.password), false)
    assert.equal(await page.getByRole('checkbox').count(), 0)
    assert.equal(await page.link('Add a transport').count(), 0)
  })

  test('of two people who edit a transport, the second sees both versions and overwrites nothing', async () => {
    const { id } = await addTransport(console.service, { name: 'Shared', mailerDsn: dsnOf() })
    const first = await console.open(`/transports/${id}?edit=1`)
    const second = await console.openOther(`/transports/${id}?edit=1`)
    await second.enter({ Description: 'Second', 'Sender of test messages': 'second@example.com' })
    await first.enter({ Description: 'First' })
    await first.button('Test and save').click()
    await first.see('Transport "Shared" is saved.')
    await second.button('Test and save').click()
    const conflict = second.getByRole('alert')
    await conflict.see('Someone else has changed this in the meantime.')
    await conflict.see(/^First$/)
    await conflict.see(/^Second$/)
    assert.equal((await readTransport(id)).description, 'First')
    await conflict.button('Keep your changes').click()
    await second.see('Transport "Shared" is saved.')
    const { description, testedEmailFrom } = await readTransport(id)
    assert.deepEqual([description, testedEmailFrom], ['Second', 'second@example.com'])
  })

  test('before several transports are unpublished, what is then sent through another one is counted', async () => {
    const add = (name: string, isPublished: boolean) =>
      addTransport(console.service, { name, mailerDsn: 'null://null', isPublished })
    const [first, second] = [await add('Way one', true), await add('Way two', true)]
    const unpublished = await add('Way three', false)
    for (const { id } of [first, unpublished]) await console.fixture.email(id)
    const now = Date.now()
    for (const lane of ['transactional', 'bulk'] as const)
      await addQueued(console.service, now, {
        recipient: 'ann@a.test',
        due_at: now + 3_600_000,
        transport_id: second.id,
        lane,
      })
    // What was counted before is shown for some time, on a slow machine for a minute.
    console.clock.advance(600_000)
    const page = await console.open('/transports?search=way')
    await page.enter({ 'Transports: select all on this page': true })
    await page.button('Unpublish 3').click()
    const dialog = page.dialog('Unpublish 2 transports?')
    await dialog.see(/Used by 1 email and 2 messages in the queue\. No transport is left for 1/)
    await dialog.button('Keep them').click()
    assert.equal((await readTransport(first.id)).isPublished, true)
    await page.goto(`/transports/${second.id}?edit=1`)
    await page.enter({ Published: false })
    await page.see('Used by 2 messages in the queue.')
    await page.button('Discard changes').click()
    await page.goto('/transports?search=way')
    await page.getByLabel(`Select ${second.id}`).check()
    await page.button('Unpublish').click()
    const one = page.dialog('Unpublish Way two?')
    await one.button('Keep it').click()
    await page.enter({ 'Transports: select all on this page': true })
    await page.button('Delete 3').click()
    await page.dialog().button('Delete 3').waitFor()
    const permissions = { multipleTransports: ['full'], email: ['full'] }
    await console.open('/transports?search=way', await addUser(console.service, permissions))
    await page.enter({ 'Transports: select all on this page': true })
    await page.button('Unpublish 3').click()
    await dialog.see('Used by 1 email.')
  })
})
