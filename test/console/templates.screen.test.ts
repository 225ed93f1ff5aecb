import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { adminPassword } from '../administrator.ts'
import { addEmail, addTemplate, addUser } from '../callers.ts'
import { useScreens } from './test-screens.ts'

describe('templates in the console', () => {
  const console = useScreens()

  test('the list is searched, filtered and changed many at once', async () => {
    const { service } = console
    for (const name of ['bulk one', 'bulk two']) await addTemplate(service, { name, template: 'x' })
    await addEmail(service, { isTwig: true, plainText: '{{ include("bulk two") }}' })
    const page = await console.open('/templates?search=bulk')
    await page.row(/bulk two 1 email Never/).waitFor()
    await page.row(/bulk one Nothing Never/).waitFor()
    await page.link('bulk two').waitFor()
    await page.enter({ 'Templates: select all on this page': true })
    await page.button('Unpublish 2').click()
    const dialog = page.dialog('Unpublish 2 templates?')
    await dialog.button('Unpublish 2').click()
    await page.see('Unpublished: 2.')
    await page.filterBy('State', 'Unpublished')
    await page.link('bulk one').waitFor()
    await page.button('State: Unpublished').nth(0).click()
    await page.locator('.menu-list').button('Published').click()
    await page.see('No template matches.')
  })

  test('the next user of a page completes with the fields that they may see', async () => {
    const author = await addUser(console.service, { twigtemplates: ['view', 'create'] })
    const page = await console.open('/templates/new', author)
    await page.until(() => page.asked.some((url) => url.endsWith('/language')), 'words are asked')
    await page.button('Log out').click()
    await page.button('Log in').waitFor()
    assert.ok(page.asked.every((url) => !url.endsWith('/list/fields')))
    await page.logIn('admin', adminPassword)
    await page.enter({ 'User name or email': 'admin', Password: adminPassword })
    await page.button('Log in').click()
    await page.until(
      () => page.asked.some((url) => url.endsWith('/list/fields')),
      'fields are asked',
    )
  })

  test('before a template of a name that others have is unpublished, its impact is shown', async () => {
    const add = (template: string) => addTemplate(console.service, { name: 'Imprint', template })
    const first = await add('first')
    await add('second')
    const letter = await addTemplate(console.service, {
      name: 'Letter',
      template: '{{ include("imprint") }}',
    })
    const page = await console.open(`/templates/${first.id}`)
    await page.see('The name means this one, the oldest published one.')
    await page.enter({ Published: false })
    await page.button('Save').click()
    const dialog = page.dialog()
    await dialog.see('1 of 2 change, this template included.')
    await dialog.getByText(letter.name).nth(0).click()
    await dialog.button('Cancel').click()

    await page.goto('/templates?search=imprint')
    await page.getByRole('checkbox', { name: /all/i }).check()
    await page.button('Unpublish 2').click()
    await dialog.see(/same name: Imprint \(\d+\), Imprint \(\d+\)\./)
    await dialog.button('Unpublish 2').click()
    await dialog.gone()
    const body = await console.ask('GET', `/api/twigTemplates/${first.id}`)
    assert.equal(body.twigTemplate.isPublished, false)
  })
})
