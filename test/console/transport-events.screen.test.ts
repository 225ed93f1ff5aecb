import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { describe, test } from 'node:test'
import { addTransport, addUser } from '../callers.ts'
import { exact } from './part.ts'
import { useScreens } from './test-screens.ts'

const publicUrl = 'https://mail.example.com'
const mailerDsn = 'sendgrid+api://SG.key@default'

describe('the events of the providers of a transport', () => {
  const console = useScreens({ config: { publicUrl } })

  const events = (page = console.page) => page.region('Events of the provider', exact)
  const readWebhook = async (id: number) =>
    (await console.service.ask('GET', `/api/multipleTransports/${id}/webhooks`)).body.webhooks[0]

  test('the address of a provider is made and copied: 2 clicks', async () => {
    const { id } = await addTransport(console.service, { mailerDsn })
    const page = await console.open(`/transports/${id}`)
    await events().see('bounces, complaints and unsubscribes')
    page.clicks = 0
    await events().button('Set up', exact).click()
    await events().button('Copy', exact).click()
    assert.equal(page.clicks, 2)
    const { url } = await readWebhook(id)
    assert.equal(page.copied, url)
    await events().see('No event yet')
    const step = events().getByRole('listitem').filter({ hasText: url })
    await step.last().waitFor()
  })

  test('the key of the provider is stored, and shown masked from then on', async () => {
    const { id } = await addTransport(console.service, { mailerDsn })
    await console.service.ask('PUT', `/api/multipleTransports/${id}/webhook`, {})
    const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
    const page = await console.open(`/transports/${id}`)
    const field = events().getByRole('textbox', { name: 'Verification key' })
    await field.fill(publicKey.export({ format: 'der', type: 'spki' }).toString('base64'))
    await events().button('Save').click()
    await page.see('The key is saved.')
    await page.reload()
    await field.waitFor()
    assert.equal(await field.inputValue(), '********')
    assert.equal((await readWebhook(id)).signingKey, '********')
  })

  test('requests that are refused are counted, with the reason', async () => {
    const { id } = await addTransport(console.service, { mailerDsn })
    const { body } = await console.service.ask('PUT', `/api/multipleTransports/${id}/webhook`, {})
    const path = body.webhook.url.slice(publicUrl.length)
    const payload = JSON.stringify([{ event: 'bounce', email: 'ada@example.com' }])
    const headers = { 'content-type': 'application/json' }
    const refused = await console.service.ask('POST', path, payload, { as: 'anonymous', headers })
    assert.ok(refused.status >= 400, refused.text)
    const { problem } = await readWebhook(id)
    await console.open(`/transports/${id}`)
    await events().getByRole('alert').getByText(problem).waitFor()
    await events().see('1 request refused.')
  })

  test('it is removed after a question, and its address is gone', async () => {
    const { id } = await addTransport(console.service, { mailerDsn })
    await console.service.ask('PUT', `/api/multipleTransports/${id}/webhook`, {})
    const page = await console.open(`/transports/${id}`)
    await events().button('Remove').click()
    const dialog = page.dialog('Stop receiving the events of SendGrid?')
    await dialog.waitFor()
    await dialog.button('Remove').click()
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
      const block = events().getByRole('listitem').filter({ hasText: provider }).first()
      await block.button('Set up', exact).click()
      await block.see('No event yet')
    }
    assert.equal(await events().getByRole('textbox', { name: 'Address' }).count(), 2)
    const other = await addTransport(console.service, { mailerDsn: plain })
    await page.goto(`/transports/${other.id}`)
    await page.getByRole('heading', { name: 'Used by' }).waitFor()
    assert.equal(await events().count(), 0)
  })

  test('a viewer sees what arrives, but no address', async () => {
    const { id } = await addTransport(console.service, { mailerDsn })
    await console.service.ask('PUT', `/api/multipleTransports/${id}/webhook`, {})
    const viewer = await addUser(console.service, { multipleTransports: ['view'] })
    const page = await console.open(`/transports/${id}`, viewer)
    await events().see('No event yet')
    assert.doesNotMatch(await page.getByRole('main').innerText(), /webhooks\/transports/)
    assert.equal(await events().button().count(), 0)
  })
})
