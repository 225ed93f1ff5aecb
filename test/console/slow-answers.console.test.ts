import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { needsBrowser } from '../browser/launch.ts'
import { addEmail, addTemplate, addTransport } from '../callers.ts'
import { openTestConsole, type TestConsole } from './test-console.ts'

describe('the console on slow answers', needsBrowser, () => {
  let console: TestConsole
  before(async () => {
    console = await openTestConsole()
  })
  after(() => console?.close())

  /** Holds requests back until the function that it returns is called. */
  const holdBack = async (page: Page, url: RegExp) => {
    const { promise, resolve } = Promise.withResolvers<void>()
    await page.route(url, async (route) => {
      await promise
      await route.continue()
    })
    return resolve
  }

  test('deletes what the question named, whatever was selected since', async () => {
    const { service } = console
    for (const name of ['slow one', 'slow two']) await addTemplate(service, { name, template: 'x' })
    const plainText = "{{ include('slow one') }}{{ include('slow two') }}"
    await addEmail(service, { isTwig: true, plainText })
    const page = await console.open('/templates?search=slow')
    const answer = await holdBack(page, /batch\/delete.*dryRun/)
    const boxes = page.locator('.table tbody input[type=checkbox]')
    await boxes.nth(0).click()
    await page.getByRole('button', { name: 'Delete', exact: true }).click()
    await boxes.nth(1).click()
    answer()
    const dialog = page.getByRole('dialog', { name: 'Delete this template?' })
    await dialog.getByRole('button', { name: 'Delete anyway' }).click()
    await page.getByText('Deleted: 1.').waitFor()
    const { body } = await service.ask('GET', '/api/twigTemplates?search=slow')
    assert.deepEqual(
      body.twigTemplates.map(({ name }: { name: string }) => name),
      ['slow two'],
    )
  })

  test('keeps what is typed while a DSN is still being read', async () => {
    const mailerDsn = 'smtp://mail.example.com:25'
    const { id } = await addTransport(console.service, { name: 'Typed', mailerDsn })
    const page = await console.open(`/transports/${id}`)
    const server = page.getByLabel('Server', { exact: true })
    await server.waitFor()
    const answer = await holdBack(page, /dsn\/build/)
    await page.getByLabel('Name', { exact: true }).fill('Typed first')
    await server.fill('mail2.example.com')
    await page.getByRole('button', { name: 'Save without a test' }).click()
    await page.getByLabel('Description').fill('Typed meanwhile')
    answer()
    await page.getByText('Transport "Typed first" is saved.').waitFor()
    assert.equal(await page.getByLabel('Description').inputValue(), 'Typed meanwhile')
    assert.equal(await server.inputValue(), 'mail2.example.com')
    await page.getByRole('button', { name: 'Save without a test' }).click()
    await page.getByRole('button', { name: 'Discard changes' }).waitFor({ state: 'detached' })
    const { body } = await console.service.ask('GET', `/api/multipleTransports/${id}`)
    assert.equal(body.description, 'Typed meanwhile')
  })

  test('says that a deletion failed, also where its question was closed meanwhile', async () => {
    const limit = { name: 'Kept', perDay: 3, transports: [] }
    const { body } = await console.service.ask('POST', '/api/limits/new', limit)
    const page = await console.open(`/limits/${body.limit.id}`)
    await page.route(/api\/limits\/\d+\/delete/, async (route) => {
      await wait(300)
      await route.fulfill({ status: 409, json: { error: 'It is in use.' } })
    })
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await page.keyboard.press('Escape')
    await page.getByText('It is in use.').waitFor()
    assert.equal(await page.getByRole('dialog').count(), 0)
  })

  test('asks before Back after a save that failed', async () => {
    await addTransport(console.service, { name: 'Refuses', mailerDsn: 'smtp://127.0.0.1:1' })
    const page = await console.open('/transports')
    await page.getByRole('link', { name: 'Refuses' }).click()
    await page.getByLabel('Name', { exact: true }).fill('Typed name')
    await page.getByRole('button', { name: 'Test and save' }).click()
    await page.getByText('Connection refused').first().waitFor()
    await page.goBack()
    const dialog = page.getByRole('dialog', { name: 'Leave without saving?' })
    await dialog.getByRole('button', { name: 'Stay' }).click()
    assert.equal(await page.getByLabel('Name', { exact: true }).inputValue(), 'Typed name')
  })
})
