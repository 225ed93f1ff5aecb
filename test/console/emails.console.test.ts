import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { needsBrowser } from '../browser/launch.ts'
import { addTemplate, addUser } from '../callers.ts'
import { useMailCatcher } from '../mail-catcher.ts'
import { completeWith, useTestConsole } from './test-console.ts'

describe('emails in the console', needsBrowser, () => {
  const catcher = useMailCatcher()
  const console = useTestConsole(() => ({
    config: { mailerDsn: catcher.dsn, adminEmail: 'admin@example.com' },
  }))
  before(async () => {
    await console.service.ask('POST', '/api/contacts/new', {
      email: 'carla@example.net',
      firstname: 'Carla',
      tags: ['newsletter'],
    })
  })

  test('an email is written with completed templates, seen as a contact gets it, tested, saved and sent', async () => {
    const { id, name } = await addTemplate(console.service, { name: 'brand footer' })
    const page = await console.open('/emails/new')
    const html = page.getByRole('textbox', { name: 'HTML', exact: true })
    await html.click()
    await page.keyboard.type('<p>{twigt')
    await page.getByRole('option', { name: 'twigtemplate=' }).click()
    await page.keyboard.type('brand')
    await completeWith(page, name)
    await html.getByText(`<p>{twigtemplate=${id}}`).waitFor()
    await page.keyboard.press('Control+End')
    await page.keyboard.insertText('\n{twigtemplate=4000}')
    await page.locator(`a[href="/templates/${id}"]`, { hasText: name }).waitFor()
    await page.getByRole('button', { name: 'Line 2:1 There is no template 4000.' }).waitFor()
    await page.getByLabel('Name', { exact: true }).fill('Invitation')
    await page.getByLabel('Subject', { exact: true }).fill('Come, {contactfield=firstname}')
    await html.fill('<p>Hello {contactfield=firstname}</p>')
    await page
      .getByRole('textbox', { name: 'Text', exact: true })
      .fill('Hello {contactfield=firstname}')
    await page.getByRole('button', { name: 'Add a header' }).click()
    await page.getByLabel('Name of header 1').fill('X-Campaign')
    await page.getByLabel('Value of header 1').fill('spring')

    await page.getByRole('combobox', { name: 'As this contact gets it' }).fill('carla')
    await page.getByRole('option', { name: 'carla@example.net' }).click()
    const preview = page.getByRole('region', { name: 'Preview' })
    await preview.getByText('Come, Carla').waitFor()
    await page.frameLocator('iframe').getByText('Hello Carla').waitFor()
    await preview.getByRole('tab', { name: 'Text' }).click()
    await preview.getByText('Hello Carla').waitFor()

    await page.getByRole('button', { name: 'Send a test to yourself' }).click()
    await preview.getByText('Sent to admin@example.com.').waitFor()
    assert.deepEqual(catcher.mails[0]?.to, ['admin@example.com'])
    assert.match(catcher.mails[0]?.raw ?? '', /^Subject: \[TEST\] Come, Carla/m)

    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { name: 'Invitation' }).waitFor()
    await page.getByRole('combobox', { name: 'As this contact gets it' }).fill('carla')
    await page.getByRole('option', { name: 'carla@example.net' }).click()
    await page.getByRole('button', { name: 'Send to this contact' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Send' }).click()
    await page.getByText('The transport accepted the message to carla@example.net.').waitFor()
    const mail = catcher.mails[1]
    assert.deepEqual(mail?.to, ['carla@example.net'])
    assert.match(mail?.raw ?? '', /^X-Campaign: spring/m)
  })

  test('who may only view gets the texts and the preview, and no way to change or send', async () => {
    const viewer = await addUser(console.service, { email: ['view'], contact: ['view'] })
    const page = await console.open('/emails/1', viewer)
    await page.getByRole('heading', { name: 'Sample email' }).waitFor()
    await page.frameLocator('iframe').getByText('this is a sample.').waitFor()
    assert.equal(await page.getByRole('button', { name: /^(Save|Edit|Send a test)/ }).count(), 0)
    assert.equal(await page.getByRole('textbox').count(), 0)
    await page.goto(`${console.url}/contacts/1`)
    await page.getByRole('link', { name: 'newsletter' }).waitFor()
    assert.equal(await page.getByRole('button', { name: /Save|Edit/ }).count(), 0)
  })
})
