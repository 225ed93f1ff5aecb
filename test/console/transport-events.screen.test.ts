import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { describe, test } from 'node:test'
import { addTransport, addUser } from '../callers.ts'
import { useScreens } from './test-screens.ts'

const publicUrl = 'https://mail.example.com'
const mailerDsn = 'sendgrid+api://SG.key@default'

describe('an address that no provider can call', () => {
  const console = useScreens({ config: { publicUrl: 'http://127.0.0.1:8080' } })

  test('is shown with a warning', async () => {
    const { id } = await addTransport(console.service, { mailerDsn })
    await console.ask('PUT', `/api/multipleTransports/${id}/webhook`, {})
    await (await console.open(`/transports/${id}`)).see('SendGrid cannot call this address')
  })
})

describe('the events of the providers of a transport', () => {
  const console = useScreens({ config: { publicUrl } })

  const events = (page = console.page) => page.region('Events of the provider')
  const readWebhook = async (id: number) =>
    (await console.ask('GET', `/api/multipleTransports/${id}/webhooks`)).webhooks[0]

  test('the address of a provider is made and copied: 2 clicks', async () => {
    const { id } = await addTransport(console.service, { mailerDsn })
    const page = await console.open(`/transports/${id}`)
    await events().see('bounces, complaints and unsubscribes')
    page.clicks = 0
    await events().button('Set up').click()
    await events().button('Copy').click()
    assert.equal(page.clicks, 2)
    const { url } = await readWebhook(id)
    assert.equal(page.copied, url)
    await events().see('No event yet')
    const step = events().getByRole('listitem').filter({ hasText: url })
    await step.nth(-1).waitFor()
  })

  test('its key is stored and masked, its refused requests are counted, and it is removed after a question', async () => {
    const { id } = await addTransport(console.service, { mailerDsn })
    const { webhook } = await console.ask('PUT', `/api/multipleTransports/${id}/webhook`, {})
    const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
    const page = await console.open(`/transports/${id}`)
    const key = publicKey.export({ format: 'der', type: 'spki' }).toString('base64')
    await events().enter({ 'Verification key': key })
    await events().button('Save').click()
    await page.see('The key is saved.')
    const payload = JSON.stringify([{ event: 'bounce', email: 'ada@example.com' }])
    const headers = { 'content-type': 'application/json' }
    const path = webhook.url.slice(publicUrl.length)
    const refused = await console.service.ask('POST', path, payload, { as: 'anonymous', headers })
    assert.ok(refused.status >= 400, refused.text)
    const { problem, signingKey } = await readWebhook(id)
    assert.equal(signingKey, '********')
    await page.reload()
    await events().getByRole('alert').see(problem)
    await events().see('1 request refused.')
    assert.equal(await events().textbox('Verification key').inputValue(), '********')
    await events().button('Remove').click()
    await page.dialog('Stop receiving the events of SendGrid?').button('Remove').click()
    await events().see('bounces, complaints and unsubscribes')
    assert.equal(await readWebhook(id), undefined)
  })

  test('a failover has one for each of its providers; a plain server has none', async () => {
    const plain = 'smtp://user:pass@smtp.example.com:587'
    const mailgun = 'mailgun+api://key:news.example.com@default'
    const { id } = await addTransport(console.service, {
      mailerDsn: `failover(${mailerDsn} ${mailgun} ${plain})`,
    })
    const page = await console.open(`/transports/${id}`)
    for (const provider of ['SendGrid', 'Mailgun']) {
      const block = events().getByRole('listitem').filter({ hasText: provider }).nth(0)
      await block.button('Set up').click()
      await block.see('No event yet')
    }
    assert.equal(await events().textbox('Address').count(), 2)
    const other = await addTransport(console.service, { mailerDsn: plain })
    await page.goto(`/transports/${other.id}`)
    await page.see('Used by')
    assert.equal(await events().count(), 0)
  })

  test('the provider behind a plain server is named and set up', async () => {
    const mailerDsn = 'smtp://user:pass@relay.example.com:587'
    const { id } = await addTransport(console.service, { mailerDsn })
    const page = await console.open(`/transports/${id}`)
    const other = page.region('Provider behind this server')
    await other.enter({ Provider: 'Postal' })
    await other.button('Set up').click()
    await events().see('No event yet')
    assert.equal((await readWebhook(id)).provider, 'postal')
  })

  test('a viewer sees what arrives, but no address', async () => {
    const { id } = await addTransport(console.service, { mailerDsn })
    await console.ask('PUT', `/api/multipleTransports/${id}/webhook`, {})
    const viewer = await addUser(console.service, { multipleTransports: ['view'] })
    const page = await console.open(`/transports/${id}`, viewer)
    await events().see('No event yet')
    assert.doesNotMatch(await page.getByRole('main').innerText(), /webhooks\/transports/)
    assert.equal(await events().button().count(), 0)
  })
})
