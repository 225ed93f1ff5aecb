import assert from 'node:assert/strict'
import { test } from 'node:test'
import { useMailCatcher } from '../../../../test/mail-catcher.ts'
import { onMailyard } from '../../../../test/on-each-database.ts'
import { createSendFixture } from '../../../../test/send-fixture.ts'
import type { TestBody } from '../../../../test/test-app.ts'

onMailyard('an email to one contact', (shared) => {
  const fixture = createSendFixture(() => shared.service)
  const { ask } = shared
  const catcher = useMailCatcher()

  /** A contact who gets an email through a transport of its own. */
  const prepare = async (email: object = {}, contact: object = {}) => {
    const transportId = await fixture.transport(catcher.dsn)
    const emailId = await fixture.email(transportId, { ...email })
    const to = await fixture.contact({ ...contact })
    const path = `/api/emails/${emailId}/contact/${to.id}/send`
    const send = (body: object = {}, key?: string) =>
      ask('POST', path, body, key === undefined ? {} : { headers: { 'idempotency-key': key } })
    return { transportId, emailId, to, send }
  }

  test('is sent through its transport, with its tokens replaced, and is listed', async () => {
    const { transportId, emailId, to, send } = await prepare({
      subject: 'Hello {contactfield=firstname}',
      fromAddress: 'news@brand.test',
      customHtml: '<p>Hi {contactfield=firstname}</p>',
    })
    const { status, body } = await send()
    assert.deepEqual([status, body], [200, { success: true }])
    const mail = catcher.mails.at(-1)
    assert.deepEqual([mail?.from, mail?.to], ['news@brand.test', [to.email]])
    assert.match(mail?.raw ?? '', /^Subject: Hello N0\r$/m)
    assert.match(mail?.raw ?? '', /<p>Hi N0<\/p>/)
    const [delivery, ...others] = await fixture.deliveries(`emailId=${emailId}`)
    assert.deepEqual(others, [])
    assert.partialDeepStrictEqual(delivery, {
      outcome: 'accepted',
      recipient: to.email,
      transportId,
      contactId: to.id,
      source: 'api',
    })
    assert.equal(delivery.trace.at(-1).outcome, 'taken')
  })

  test('takes the route that resolve returns', async () => {
    const { transportId, emailId, to, send } = await prepare({}, { owner: 1 })
    const ownerTransport = await fixture.transport(catcher.dsn)
    await ask('POST', '/api/multipleTransport/transportUser/1', { transportId: ownerTransport })
    const path = `/api/multipleTransport/resolve?emailId=${emailId}&contactId=${to.id}`
    const resolve = async () => (await ask('GET', path)).body
    const sendOnce = async () => {
      await send()
      return (await fixture.deliveries(`emailId=${emailId}`))[0]
    }
    const assigned = { transportId, useOwnerTransport: true }
    await ask('POST', `/api/multipleTransport/transportEmail/${emailId}`, assigned)
    assert.equal((await resolve()).transport.id, ownerTransport)
    assert.equal((await sendOnce()).transportId, ownerTransport)
    const unpublished = { isPublished: false }
    await ask('PATCH', `/api/multipleTransports/${ownerTransport}/edit`, unpublished)
    const { transport, trace } = await resolve()
    assert.equal(transport.id, transportId)
    const outcomes = trace.map(({ outcome }: TestBody) => outcome)
    assert.deepEqual(outcomes, ['skipped', 'taken'])
    const delivery = await sendOnce()
    assert.deepEqual([delivery.transportId, delivery.trace], [transportId, trace])
    await fixture.assign(emailId, null)
    const nowhere = await resolve()
    assert.deepEqual([nowhere.transport, nowhere.isDefault], [null, false])
    assert.equal((await send()).body.success, false)
  })

  test('has a route that names the ids in its question that do not exist', async () => {
    const { emailId } = await prepare()
    const reasons = async (query: string) => {
      const { body } = await ask('GET', `/api/multipleTransport/resolve?${query}`)
      return body.trace.map(({ reason }: TestBody) => reason).join()
    }
    assert.match(await reasons('emailId=424242'), /no email 424242/)
    const unknown = await reasons(`emailId=${emailId}&contactId=424242&ownerId=4343`)
    assert.match(unknown, /no contact 424242.*no user 4343/)
  })

  test('is another one for an Idempotency-Key with other tokens, which is refused', async () => {
    const { to, send } = await prepare({ plainText: '{code} {until}' })
    const first = { '{code}': '4711', '{until}': 'noon' }
    assert.deepEqual((await send({ tokens: first }, 'code')).body, { success: true })
    const inAnotherOrder = { '{until}': 'noon', '{code}': '4711' }
    assert.deepEqual((await send({ tokens: inAnotherOrder }, 'code')).body, { success: true })
    assert.equal((await send({ tokens: { ...first, '{code}': '4712' } }, 'code')).status, 409)
    assert.equal(catcher.mails.filter((mail) => mail.to.includes(to.email)).length, 1)
  })

  test('that is refused returns the reason, and may be retried with the same key', async () => {
    const email = 'refuse-554@example.com'
    const { send } = await prepare({}, { email })
    for (let tries = 1; tries <= 2; tries += 1) {
      const { status, body } = await send({}, 'refused')
      assert.deepEqual([status, body.success], [200, false])
      assert.match(body.failed, /not welcome|refused/)
      const deliveries = await fixture.deliveries(`recipient=${email}`)
      assert.equal(deliveries.length, tries)
      assert.equal(deliveries[0].outcome, 'refused')
      assert.match(deliveries[0].reply, /^554 /)
    }
  })

  test('is sent to no list', async () => {
    const { emailId } = await prepare()
    const sent = catcher.mails.length
    const { status, body } = await ask('POST', `/api/emails/${emailId}/send`, {})
    assert.equal(status, 404)
    assert.match(body.error, /sends to no lists/)
    assert.equal(catcher.mails.length, sent)
  })
})
