import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { after, before, describe, test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { addUser } from '../callers.ts'
import { useScreens } from './test-screens.ts'

/** What a receiver got. */
interface Received {
  headers: Record<string, string>
  body: string
}

describe('outgoing webhooks', () => {
  const console = useScreens()
  let receiver: Server
  let url: string
  let status = 200
  const received: Received[] = []
  before(async () => {
    receiver = createServer((request, response) => {
      const headers = request.headers as Record<string, string>
      void text(request).then((body) => {
        received.push({ headers, body })
        response.writeHead(status).end()
      })
    }).listen(0, '127.0.0.1')
    await once(receiver, 'listening')
    url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hooks/s3cret`
  })
  after(async () => {
    receiver?.close()
  })

  const card = (name: string) => console.page.region(name)
  const add = async (more: object = {}) => {
    const values = { name: 'Shop', events: ['limit.reached'], url, ...more }
    const body = await console.ask('POST', '/api/webhooks/new', values)
    return body.webhook as { id: number; secret: string }
  }
  const publish = async (limit: string) => {
    const { webhooks, storage } = console.service.app
    const message = `Nothing is left of ${limit}.`
    const data = { limitId: 1, limit, message }
    await webhooks.publisher.publish(storage.tables(), [{ type: 'limit.reached', data }])
    webhooks.publisher.notify()
  }

  test('one is added in 4 clicks, tested, and given a new secret, which is shown once', async () => {
    const page = await console.open('/webhooks')
    await page.see('No webhook yet.')
    page.clicks = 0
    await page.link('Add a webhook').nth(0).click()
    await page.enter({ Name: 'Shop', 'URL of the receiver': url })
    await page.button('Save').click()
    const dialog = page.dialog('The secret of "Shop"')
    await dialog.see('It is shown this once.')
    await dialog.button('Copy').click()
    const secret = page.copied
    assert.match(secret, /^whsec_/)
    assert.equal(await dialog.getByLabel('Secret').inputValue(), secret)
    await dialog.button('I have stored it').click()
    assert.equal(page.clicks, 4)
    await page.waitForURL(/\/webhooks\/\d+$/)
    await card('Secret').waitFor()
    await page.reload()
    await card('Secret').waitFor()
    assert.equal((await page.content()).includes(secret), false)
    assert.equal(await page.dialog().count(), 0)

    status = 200
    await card('Test').button('Send a test').click()
    await page.see('answered 200')
    const last = received.at(-1) ?? assert.fail('nothing was received')
    const event = new Webhook(secret).verify(last.body, last.headers) as { type: string }
    assert.equal(event.type, 'webhook.test')
    console.clock.advance(60_000)
    status = 503
    await card('Test').button('Send a test').click()
    await page.see('503')

    await card('Secret').button('New secret').click()
    await page.dialog('Create a new secret?').button('New secret').click()
    const renewed = await dialog.getByLabel('Secret').inputValue()
    assert.match(renewed, /^whsec_/)
    assert.notEqual(renewed, secret)
    await dialog.button('I have stored it').press('Enter')
    assert.ok((await card('Secret').button('New secret').one()).matches(':focus'))
  })

  test('a message that its receiver did not take is shown, sent now, and deleted', async () => {
    const { id } = await add()
    status = 503
    await publish('Day')
    await console.service.app.idle()
    const page = await console.open(`/webhooks/${id}?tab=messages`)
    const row = page.row().filter({ hasText: 'Limit reached' })
    await row.see('after 1 attempt', '503')
    await row.button(/^Show message/).click()
    const dialog = page.dialog(/^Message/)
    await dialog.see('"limit": "Day"')
    await dialog.button('Close').click()
    status = 200
    await row.button(/^Send now: message \d+$/).click()
    await page.see(/^Sent now: message \d+\.$/)
    await console.service.app.idle()
    await page.filterBy('State', 'Accepted')
    await row.see('Accepted')
    await row.button(/^Delete message/).click()
    await page.see('No message is in this state.')
  })

  test('a chat has no secret', async () => {
    const page = await console.open('/webhooks/new')
    await page.enter({ 'What it sends': 'Sentences, for a chat' })
    await page.see('The address of an incoming webhook')
    await page.enter({ Name: 'Operators', 'URL of the receiver': url, 'Transport up': false })
    await page.button('Save').click()
    await page.opens('Operators')
    assert.equal(await page.dialog().count(), 0)
    assert.equal(await card('Secret').count(), 0)
    const [saved] = (await console.ask('GET', '/api/webhooks?search=Operators')).webhooks
    assert.equal(saved.format, 'chat')
    assert.equal(saved.events.includes('transport.down'), true)
    assert.equal(saved.events.includes('transport.up'), false)
  })

  test('the list says which receivers fail, and what waits', async () => {
    await add({ name: 'Old shop' })
    status = 410
    await publish('Month')
    await console.service.app.idle()
    const page = await console.open('/webhooks')
    const row = page.row().filter({ hasText: 'Old shop' })
    await row.see('Stopped', 'answered 410')
    await row.link('Old shop').click()
    await card('State').getByRole('alert').see('answered 410')
    status = 200
  })

  test('a viewer sees no secret part of the address, and can change nothing', async () => {
    const { id } = await add()
    const viewer = await addUser(console.service, { api: ['view'] })
    const page = await console.open(`/webhooks/${id}`, viewer)
    await card('State').waitFor()
    assert.doesNotMatch(await page.region('Details').innerText(), /s3cret/)
    assert.equal(await page.button(/Edit|Send a test|New secret|Delete/).count(), 0)
  })
})
