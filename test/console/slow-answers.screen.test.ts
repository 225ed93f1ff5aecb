import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { addEmail, addTemplate, addTransport } from '../callers.ts'
import { useScreens } from './test-screens.ts'

describe('the console on slow answers', () => {
  const console = useScreens()

  test('deletes what the question named, whatever was selected since', async () => {
    const { service } = console
    for (const name of ['slow one', 'slow two']) await addTemplate(service, { name, template: 'x' })
    const plainText = "{{ include('slow one') }}{{ include('slow two') }}"
    await addEmail(service, { isTwig: true, plainText })
    const page = await console.open('/templates?search=slow')
    const answer = page.hold(/batch\/delete.*dryRun/)
    const boxes = page.locator('.table tbody input[type=checkbox]')
    await boxes.nth(0).click()
    await page.button('Delete').click()
    await boxes.nth(1).click()
    answer()
    const dialog = page.dialog('Delete template "slow one"?')
    await dialog.button('Delete anyway').click()
    await page.see('Deleted: slow one.')
    const body = await console.ask('GET', '/api/twigTemplates?search=slow')
    assert.deepEqual(
      body.twigTemplates.map(({ name }: { name: string }) => name),
      ['slow two'],
    )
  })

  test('keeps what is typed while a DSN is still being read', async () => {
    const mailerDsn = 'smtp://mail.example.com:25'
    const { id } = await addTransport(console.service, { name: 'Typed', mailerDsn })
    const page = await console.open(`/transports/${id}?edit=1`)
    const server = page.getByLabel('Server')
    await server.waitFor()
    const answer = page.hold(/dsn\/build/)
    await page.enter({ Name: 'Typed first' })
    await server.fill('mail2.example.com')
    await page.button('Save without a test').click()
    await page.enter({ Description: 'Typed meanwhile' })
    answer()
    await page.see('Transport "Typed first" is saved.')
    assert.equal(await page.getByLabel('Description').inputValue(), 'Typed meanwhile')
    assert.equal(await server.inputValue(), 'mail2.example.com')
    await page.button('Save without a test').click()
    await page.button('Discard changes').gone()
    const body = await console.ask('GET', `/api/multipleTransports/${id}`)
    assert.equal(body.description, 'Typed meanwhile')
  })

  test('says that a deletion failed, also where its question was closed meanwhile', async () => {
    const limit = { name: 'Kept', perDay: 3, transports: [] }
    const body = await console.ask('POST', '/api/limits/new', limit)
    const page = await console.open(`/limits/${body.limit.id}`)
    const answer = page.hold(/limits\/\d+\/delete/)
    await page.askToDelete()
    await page.dialog().button('Delete').click()
    await page.keyboard.press('Escape')
    answer(new Response('{"error": "It is in use."}', { status: 409 }))
    await page.see('It is in use.')
    assert.equal(await page.dialog().count(), 0)
  })

  test('asks before Back after a save that failed', async () => {
    await addTransport(console.service, { name: 'Refuses', mailerDsn: 'smtp://127.0.0.1:1' })
    const page = await console.open('/transports')
    await page.link('Refuses').click()
    await page.edit()
    await page.enter({ Name: 'Typed name' })
    await page.button('Test and save').click()
    await page.see('Connection refused')
    await page.goBack()
    const dialog = page.dialog('Leave without saving?')
    await dialog.button('Stay').click()
    assert.equal(await page.getByLabel('Name').inputValue(), 'Typed name')
  })
})
