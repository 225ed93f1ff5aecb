import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { sql } from 'kysely'
import type { QueueTables } from '../../src/core/queue/table.ts'
import { addTransport, addUser } from '../callers.ts'
import { addBrand } from '../mautics.ts'
import { addQueued } from '../queue/test-queue.ts'
import { type ScriptedServer, startScriptedServer } from '../scripted-server.ts'
import { useScreens } from './test-screens.ts'

describe('the overview', () => {
  const console = useScreens()
  let server: ScriptedServer
  before(async () => {
    server = await startScriptedServer()
    server.act = (recipient) => {
      if (recipient.startsWith('gone')) return { code: 550, text: '5.7.1 not welcome' }
      return recipient.startsWith('lost') ? 'hang up' : undefined
    }
  })
  after(async () => {
    await server?.stop()
  })
  const part = (name: string, page = console.page) => page.region(name)

  test('of an empty installation leads to the first transport, its test, and an email', async () => {
    const page = await console.open('/')
    await page.see('Nothing has been sent yet.')
    assert.equal(await page.link('Test the transport').count(), 0)
    const id = await console.fixture.transport(server.dsn)
    const tested = await console.service.ask('POST', `/api/multipleTransports/send/test/${id}`)
    assert.equal(tested.body.success, true, tested.text)
    await page.reload()
    await page.getByText('Done').nth(1).waitFor()
    assert.equal(await page.getByText('Done').count(), 2)
    await page.link('Choose an email').click()
    await page.opens('Emails')
  })

  test('shows what waits before a first message was sent', async () => {
    const db = console.service.app.storage.tables<QueueTables>()
    const recipient = 'ada@orchard.example'
    await addQueued(console.service, Date.now(), { recipient, state: 'held' })
    // What was counted before is shown for some seconds.
    console.clock.advance(10_000)
    const page = await console.open('/')
    await part('Needs you').see(/1 message held/)
    await page.link('Waiting 1').waitFor()
    assert.equal(await page.getByText(/^oldest/).count(), 0)
    assert.equal(await page.getByText('Nothing has been sent yet.').count(), 0)
    await db.deleteFrom('queue_recipients').execute()
    await db.deleteFrom('queue_messages').execute()
  })

  test('shows outcomes, failing transports and decisions', async () => {
    const working = await console.fixture.email(await console.fixture.transport(server.dsn))
    const unreachable = await console.fixture.transport('smtp://127.0.0.1:1')
    const failing = await console.fixture.email(unreachable)
    const names = ['ada', 'gone', 'lost'].map((name) => `${name}@orchard.example`)
    await console.fixture.sendTo(working, names)
    await console.fixture.sendTo(failing, ['bo@orchard.example'])
    const page = await console.open('/?range=hour')
    const outcomes = part('Messages by outcome')
    await outcomes.getByRole('img').waitFor()
    const bars = outcomes.locator('.bars [data-outcome]').elements()
    const shown = new Set(bars.map(({ dataset }) => dataset['outcome']))
    assert.deepEqual([...shown].sort(), ['accepted', 'deferred', 'refused', 'uncertain'])
    await outcomes.getByText(/^Table$/).click()
    const counts = outcomes.row()
    assert.ok((await counts.count()) >= 60)
    await page.link(/^Accepted 25(?:\.0)? %$/).waitFor()
    await page.link('Refused 1').waitFor()
    const uncertain = page.link('Uncertain 1')
    assert.equal(await uncertain.getAttribute('href'), '/deliveries?outcome=uncertain')
    const needs = part('Needs you')
    await needs.see('connection refused')
    const failed = await needs.link('Show them').nth(0).getAttribute('href')
    assert.match(String(failed), new RegExp(`transportId=${unreachable}&`))
    await outcomes.getByText(/^Table$/).click()
    await page.link('Week').click()
    await page.waitForURL(/range=week/)
    await needs.see('1 uncertain delivery')
    await needs.link('Decide').click()
    await page.link('lost@orchard.example').waitFor()
  })

  test('shows all transports that fail, the latest first, and since when', async () => {
    const db = console.service.app.storage.tables<unknown>()
    const minute = Math.floor(console.clock.now() / 60_000) * 60_000
    for (let at = 1; at <= 6; at += 1) {
      const { id } = await addTransport(console.service, { name: `Down ${at}` })
      await sql`insert into delivery_count_changes (started_at, transport_id, source, outcome, change)
        values (${minute - at * 60_000}, ${id}, 'smtp', 'deferred', 9)`.execute(db)
    }
    await console.open('/')
    const down = [1, 2, 3, 4, 5, 6].map((at) => `Down ${at}: 9 of 9 failed.*since \\d+:\\d\\d.*`)
    await part('Needs you').see(new RegExp(down.join('')), /^and \d more$/)
  })

  test('shows the log-ins that end among the findings, and on the page of their transport', async () => {
    const [brand, other] = [await addBrand(console.service), await addBrand(console.service)]
    const mailerDsn = 'gmail://a%40example.com:S3cret@default'
    const body = { name: 'Old password', mailerDsn, brand }
    const { id } = await console.ask('POST', '/api/multipleTransports/new', body)
    await console.fixture.email(id)
    // What was found before is shown for some seconds.
    console.clock.advance(10_000)
    const sentence = /From 1 May 2025 on, Google accepts/
    const page = await console.open('/')
    const finding = part('Needs you').getByRole('listitem').filter({ hasText: sentence })
    await page.getByText(/^and \d more$/).click()
    await finding.see('Old password')
    await page.enter({ 'Shown brand': String(other) })
    await finding.gone()
    const ofOther = new RegExp(`/deliveries/stats[?].*brand=${other}`)
    await page.until(() => page.asked.some((url) => ofOther.test(url)), 'counts of the brand')
    await page.enter({ 'Shown brand': String(brand) })
    await finding.see('Old password')
    await page.enter({ 'Shown brand': 'All brands' })
    await console.open(`/transports/${id}`)
    const notice = page.getByRole('alert')
    await notice.see(sentence)
    await notice.see('1 email depends on it.')
    await page.see('Connects to smtp.gmail.com')
    assert.equal(await page.getByText(sentence).count(), 1, 'it stands once on the page')
  })

  test('has only the parts that the user may view', async () => {
    const author = await addUser(console.service, { twigtemplates: ['view'] })
    const page = await console.open('/', author)
    await page.see('The screens that you may view are in the menu.')
    assert.equal(await page.region().count(), 0)
    const viewer = await addUser(console.service, { email: ['view'] })
    await console.open('/', viewer)
    await part('Needs you').see('1 uncertain delivery')
    assert.equal(await part('Needs you').getByText('failed').count(), 0)
    assert.equal(await page.link(/^Waiting/).count(), 0)
    assert.doesNotMatch(await page.getByRole('main').innerText(), /orchard\.example/)
  })
})
