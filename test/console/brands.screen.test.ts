import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { addEmail, addTransport } from '../callers.ts'
import { addBrand, closeMautics } from '../mautics.ts'
import { useScreens } from './test-screens.ts'

describe('brands in the console', () => {
  const console = useScreens({ config: { allowedRecipients: ['dev@example.com', 'test.example'] } })
  after(closeMautics)

  /** Opens a page in a session of the administrator that has these members, too. */
  const openAs = async (path: string, members: object) => {
    const user = { id: 1, name: 'admin', email: 'admin@example.com' }
    const page = await console.open('/queue')
    page.hold(/\/api\/session$/)(
      Response.json({ user, permissions: ['*'], smtp: null, ...members }),
    )
    await page.goto(path)
    return page
  }

  test('a list has the dot of a brand in place of its name, and the switch limits every list until all are chosen', async () => {
    const shop = await addBrand(console.service, { name: 'Shop', color: '#dc2626' })
    const lab = await addBrand(console.service, { name: 'Lab' })
    await addTransport(console.service, { name: 'Shop · Newsletters', brand: shop })
    await addTransport(console.service, { name: 'Lab · Receipts', brand: lab })
    await addTransport(console.service, { name: 'Shared' })
    await addEmail(console.service, { name: 'Sale', brand: shop })
    await addEmail(console.service, { name: 'News of all' })
    const page = await console.open('/transports')
    await page.row('Newsletters').getByRole('img', { name: 'Shop' }).waitFor()
    await page.row('Receipts').getByRole('img', { name: 'Lab' }).waitFor()
    assert.equal(await page.row('Shared').getByRole('img').count(), 0)
    await page.enter({ 'Shown brand': 'Shop' })
    await page.row('Shared').gone()
    await page.row('Newsletters').waitFor()
    await page.waitForURL(new RegExp(`transports[?]brand=${shop}$`))
    await page.link('Emails').click()
    await page.row('Sale').waitFor()
    assert.equal(await page.row('News of all').count(), 0)
    await page.waitForURL(new RegExp(`/emails[?]brand=${shop}$`))
    // As in another window of the same tab's session, without the address.
    await page.goto('/emails')
    await page.row('Sale').waitFor()
    assert.equal(await page.row('News of all').count(), 0)
    await page.enter({ 'Shown brand': 'All brands' })
    await page.row('News of all').waitFor()
    await page.waitForURL(/emails$/)
  })

  test('every list of records, messages and counts is asked for the shown brand', async () => {
    const brand = await addBrand(console.service, { name: 'Asked' })
    const records = ['limits', 'senders/keys', 'templates', 'contacts', 'suppressions', 'mautics']
    const page = await console.open(`/access/clients?brand=${brand}`)
    for (const path of [...records, 'webhooks', 'transports?view=deleted', 'access/clients']) {
      await page.goto(`/${path}${path.includes('?') ? '&' : '?'}brand=${brand}`)
      const isAsked = (url: string) =>
        new URLSearchParams(url.split('?')[1]).get('where[0][val]') === String(brand)
      await page.until(() => page.asked.some(isAsked), `${path} asks for the brand`)
      await page.see(/matches\.$/)
    }
    const { id } = await addTransport(console.service, { brand })
    const ofMessages = {
      deliveries: 'deliveries',
      queue: 'queue/brakes',
      inbox: 'inbox',
      senders: 'senders',
      transports: 'deliveries/stats',
      [`transports/${id}`]: 'deliveries/transports',
    }
    for (const [path, answers] of Object.entries(ofMessages)) {
      await page.goto(`/${path}?brand=${brand}`)
      const isAsked = (url: string) => {
        const [asked, query] = url.split('?')
        const isOfBrand = new URLSearchParams(query).get('brand') === String(brand)
        return isOfBrand && asked === `/api/${answers}`
      }
      await page.until(() => page.asked.some(isAsked), `${path} asks for the brand`)
    }
  })

  test('a brand is no longer shown after a log-out, and after it is deleted', async () => {
    const brand = await addBrand(console.service, { name: 'Closed' })
    const page = await console.open(`/emails?brand=${brand}`)
    await page.button('Log out').click()
    await page.waitForURL(/emails$/)
    await console.open(`/brands/${brand}?brand=${brand}`)
    await page.askToDelete()
    await page.dialog().button('Delete').click()
    await page.waitForURL(/brands$/)
    await page.option('Closed').gone()
  })

  test('what is created while a brand is shown belongs to it', async () => {
    const brand = await addBrand(console.service, { name: 'Filled in' })
    const page = await console.open(`/limits/new?brand=${brand}`)
    assert.equal(await page.getByLabel('Brand').inputValue(), String(brand))
    await page.enter({ Name: 'Budget', 'Recipients per day': '100' })
    await page.button('Save').click()
    await page.opens('Budget')
    const { limits } = await console.ask('GET', '/api/limits?search=Budget')
    assert.equal(limits[0].brand, brand)
  })

  test('a new brand leads through its next steps, which a person can leave and come back to', async () => {
    const page = await console.open('/brands/new')
    await page.enter({ Name: 'Bakery', 'From domains and addresses': 'bakery.example' })
    await page.button('Save').click()
    await page.opens('Bakery')
    const steps = page.region('Next steps')
    await steps.link('Add a transport').click()
    await page.waitForURL(/transports\/new\?brand=\d+$/)
    await page.getByLabel('Brand').waitFor()
    const brand = Number(await page.getByLabel('Brand').inputValue())
    const transport = await addTransport(console.service, { brand })
    await page.goto(`/brands/${brand}`)
    await steps.see('Done')
    await steps.link('Test it').waitFor()
    await console.ask('POST', `/api/multipleTransports/send/test/${transport.id}`)
    await page.reload()
    await steps.link('Test it').gone()
    await steps.link('Add an OAuth client').click()
    await page.opens('New OAuth client')
    await page.enter({ Name: 'Till', 'Role of the client itself': 'Administrator' })
    await page.button('Save').click()
    await page.dialog().button('I have stored it').click()
    await page.goto(`/brands/${brand}`)
    await page.region('Mautics and OAuth clients').link('Till').waitFor()
    assert.equal(await steps.count(), 0)
    await page.region('Transports').link(transport.name).waitFor()
    await page.region('Alignment of its domains').link('bakery.example').waitFor()
  })

  test('a user is given brands, and without any has all', async () => {
    await addBrand(console.service, { name: 'For Eve' })
    const page = await console.open('/access/users/1?edit=1')
    await page.see('Without any: everything.')
    await page.locator('main').pick('Add one', 'For Eve')
    await page.link('For Eve').waitFor()
    await page.button('Remove For Eve').click()
    await page.link('For Eve').gone()
  })

  test('a banner names the allowed recipients on every page', async () => {
    for (const path of ['/transports', '/inbox']) {
      const page = await console.open(path)
      await page.see('Mail goes to allowed recipients only: dev@example.com and test.example.')
    }
  })

  test('a user of one brand has its name in place of the switch, and no choice of a brand', async () => {
    const brand = await addBrand(console.service, { name: 'Only one' })
    const page = await openAs('/limits/new', { brands: [brand] })
    await page.getByText('Only one').waitFor()
    await page.getByLabel('Name').waitFor()
    for (const label of ['Brand', 'Shown brand'])
      assert.equal(await page.getByLabel(label).count(), 0)
  })

  test('no step is shown to users who may not know whether it is done', async () => {
    const brand = await addBrand(console.service)
    const permissions = ['brand:view', 'multipleTransports:view']
    const page = await openAs(`/brands/${brand}`, { permissions })
    await page.see('It has no transport of its own.')
    assert.equal(await page.region('Next steps').count(), 0)
  })

  test('a banner says that a copy sends nothing, and an administrator confirms it', async () => {
    const unconfirmed = { reason: 'otherUrl', servedAs: 'https://mail.example.com' }
    const page = await openAs('/transports', { unconfirmed })
    await page.see('This is a copy: its database has served https://mail.example.com.')
    page.hold(/installation\/confirm$/)(Response.json({ success: true }))
    await page.confirm('Send from here')
    await page.until(
      () => page.asked.some((url) => url.endsWith('/api/installation/confirm')),
      'the copy is confirmed',
    )
  })

  test('a banner for others says who can confirm a copy', async () => {
    const page = await openAs('/transports', {
      unconfirmed: { reason: 'restored' },
      permissions: ['multipleTransports:view'],
    })
    await page.see('its database was restored from a backup.', 'An administrator can confirm it.')
    assert.equal(await page.button('Send from here').count(), 0)
  })
})
