import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { addTransport, addUser } from '../callers.ts'
import type { TestBody } from '../test-app.ts'
import { useTokenServers } from '../transports/token-servers.ts'
import { useScreens } from './test-screens.ts'

const microsoftDsn = 'smtp://shop%40example.com:S3cret@smtp.office365.com:587?max_per_second=5'

describe('moving a transport to OAuth in the console', () => {
  const console = useScreens()
  const servers = useTokenServers()
  const readTransport = async (id: number): Promise<TestBody> =>
    await console.ask('GET', `/api/multipleTransports/${id}`)
  const dialog = () => console.page.dialog()

  test('tests the new log-in beside the old one, and replaces only this member if it passes', async () => {
    const old = `smtp://me%40example.com@127.0.0.1:${servers.smtp.port}?accessToken=S3cret&max_per_second=5`
    const { id } = await addTransport(console.service, {
      mailerDsn: `failover(${old} null://null)`,
    })
    await console.fixture.email(id)
    const saved = await readTransport(id)
    const page = await console.open(`/transports/${id}`)
    await page.see('The access token expires within the hour', '1 email depends on it.')
    await page.button('Move to OAuth').click()
    const field = (name: string) => dialog().getByLabel(name)
    await field('Client id').waitFor()
    await field('Client id').fill('mailyard')
    await field('Client secret').fill('S3cret-of-the-client')
    await field('Token URL').fill(servers.tokens.url)
    assert.equal(await field('Mailbox').inputValue(), 'me@example.com')
    assert.equal(await field('Port').inputValue(), String(servers.smtp.port))
    assert.equal(await dialog().getByLabel('Provider').count(), 0, 'there is no other choice')

    servers.tokens.respondWith(() => ({ status: 401, body: '{"error":"invalid_client"}' }))
    await dialog().button('Test and save').click()
    await dialog()
      .getByRole('alert')
      .see(/^The test failed, and the transport was not saved\./)
    const stages = dialog().locator('.stages')
    await stages.see(/^Failed$/)
    assert.equal(
      await dialog().link('How to move to OAuth').count(),
      2,
      'the report has this task, too',
    )
    assert.deepEqual(await readTransport(id), saved)
    assert.equal(await field('Client secret').inputValue(), 'S3cret-of-the-client')

    servers.tokens.respondWith(() => undefined)
    await dialog().button('Test and save').click()
    await page.see(`Transport "${saved.name}" logs in with OAuth.`)
    assert.equal(await dialog().count(), 0)
    const moved = await readTransport(id)
    assert.match(
      moved.mailerDsn,
      /^failover\(smtp\+oauth:\/\/mailyard:S3cret-of-the-client@127\.0\.0\.1:\d+\?\S+ null:\/\/null\)$/,
    )
    assert.match(moved.mailerDsn, /mailbox=me(@|%40)example\.com/)
    assert.match(moved.mailerDsn, /max_per_second=5/)
    assert.equal(moved.name, saved.name)
    // The page shows the transport as it is now.
    await page.getByText('1 email depends on it.').gone()
    await page.region('Details').see('smtp+oauth://')
  })

  test('asks for what Microsoft needs, and proposes the old user as mailbox', async () => {
    const { id } = await addTransport(console.service, { mailerDsn: microsoftDsn })
    const page = await console.open(`/transports/${id}?move=oauth`)
    const application = dialog().getByLabel('Application (client) id')
    await application.waitFor()
    for (const label of ['Client secret', 'Directory (tenant) id'])
      assert.equal(await dialog().getByLabel(label).inputValue(), '')
    const mailbox = dialog().getByLabel('Mailbox')
    assert.equal(await mailbox.inputValue(), 'shop@example.com')
    await dialog().getByText('More settings (1 set)').click()
    assert.equal(await dialog().getByLabel('Messages per second').inputValue(), '5')
    await dialog().button('Test and save').click()
    assert.equal((await application.one()).validity.valid, false)
    await dialog().button('Cancel').click()
    assert.equal((await readTransport(id)).mailerDsn, microsoftDsn)
    await page.edit()
    await page.enter({ Description: 'Changed' })
    await page.see('Save or discard your changes first.')
    assert.equal(await page.button('Move to OAuth').isDisabled(), true)
  })

  test('is not offered to those who may only view transports, who see when the log-in ends', async () => {
    const { id } = await addTransport(console.service, { mailerDsn: microsoftDsn })
    const viewer = await addUser(console.service, { multipleTransports: ['view'] })
    const page = await console.open(`/transports/${id}?move=oauth`, viewer)
    await page.see('Nothing is assigned to it.', 'Connects to smtp.office365.com')
    const sentence = page.getByText('From 31 December 2026 on, Microsoft 365 accepts')
    assert.equal(await sentence.count(), 1, 'it stands once on the page')
    assert.equal(await page.button('Move to OAuth').count(), 0)
    assert.ok(!(await page.content()).includes('S3cret'))
  })
})
