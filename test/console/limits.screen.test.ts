import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { addEmail, addTransport, addUser } from '../callers.ts'
import { until } from '../until.ts'
import { exact } from './part.ts'
import { useScreens } from './test-screens.ts'

describe('limits in the console', () => {
  const console = useScreens()
  let transportId: number

  before(async () => {
    const transport = { name: 'Newsletter server', mailerDsn: 'null://null' }
    transportId = (await addTransport(console.service, transport)).id
  })

  test('a limit with a warm-up is made for a transport, whose page then shows it', async () => {
    const page = await console.open('/limits')
    await page.link('Add a limit').first().click()
    const discard = page.button('Discard changes')
    await page.getByLabel('Name', exact).waitFor()
    assert.equal(await discard.count(), 0, 'nothing is typed yet')
    await page.getByLabel('Name', exact).fill('SES account')
    await discard.waitFor()
    await page.getByRole('combobox', { name: 'Add a transport' }).fill('News')
    await page.option(/Newsletter server/).click()
    await page.button('Save').click()
    await page.see('is missing: give at least one of')
    await page.getByLabel('Recipients per second').fill('14')
    await page.getByLabel('Start slowly and send more each day').check()
    await page.getByRole('slider', { name: /Recipients per day: 25,949 on day 13/ }).waitFor()
    await page.getByLabel('Recipients per day', exact).fill('5000')
    await page.getByRole('slider', { name: /Recipients per day: 5,000 on day 30/ }).waitFor()
    const growth = page.getByLabel('Growth per day, in percent')
    await growth.fill('2000')
    await page.button('Save').click()
    await page.locator('[aria-invalid="true"]').waitFor()
    assert.equal(await growth.getAttribute('aria-invalid'), 'true')
    await growth.fill('50')
    await page.getByLabel('When it is reached').selectOption('next')
    await page.see('A message that names its transport waits instead.')
    await page.button('Save').click()
    await page.see(
      'Limit "SES account" is saved.',
      'Today is day 1: it allows 200 recipients.',
      'Today (UTC): 0 of 200 used',
    )

    await page.goto(`/transports/${transportId}`)
    await page.getByRole('heading', { name: 'Limits' }).waitFor()
    await page.link('SES account').waitFor()
    await page.see('This second: 0 of 14 used')

    await page.goto('/limits')
    await page.link('SES account').waitFor()
    await page.see('Today (UTC): 0 of 200 used')
  })

  test('bars show what is used, and when a full limit is free again', async () => {
    const { service } = console
    const transport = await addTransport(service, { mailerDsn: 'inbox://local' })
    const limit = { name: 'Small account', transports: [transport.id], perDay: 1, perMonth: 40 }
    await service.ask('POST', '/api/limits/new', limit)
    const email = await addEmail(service, { plainText: 'Hello' })
    const assignment = `/api/multipleTransport/transportEmail/${email.id}`
    await service.ask('POST', assignment, { transportId: transport.id })
    const { body } = await service.ask('POST', '/api/contacts/new', { email: 'ada@example.com' })
    await until(async () => {
      const path = `/api/emails/${email.id}/contact/${body.contact.id}/send`
      await service.ask('POST', path)
      const { limits } = (await service.ask('GET', '/api/limits?with=usage&search=Small')).body
      return limits[0].usage.windows[0].left === 0
    }, 'the limit is used')
    const page = await console.open('/limits')
    const row = page.row(/Small account/)
    await row.see('Today (UTC): 1 of 1 used', 'Free again', /This month \(UTC\): \d+ of 40 used/)
  })

  test('a new sender is warmed up in 5 clicks, with the numbers of its provider', async () => {
    const page = await console.open('/limits')
    await page.link('Add a limit').click()
    await page.getByLabel('Name', exact).fill('New sender')
    await page.getByRole('combobox', { name: 'Add a transport' }).fill('News')
    await page.option(/Newsletter server/).click()
    const preset = page.getByLabel('Fill in what a provider allows')
    await preset.selectOption({ label: 'Amazon SES: Production, at first' })
    await page.link('docs.aws.amazon.com').waitFor()
    await page.getByLabel('Start slowly and send more each day').check()
    const curve = page.getByRole('slider')
    await curve.press('ArrowRight')
    await page.see('Day 2: 300')
    await page.button('Save').click()
    await page.see('Limit "New sender" is saved.')
    const { body } = await console.service.ask('GET', '/api/limits?search=sender')
    const { perSecond, perDay, perMonth, warmUp } = body.limits[0]
    assert.deepEqual([perSecond, perDay, perMonth, warmUp.firstDay], [14, 50_000, null, 200])
  })

  test('who may only view limits changes none', async () => {
    const viewer = await addUser(console.service, { multipleTransports: ['view'] })
    const page = await console.open('/limits', viewer)
    await page.link('SES account').click()
    await page.getByRole('heading', { name: 'SES account' }).waitFor()
    assert.equal(await page.button(/Save|Delete/).count(), 0)
    assert.ok(await page.getByLabel('Recipients per second').isDisabled())
  })
})
