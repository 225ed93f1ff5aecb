import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { addTransport, addUser } from '../callers.ts'
import { addBrand } from '../mautics.ts'
import { submitQueued } from '../queue/submit-queued.ts'
import { until } from '../until.ts'
import { useScreens } from './test-screens.ts'

describe('limits in the console', () => {
  const console = useScreens()
  let transportId: number

  before(async () => {
    const transport = { name: 'Newsletter server', mailerDsn: 'null://null' }
    transportId = (await addTransport(console.service, transport)).id
  })

  test('a limit with a warm-up is made for a transport, whose page then shows it, or from the numbers of a provider', async () => {
    const page = await console.open('/limits')
    await page.link('Add a limit').nth(0).click()
    const discard = page.button('Discard changes')
    await page.getByLabel('Name').waitFor()
    assert.equal(await discard.count(), 0, 'nothing is typed yet')
    await page.enter({ Name: 'SES account' })
    await discard.waitFor()
    await page.pick('Add a transport', 'News', /Newsletter server/)
    await page.button('Save').click()
    await page.see('is missing: give at least one of')
    await page.enter({ 'Recipients per second': '14', 'Start slowly and send more each day': true })
    await page.getByRole('img', { name: /Recipients per day: 25,949 on day 13/ }).waitFor()
    await page.enter({ 'Recipients per day': '5000' })
    await page.getByRole('img', { name: /Recipients per day: 5,000 on day 30/ }).waitFor()
    const growth = page.getByLabel('Growth per day, in percent')
    await growth.fill('2000')
    await page.button('Save').click()
    await page.locator('[aria-invalid="true"]').waitFor()
    assert.equal(await growth.getAttribute('aria-invalid'), 'true')
    await growth.fill('50')
    await page.enter({ 'When it is reached': 'next' })
    await page.see('A message that names its transport waits instead.')
    await page.button('Save').click()
    await page.see(
      'Limit "SES account" is saved.',
      'Today is day 1: it allows 200 recipients.',
      'Today: 0 of 200 used',
    )

    await page.goto(`/transports/${transportId}`)
    await page.link('SES account').waitFor()
    await page.see('This second: 0 of 14 used')

    await page.goto('/limits')
    await page.link('SES account').waitFor()
    await page.see('Today: 0 of 200 used')
    await page.link('Add a limit').click()
    await page.enter({ 'Fill in what a provider allows': 'Amazon SES: Production, at first' })
    await page.link('docs.aws.amazon.com').waitFor()
    assert.equal(await page.getByLabel('Recipients per second').inputValue(), '14')
    await page.enter({ 'Start slowly and send more each day': true })
    await page.see('Day 1 (today): 200')
  })

  test('bars show what is used, and when a full limit is free again', async () => {
    const { service } = console
    const transport = await addTransport(service, { mailerDsn: 'inbox://local' })
    const limit = { name: 'Small account', transports: [transport.id], perDay: 1, perMonth: 40 }
    await service.ask('POST', '/api/limits/new', limit)
    const email = await console.fixture.email(transport.id)
    const { id } = await console.fixture.contact()
    await until(async () => {
      await service.ask('POST', `/api/emails/${email}/contact/${id}/send`)
      const { limits } = await console.ask('GET', '/api/limits?with=usage&search=Small')
      return limits[0].usage.windows[0].left === 0
    }, 'the limit is used')
    const page = await console.open('/limits')
    const row = page.row(/Small account/)
    await row.see('Today: 1 of 1 used', 'Free again', /This month: \d+ of 40 used/)
  })

  test('who may only view limits changes none', async () => {
    const viewer = await addUser(console.service, { multipleTransports: ['view'] })
    const page = await console.open('/limits', viewer)
    await page.link('SES account').click()
    await page.opens('SES account')
    await page.region('Details').see('5,000')
    assert.equal(await page.button(/Save|Edit|Delete/).count(), 0)
  })

  test('the page of a budget says what it is, and the queue who waits for it', async () => {
    const { service } = console
    const brand = await addBrand(service)
    const { limit } = await service.askFor('POST', '/api/limits/new', {
      name: 'Budget',
      brand,
      perDay: 1,
    })
    const mautic = { id: 1_000 + brand, name: 'M', brand }
    for (let count = 0; count < 2; count++)
      await submitQueued(service, { transport: transportId, mautic })
    await service.app.idle()
    const page = await console.open(`/limits/${limit.id}?edit=1`)
    await page.see('the limit is the budget of its brand')
    await page.goto(`/limits/${limit.id}`)
    await page.see(/^Newsletter server: \d messages? waiting$/)
    await page.goto(`/queue?brand=${brand}`)
    await page.row(/Newsletter server/).see('waits for limit Budget')
  })
})
