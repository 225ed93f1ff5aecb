import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { fillDatabase } from '../../bench/console/fill-database.ts'
import { addUser } from '../callers.ts'
import { type TestDatabase, testDatabases } from '../databases.ts'
import { type ScriptedServer, startScriptedServer } from '../scripted-server.ts'
import { openTestScreens, type TestScreens, useScreens } from './test-screens.ts'

describe('the deliveries', () => {
  const console = useScreens()
  let server: ScriptedServer
  let emailId: number
  const contacts = new Map<string, number>()

  before(async () => {
    server = await startScriptedServer()
    server.act = (recipient) => {
      if (recipient.startsWith('gone')) return { code: 550, text: '5.7.1 not welcome' }
      return recipient.startsWith('lost') ? 'hang up' : undefined
    }
    emailId = await console.fixture.email(await console.fixture.transport(server.dsn))
  })
  after(async () => {
    await server?.stop()
  })

  const send = async (name: string) => {
    const email = `${name}@orchard.example`
    const body = await console.ask('POST', '/api/contacts/new', { email })
    contacts.set(name, body.contact.id)
    const path = `/api/emails/${emailId}/contact/${body.contact.id}/send`
    await console.ask('POST', path)
  }
  const rows = () => console.page.row().filter({ hasText: '@orchard.example' })
  const outcomesOf = async (recipient: string) => {
    const found = await console.fixture.deliveries(`recipient=${recipient}`)
    return found.map(({ outcome }) => outcome)
  }

  test('new ones are announced at the top, and shown when the reader wants', async () => {
    const page = await console.open('/deliveries')
    await page.see('No delivery yet.')
    for (const name of ['ada', 'gone-bo', 'lost-cy', 'lost-di', 'lost-el']) await send(name)
    const show = page.button('Show 5 new deliveries')
    await show.waitFor()
    assert.equal(await rows().count(), 0)
    await show.click()
    await rows().nth(0).waitFor()
    assert.equal(await rows().count(), 5)
    assert.match(await rows().nth(0).innerText(), /lost-el@/)
  })

  test('new ones stay where the list was being read again while they were shown', async () => {
    const page = await console.open('/deliveries')
    await rows().nth(0).waitFor()
    const before = await rows().count()
    await send('eve')
    const show = page.button('Show 1 new delivery')
    await show.waitFor()
    const isRepeated = /\/api\/deliveries\?.*from=/
    const asked = () => page.asked.filter((url) => isRepeated.test(url)).length
    const answer = page.hold(isRepeated)
    const askedBefore = asked()
    await page.until(() => asked() > askedBefore, 'it is read again')
    await show.click()
    await page.link('eve@orchard.example').waitFor()
    answer()
    // The request after it shows that its answer was read.
    await page.until(() => asked() > askedBefore + 1, 'it is read once more')
    assert.equal(await rows().count(), before + 1)
    assert.equal(await show.count(), 0)
  })

  test('filters are in the address, and the CSV has what they choose', async () => {
    const page = await console.open('/deliveries')
    await page.filterBy('Outcome', 'Refused')
    await page.waitForURL(/\/deliveries\?outcome=refused$/)
    await page.getByText('ada@orchard.example').gone()
    await rows().nth(0).waitFor()
    assert.equal(await rows().count(), 1)
    assert.equal(new URL(page.url()).search, '?outcome=refused')
    const csv = (await page.download(page.link('Download CSV'))).trim().split('\n')
    assert.equal(csv.length, 2)
    assert.match(String(csv[1]), /gone-bo@orchard\.example.*550 5\.7\.1 not welcome/)
    await page.see(/^1 delivery$/)
    await page.enter({ Recipient: 'ada*' })
    await page.see('No delivery matches these filters.')
    await page.button('Remove the filter Outcome: Refused').click()
    await page.link('ada@orchard.example').waitFor()
    await page.button('Own range').click()
    await page.enter({ From: '2001-01-01T00:00', To: '2001-01-02T00:00' })
    await page.see('No delivery matches these filters.')
    await page.locator('.menu-list').button('Today').click()
    await page.link('ada@orchard.example').waitFor()
    await page.goBack()
    await page.see('No delivery matches these filters.')
  })

  test('one shows its attempts, route, reply, and other messages to the address', async () => {
    await send('gone-bo')
    const [last] = await console.fixture.deliveries('recipient=gone-bo@orchard.example')
    const page = await console.open(`/deliveries/${last.id}`)
    await page.region('Attempts').see('550 5.7.1 not welcome')
    await page.region('Route').see('Taken')
    await page.region('Message').see(last.messageId)
    const others = page.region('Other messages to this address')
    await others.see('Refused')
    await others.link('Show all').click()
    await rows().nth(1).waitFor()
    assert.equal(await rows().count(), 2)
    page.hold(/recipient=gone-bo/)(new Response('{"error": "The disk is full."}', { status: 500 }))
    await page.goto(`/deliveries/${last.id}`)
    await page.see('The disk is full.')
  })

  test('one is sent again to its contact, whose name it has: 2 clicks', async () => {
    const [last] = await console.fixture.deliveries('recipient=ada@orchard.example')
    const page = await console.open(`/deliveries/${last.id}`)
    await page.opens(last.subject)
    const contact = page.region('Message').link('ada@')
    assert.equal(await contact.getAttribute('href'), `/contacts/${contacts.get('ada')}`)
    await page.button('Send again').click()
    const dialog = page.dialog('Send the email to ada@orchard.example again?')
    await dialog.button('Send again').click()
    await page.see('Sent.')
    assert.deepEqual(await outcomesOf('ada@orchard.example'), ['accepted', 'accepted'])
  })

  test('uncertain ones say what to look for, and are decided one or many at once', async () => {
    const page = await console.open('/deliveries')
    await page.link('Uncertain (3)').click()
    await rows().nth(2).waitFor()
    const [delivery] = await console.fixture.deliveries('recipient=lost-cy@orchard.example')
    const text = delivery.messageId.slice(1, -1)
    await page.button(`Copy ${text}`).click()
    assert.equal(page.copied, text)
    for (const name of ['lost-di', 'lost-el'])
      await rows().filter({ hasText: name }).getByRole('checkbox').check()
    await page.button('It did not arrive').click()
    const dialog = page.dialog('Did none of the 2 arrive?')
    await dialog.waitFor()
    await dialog.button('It did not arrive').click()
    await page.see('2 deliveries are decided.')
    await rows().nth(1).gone()
    assert.deepEqual(await outcomesOf('lost-di@orchard.example'), ['deferred'])
    assert.deepEqual(await outcomesOf('lost-el@orchard.example'), ['deferred'])
    await page.link('lost-cy@orchard.example').click()
    await page.see(`Search the log of smtp://127.0.0.1:${server.port}`)
    await page.confirm('It arrived')
    await page.see('1 delivery is decided.')
    assert.deepEqual(await outcomesOf('lost-cy@orchard.example'), ['accepted'])
  })

  test('a viewer sees no addresses, and can neither filter by them nor decide', async () => {
    await send('lost-fi')
    const viewer = await addUser(console.service, { email: ['view'] })
    const page = await console.open('/deliveries?outcome=uncertain', viewer)
    await page.link('********').click()
    await page.region('Attempts').see('Uncertain')
    assert.doesNotMatch(await page.getByRole('main').innerText(), /orchard\.example:|lost-fi/)
    assert.equal(await page.button(/arrive/).count(), 0)
    await page.goBack()
    await page.see('Deciding needs the permission to send emails.')
    assert.equal(await page.getByRole('checkbox').count(), 0)
    assert.equal(await page.getByLabel('Recipient').count(), 0)
  })
})

describe('100,000 deliveries', () => {
  let console: TestScreens
  let database: TestDatabase | undefined
  before(async () => {
    database = await testDatabases[0]?.create()
    assert.ok(database)
    await fillDatabase({
      databaseUrl: database.url,
      transports: 100,
      deliveries: 100_000,
      contacts: 1_000,
    })
    console = await openTestScreens({ database, isStarted: false })
  })
  after(async () => {
    await console?.close()
    await database?.drop()
  })

  test('are shown page by page, each as short as the first', async () => {
    const page = await console.open('/deliveries')
    const ids = () =>
      page
        .locator('tbody a[href^="/deliveries/"]')
        .elements()
        .map((link) => link.getAttribute('href'))
    await page.button('Older').click()
    await page.button('Newest').waitFor()
    await page.waitForURL(/next=99951$/)
    await page.locator('a[href="/deliveries/99950"]').waitFor()
    const second = ids()
    assert.equal(second.length, 50)
    assert.equal(second.at(-1), '/deliveries/99901')
    await page.goto('/deliveries?outcome=uncertain')
    await page.link('Uncertain (20)').waitFor()
    assert.equal(ids().length, 20)
  })
})
