import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { describe, test } from 'node:test'
import { needsBrowser } from '../browser/launch.ts'
import { addTransport } from '../callers.ts'
import { useTestConsole } from './test-console.ts'

describe('transports in the console', needsBrowser, () => {
  const console = useTestConsole()

  test('while the test before saving runs, leaving the page asks first, and it can be cancelled', async (t) => {
    // It accepts the connection and never greets.
    const connected = Promise.withResolvers<Socket>()
    const silent = createServer((socket) => connected.resolve(socket)).listen(0, '127.0.0.1')
    t.after(() => silent.close())
    await once(silent, 'listening')
    const { id } = await addTransport(console.service, { mailerDsn: 'null://null' })
    const page = await console.open(`/transports/${id}?edit=1`)
    const { port } = silent.address() as AddressInfo
    await page.getByRole('textbox', { name: 'DSN' }).fill(`smtp://127.0.0.1:${port}`)
    const main = page.getByRole('button', { name: 'Test and save' })
    await main.click()
    const socket = await connected.promise
    const closed = once(socket.on('error', () => undefined).resume(), 'close')
    await page.getByRole('link', { name: 'Transports', exact: true }).first().click()
    await page.getByRole('dialog').getByRole('button', { name: 'Stay' }).click()
    await page.getByRole('button', { name: 'Cancel the test' }).click()
    await page.getByText('The test was cancelled.').waitFor()
    await closed
    await main.and(page.locator(':focus')).waitFor()
    const { body } = await console.service.ask('GET', `/api/multipleTransports/${id}`)
    assert.equal(body.mailerDsn, 'null://null')
  })

  test('a key file is pasted as it is, and a faulty one is refused at its field', async () => {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
    const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
    const file = JSON.stringify({ type: 'service_account', private_key: pem }, null, 2)
    const page = await console.open('/transports/new')
    await console.context.grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.getByLabel('Name', { exact: true }).fill('Workspace')
    await page.getByLabel('Provider').selectOption({ label: 'Google (Gmail, Workspace)' })
    await page.getByLabel('Client id').fill('ID')
    await page.getByLabel('Sends by').selectOption({ label: 'Google (OAuth, service account)' })
    const account = page.getByRole('textbox', { name: 'Service account' })
    assert.equal(await account.getAttribute('aria-invalid'), 'false')
    await account.fill('mailyard@sample.example')
    const key = page.getByRole('textbox', { name: 'Key' })
    const paste = async (text: string) => {
      await page.evaluate((given) => navigator.clipboard.writeText(given), text)
      await key.fill('')
      await key.press('Control+V')
    }
    await paste(pem.slice(0, 200))
    await page
      .getByRole('textbox', { name: 'Key', description: /must be the private key/ })
      .waitFor()
    for (const text of [pem, file]) {
      await paste(text)
      await page.getByText('Connects to smtp.gmail.com:465.').waitFor()
    }
    await page.getByRole('button', { name: 'Save without a test' }).click()
    await page.getByRole('heading', { name: 'Workspace' }).waitFor()
    const { body } = await console.service.ask('GET', '/api/multipleTransports?search=Workspace')
    const [, saved = ''] = /key=([^&]+)/.exec(body[0].mailerDsn) ?? []
    const decoded = Buffer.from(decodeURIComponent(saved), 'base64').toString()
    assert.deepEqual(JSON.parse(decoded), JSON.parse(file))
    await page.getByText('Google (Gmail, Workspace)').waitFor()
  })
})
