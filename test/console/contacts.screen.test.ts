import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { addUser } from '../callers.ts'
import { type ScriptedServer, startScriptedServer } from '../scripted-server.ts'
import { type TestScreens, useScreens } from './test-screens.ts'

describe('contacts in the console', () => {
  const console = useScreens()
  let server: ScriptedServer
  const ask: TestScreens['service']['ask'] = (...request) => console.service.ask(...request)
  before(async () => {
    server = await startScriptedServer()
  })
  after(async () => {
    await server?.stop()
  })

  const addContact = async (values: object): Promise<number> =>
    (await ask('POST', '/api/contacts/new', values)).body.contact.id

  test('show what was sent to them, newest first, and an email is sent again in two clicks', async () => {
    const emailId = await console.fixture.email(await console.fixture.transport(server.dsn), {
      subject: 'Spring',
    })
    const id = await addContact({ email: 'jane@example.com', firstname: 'Jane' })
    server.act = () => ({ code: 550, text: '5.7.1 no spring here' })
    await ask('POST', `/api/emails/${emailId}/contact/${id}/send`, {})
    server.act = () => ({ code: 450, text: '4.2.0 later' })
    await ask('POST', `/api/emails/${emailId}/contact/${id}/send`, {})
    await ask('POST', '/api/suppressions/new', { address: 'jane@example.com' })
    server.act = () => undefined
    const page = await console.open(`/contacts/${id}`)
    await page.opens('jane@example.com')
    const entries = page.region('What happened').getByRole('listitem')
    await entries.filter({ hasText: /Refused.*Spring.*no spring here/s }).waitFor()
    await entries.filter({ hasText: /Spring, in the queue/ }).waitFor()
    const hasText = /Suppression.*Added manually/s
    await entries.nth(0).filter({ hasText }).waitFor()
    const again = page.button('Send again')
    assert.equal(await again.count(), 1, 'what is in the queue is not offered')
    await again.click()
    const dialog = page.dialog('Send the email to jane@example.com again?')
    await dialog.button('Send again').click()
    await page.see('Sent.')
    await entries.filter({ hasText: /Accepted.*Spring/s }).waitFor()
    assert.deepEqual(server.taken, ['jane@example.com'])
  })

  test('are found by their tag', async () => {
    await addContact({ email: 'ida@example.com', tags: ['fair', 'vip'] })
    await addContact({ email: 'joe@example.com', tags: ['fair 2'] })
    const page = await console.open('/contacts')
    await page.link('fair').click()
    await page.row(/joe@/).gone()
    await page.row(/ida@example\.com/).waitFor()
    await page.link('ida@example.com').click()
    await page.region('Details').link('vip').click()
    await page.button('Remove the filter Tag: vip').waitFor()
    await page.link('ida@example.com').waitFor()
  })

  test('are added with a form, changed, found, and deleted, but not by a user who may only view them', async () => {
    const page = await console.open('/contacts/new')
    await page.enter({ Email: 'kim@example.com', 'First name': 'Kim', Tags: 'customer,vip,' })
    await page.pick('Owner', 'adm', /admin/)
    await page.button('Save').click()
    await page.opens('kim@example.com')
    await page.edit()
    await page.button('Remove vip').click()
    await page.getByText('Phone and address').click()
    await page.enter({ City: 'Bern' })
    await page.button('Save').click()
    await page.see('Contact kim@example.com is saved.')
    const path = new URL(page.url()).pathname
    const body = await console.ask('GET', `/api${path}`)
    const { firstname, city } = body.contact.fields.all
    assert.deepEqual([firstname, city, body.contact.tags], ['Kim', 'Bern', [{ tag: 'customer' }]])
    await console.open(path, await addUser(console.service, { contact: ['view'] }))
    await page.opens('kim@example.com')
    await page.region('Details').see('Bern')
    assert.equal(await page.button(/Save|Edit|Send/).count(), 0)
    await console.open('/contacts')
    await page.link('ida@example.com').waitFor()
    await page.enter({ 'Search by address, name or company': 'kim' })
    await page.link('ida@example.com').gone()
    await page.link('kim@example.com').click()
    await page.askToDelete()
    await page.dialog('Delete contact "kim@example.com"?').button('Delete').click()
    await page.link('ida@example.com').waitFor()
    assert.equal(await page.link('kim@example.com').count(), 0)
  })
})
