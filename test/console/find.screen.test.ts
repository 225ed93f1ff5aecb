import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { addTemplate, addTransport, addUser } from '../callers.ts'
import { useMailCatcher } from '../mail-catcher.ts'
import { useScreens } from './test-screens.ts'

const address = 'ada@orchard.example'

describe('the global search', () => {
  const console = useScreens()
  const catcher = useMailCatcher()
  before(async () => {
    const { service } = console
    for (let index = 0; index < 7; index += 1)
      await addTransport(service, {
        name: `Orchard ${index}`,
        mailerDsn: catcher.dsn,
        testedEmailFrom: `${index}@fruit.test`,
      })
    const [transport] = await console.ask('GET', '/api/multipleTransports?search=Orchard')
    await addTemplate(service, { name: 'Orchard footer' })
    const suppression = { address: 'gone@old.test', reason: 'bounced' }
    await service.askFor('POST', '/api/suppressions/new', suppression)
    await service.askFor('POST', '/api/limits/new', { name: 'Fruit hourly', perHour: 5 })
    const { fixture } = console
    const email = await fixture.email(transport.id, { name: 'Orchard news' })
    const contact = { email: address, firstname: 'Ada', lastname: 'Orchard' }
    await fixture.send(email, (await fixture.contact(contact)).id)
    assert.equal(catcher.mails.length, 1)
  })

  const search = () => console.page.combobox('Find')
  const group = (name: string) => console.page.getByRole('group', { name })

  test('finds five of each area, and opens the chosen one by keyboard', async () => {
    const page = await console.open('/')
    await page.opens('Overview')
    await page.keyboard.press('/')
    await search().fill('orchard')
    await group('Contacts').see('Ada Orchard')
    assert.equal(await group('Transports').option().count(), 5)
    const first = await group('Transports').option().nth(0).innerText()
    assert.match(first, /SMTP server, 127\.0\.0\.1:\d+$/)
    for (let step = 0; step < 5; step += 1) await page.keyboard.press('ArrowDown')
    const chosen = page.dialog().locator('[aria-selected=true]')
    assert.match(await chosen.innerText(), /Orchard footer/)
    await page.keyboard.press('Enter')
    await search().gone()
    assert.match(page.url(), /\/templates\/\d+$/)
  })

  test('finds the deliveries to an address, screens and actions by name, and records by several words', async () => {
    const page = await console.open('/health')
    await page.opens('Health')
    await page.keyboard.press('Control+k')
    await search().fill('deliv')
    await group('Screens').see('Deliveries')
    await search().fill('new transport')
    await group('Actions').see('Add a transport')
    await search().fill('drill fire')
    await group('Actions').see('Fire drill')
    await search().fill('warm-up')
    await group('Settings').see('Limits: Warm-up')
    await group('Help').see('Warm up a new sender')
    await search().fill('gone@old')
    await group('Suppressions').see('gone@old.test')
    await search().fill('fruit hourly')
    await group('Limits').see('Fruit hourly')
    await search().fill('footer orch')
    await group('Templates').see('Orchard footer')
    await search().fill('3@fruit.test')
    await group('Transports').see('Orchard 3')
    await search().fill(address.toUpperCase())
    await group('Deliveries').see('Accepted')
    await group('Deliveries').option().click()
    await page.getByText(address).nth(0).waitFor()
    assert.match(page.url(), /\/deliveries\/\d+$/)
  })

  test('does what is typed, and forgives small typing errors', async () => {
    const page = await console.open('/health')
    await page.opens('Health')
    const type = async (text: string) => {
      await page.keyboard.press('Control+k')
      await search().fill(text)
    }
    await type('hold 3 orchard')
    await group('Actions').see('Hold or release the messages of Orchard 3')
    await page.keyboard.press('Enter')
    await page.opens('Queue')
    assert.match(page.url(), /\/queue\?transportId=\d+$/)
    await type('send a test orchard 5')
    await group('Actions').see('Send a test through Orchard 5')
    await search().fill('add wehbook')
    await group('Actions').see('Add a webhook')
    await search().fill('ada@orchrad')
    await group('Contacts').see('Ada Orchard')
    await search().fill('keyboard')
    await group('Settings').see('Keys')
    await page.keyboard.press('Enter')
    await page.dialog('Keys').waitFor()
    await page.keyboard.press('Escape')
    await type('log out')
    await group('Actions').see('Log out')
    await page.keyboard.press('Enter')
    await page.button('Log in').waitFor()
  })

  test('asks when typing pauses, and once for each area', async () => {
    const page = await console.open('/')
    await page.button('Find').click()
    for (let end = 1; end <= 7; end += 1) await search().fill('orchard'.slice(0, end))
    await group('Emails').see('Orchard news')
    const asked = page.asked.flatMap((url) => /[?&]search=(\w+)/.exec(url)?.[1] ?? [])
    assert.equal(asked.filter((text) => text === 'orchard').length, 9)
    assert.ok(asked.length < 9 * 'orchard'.length, asked.join())
    await search().fill('xyzzyq')
    await page.see('Nothing has “xyzzyq” in it.')
    await page.keyboard.press('Escape')
    await search().gone()
  })

  test('finds only what the user may view', async () => {
    const author = await addUser(console.service, { twigtemplates: ['view'] })
    const page = await console.open('/', author)
    await page.button('Find').click()
    await search().fill('orchard')
    await group('Templates').see('Orchard footer')
    await group('Emails').gone()
    await search().fill('new transport')
    await group('Help').option().nth(0).waitFor()
    await group('Actions').gone()
  })
})
