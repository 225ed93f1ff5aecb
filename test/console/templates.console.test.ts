import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { needsBrowser } from '../browser/launch.ts'
import { addEmail, addTemplate, addTransport, addUser } from '../callers.ts'
import { useMailCatcher } from '../mail-catcher.ts'
import { completeWith, useTestConsole } from './test-console.ts'

describe('templates in the console', needsBrowser, () => {
  const console = useTestConsole(() => ({ config: { adminEmail: 'admin@example.com' } }))
  const catcher = useMailCatcher()
  before(async () => {
    const carla = { email: 'carla@example.net', firstname: 'Carla' }
    await console.service.ask('POST', '/api/contacts/new', carla)
  })
  const code = (page: Page) => page.getByRole('textbox', { name: 'Code', exact: true })
  const preview = (page: Page) => page.frameLocator('iframe[title="Preview"]')
  const replaceCode = async (page: Page, text: string) => {
    await code(page).click()
    await page.keyboard.press('Control+A')
    await page.keyboard.insertText(text)
  }

  test('a template is written with completions and marked faults, previewed for JSON and a contact, tested, and used', async () => {
    await addTransport(console.service, { name: 'Catcher', mailerDsn: catcher.dsn })
    await addTemplate(console.service, { name: 'shared footer', template: 'of us' })
    const page = await console.open('/templates/new')
    await page.getByLabel('Name', { exact: true }).fill('greeting')
    await replaceCode(page, 'Hello\n{{ contact.firstname|uper }}')
    const remark = page.getByRole('button', { name: /Line 2:\d+ .*Did you mean "upper"/ })
    await remark.waitFor()
    await page.locator('.cm-lintRange-error').waitFor()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('alert').getByText(/uper/).waitFor()
    await remark.click()
    await page.keyboard.press('Control+Delete')
    await page.keyboard.insertText('upper ')
    await remark.waitFor({ state: 'detached' })
    await preview(page).getByText('Hello ANN').waitFor()

    await replaceCode(page, 'Hello ')
    await page.keyboard.type('{{ contact.firstn')
    await page.getByRole('option', { name: 'firstname' }).click()
    await page.keyboard.type('|capit')
    await page.getByRole('option', { name: 'capitalize' }).click()
    await page.keyboard.press('Control+End')
    await page.keyboard.type(" {% include 'shared f")
    await completeWith(page, 'shared footer')
    await page.keyboard.press('Control+End')
    await page.keyboard.insertText(' from {{ brand }}')
    await preview(page).getByText('Hello Ann of us from').waitFor()

    await page.getByRole('tab', { name: 'Data' }).click()
    const json = page.getByRole('textbox', { name: 'Variables as JSON' })
    await json.click()
    await page.keyboard.press('Control+A')
    await page.keyboard.insertText('{"contact": {"firstname": "Bea"}, "brand": "Nuts & bolts"}')
    await page.getByRole('tab', { name: 'Preview' }).click()
    await preview(page).getByText('Hello Bea of us from Nuts & bolts').waitFor()

    await page.getByRole('tab', { name: 'Data' }).click()
    await page.getByLabel('Render with').selectOption('A contact')
    await page.getByRole('combobox', { name: 'Contact' }).fill('carla')
    await page.getByRole('option', { name: 'carla@example.net' }).click()
    await page.getByRole('tab', { name: 'Preview' }).click()
    await page.getByRole('tab', { name: 'Text' }).click()
    await page.getByText('Hello Carla of us from Nuts & bolts').waitFor()
    await page.getByRole('button', { name: 'Send a test' }).click()
    await page.getByRole('combobox', { name: 'Transport' }).fill('Catch')
    await page.getByRole('option', { name: 'Catcher' }).click()
    await page.getByRole('button', { name: 'Send the test' }).click()
    await page.getByText('Sent to admin@example.com.').waitFor()
    assert.match(catcher.mails[0]?.raw ?? '', /Hello Carla of us from Nuts/)
    await page.getByRole('button', { name: 'Close' }).first().click()

    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { name: 'greeting' }).waitFor()
    // The data of the new template is kept for the saved one.
    await page.reload()
    await preview(page).getByText('Hello Carla of us from Nuts & bolts').waitFor()
    const id = new URL(page.url()).pathname.split('/').at(-1)
    await addEmail(console.service, { name: 'Invitation', customHtml: `{twigtemplate=${id}}` })
    await page.getByRole('tab', { name: 'Used by' }).click()
    await page.getByRole('link', { name: 'Invitation' }).waitFor()
  })

  test('before a save, each email and template that changes is shown; a version is restored, and no change of someone else is lost', async () => {
    const { service } = console
    const { id } = await addTemplate(service, { name: 'closing', template: 'Kind regards' })
    await addEmail(service, { name: 'News', customHtml: `<p>{twigtemplate=${id}}</p>` })
    await addEmail(service, { name: 'Other', customHtml: '<p>Hello</p>' })
    const page = await console.open(`/templates/${id}`)
    await replaceCode(page, 'See you soon')
    await page.getByRole('button', { name: 'Save' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('2 of 2 change, this template included.').waitFor()
    // The template itself changes in the same way.
    await dialog.getByText('and 1 more change in the same way').waitFor()
    await dialog.frameLocator('iframe[title="Before"]').getByText('Kind regards').waitFor()
    await dialog.frameLocator('iframe[title="After"]').getByText('See you soon').waitFor()
    const saved = async () =>
      (await service.ask('GET', `/api/twigTemplates/${id}`)).body.twigTemplate.template
    assert.equal(await saved(), 'Kind regards')
    await dialog.getByLabel('Note on this change (optional)').fill('Friendlier.')
    await dialog.getByRole('button', { name: 'Save the change' }).click()
    await dialog.waitFor({ state: 'hidden' })
    assert.equal(await saved(), 'See you soon')
    await page.getByRole('tab', { name: 'Versions' }).click()
    await page.getByText('Friendlier.').waitFor()
    await page.getByTitle('1 line added, 1 removed').waitFor()

    await page.getByRole('button', { name: 'Compare version 1' }).click()
    await page.getByRole('textbox', { name: 'Version 1' }).getByText('Kind regards').waitFor()
    await dialog.getByRole('button', { name: 'Close' }).click()
    await page.getByRole('button', { name: 'Restore version 1' }).click()
    await dialog.getByText('2 of 2 change, this template included.').waitFor()
    await dialog.getByRole('button', { name: 'Save the change' }).click()
    await page.getByText('Restored version 1').waitFor()
    assert.equal(await saved(), 'Kind regards')
    await code(page).getByText('Kind regards').waitFor()

    await replaceCode(page, 'Mine')
    await page.getByRole('button', { name: 'Restore version 2' }).click()
    await dialog.getByText('It replaces your changes on this page').waitFor()
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await service.ask('PATCH', `/api/twigTemplates/${id}/edit`, { template: 'Theirs' })
    await page.getByRole('button', { name: 'Save' }).click()
    await dialog.getByRole('button', { name: 'Save the change' }).click()
    const conflict = page.getByRole('region', { name: 'Concurrent change' })
    await conflict.getByText('Someone else has changed this in the meantime.').waitFor()
    await conflict
      .getByRole('textbox', { name: 'Saved by someone else' })
      .getByText('Theirs')
      .waitFor()
    await conflict.getByRole('textbox', { name: 'In your editor' }).getByText('Mine').waitFor()
    await page.getByRole('button', { name: 'Take their version' }).click()
    await code(page).getByText('Theirs').waitFor()

    // Who may only view is offered no change; an author needs no contacts, emails and transports.
    await service.ask('PATCH', `/api/twigTemplates/${id}/edit`, { template: 'Hello you' })
    const viewer = await addUser(console.service, { twigtemplates: ['view'] })
    await console.open(`/templates/${id}`, viewer)
    await preview(page).getByText('Hello you').waitFor()
    assert.equal(await code(page).getAttribute('aria-readonly'), 'true')
    assert.equal(await page.getByRole('button', { name: /^(Save|Delete|Send a test)/ }).count(), 0)
    assert.equal(await page.getByLabel('Name', { exact: true }).count(), 0)
    const permissions = { twigtemplates: ['view', 'create', 'edit', 'delete', 'publish'] }
    await console.open(`/templates/${id}`, await addUser(console.service, permissions))
    await replaceCode(page, 'Hello {{ contact.firstname }}')
    await preview(page).getByText('Hello Ann').waitFor()
    assert.equal(await page.getByRole('tab', { name: 'Used by' }).count(), 0)
    assert.equal(await page.getByRole('button', { name: 'Send a test' }).count(), 0)
    await page.getByRole('tab', { name: 'Data' }).click()
    await page.getByRole('textbox', { name: 'Variables as JSON' }).waitFor()
    assert.equal(await page.getByLabel('Render with').count(), 0)
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText(/^Template ".*" is saved\.$/).waitFor()
    assert.equal(await page.getByText('Unsaved changes').count(), 0)
  })
})
