import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { addUser } from '../callers.ts'
import { type ScriptedServer, startScriptedServer } from '../scripted-server.ts'
import { createSendFixture } from '../send-fixture.ts'
import { exact } from './part.ts'
import { type TestScreens, useScreens } from './test-screens.ts'

describe('contacts in the console', () => {
  const console = useScreens()
  let server: ScriptedServer
  const fixture = createSendFixture(() => console.service)
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
    const emailId = await fixture.email(await fixture.transport(server.dsn), { subject: 'Spring' })
    const id = await addContact({ email: 'jane@example.com', firstname: 'Jane' })
    server.act = () => ({ code: 550, text: '5.7.1 no spring here' })
    await ask('POST', `/api/emails/${emailId}/contact/${id}/send`, {})
    server.act = () => ({ code: 450, text: '4.2.0 later' })
    await ask('POST', `/api/emails/${emailId}/contact/${id}/send`, {})
    await ask('POST', '/api/suppressions/new', { address: 'jane@example.com' })
    server.act = () => undefined
    const page = await console.open(`/contacts/${id}`)
    await page.getByRole('heading', { name: 'jane@example.com' }).waitFor()
    const entries = page.region('What happened').getByRole('listitem')
    await entries.filter({ hasText: /Refused.*Spring.*no spring here/s }).waitFor()
    await entries.filter({ hasText: /Spring, in the queue/ }).waitFor()
    await entries
      .first()
      .filter({ hasText: /Suppression.*Added manually/s })
      .waitFor()
    const again = page.button('Send again')
    assert.equal(await again.count(), 1, 'what is in the queue is not offered')
    await again.click()
    const dialog = page.dialog('Send “Spring” to jane@example.com again?')
    await dialog.button('Send again').click()
    await page.see('Sent to jane@example.com.')
    await entries.filter({ hasText: /Accepted.*Spring/s }).waitFor()
    assert.deepEqual(server.taken, ['jane@example.com'])
  })

  test('are found by their tag, and their fields are changed', async () => {
    const id = await addContact({ email: 'ida@example.com', tags: ['fair', 'vip'] })
    await addContact({ email: 'joe@example.com', tags: ['fair 2'] })
    const page = await console.open('/contacts')
    await page.link('fair', exact).click()
    await page.row(/joe@/).waitFor({ state: 'detached' })
    await page.row(/ida@example\.com/).waitFor()
    await page.link('ida@example.com').click()
    await page.region('State').link('vip').click()
    await page.button('Remove the filter Tag: vip').waitFor()
    await page.link('ida@example.com').click()
    await page.getByLabel('First name').fill('Ida')
    await page.getByText('Phone and address').click()
    await page.getByLabel('City').fill('Bern')
    await page.button('Save').click()
    await page.see('Contact ida@example.com is saved.')
    const { body } = await ask('GET', `/api/contacts/${id}`)
    const { firstname, city } = body.contact.fields.all
    assert.deepEqual([firstname, city], ['Ida', 'Bern'])
  })

  test('are added with a form, and a user who may only view them cannot change the fields', async () => {
    const page = await console.open('/contacts/new')
    await page.getByLabel('Email').fill('kim@example.com')
    await page.button('Save').click()
    await page.getByRole('heading', { name: 'kim@example.com' }).waitFor()
    const viewer = await addUser(console.service, { contact: ['view'] })
    await console.open(new URL(page.url()).pathname, viewer)
    await page.getByRole('heading', { name: 'kim@example.com' }).waitFor()
    assert.ok(await page.getByLabel('Email').isDisabled())
    assert.equal(await page.button(/Save|Delete|Send/).count(), 0)
  })
})
