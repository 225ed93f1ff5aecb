import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { type TestDatabase, testDatabases } from '../../../test/databases.ts'
import { type MailCatcher, startMailCatcher } from '../../../test/mail-catcher.ts'
import { openTestApp, type TestApp } from '../../../test/test-app.ts'
import { startScriptedServer } from '../../mailer/testing/smtp-server.case.test.ts'

for (const { name, createMigrated } of testDatabases) {
  describe(`deliveries on ${name}`, () => {
    let database: TestDatabase
    let service: TestApp
    let catcher: MailCatcher
    before(async () => {
      database = await createMigrated()
      catcher = await startMailCatcher()
      service = await openTestApp({ database })
    })
    after(async () => {
      await service.close()
      await catcher.stop()
      await database.drop()
    })

    const make = async (path: string, one: string, values: object) => {
      const { status, body } = await service.ask('POST', `/api/${path}/new`, values)
      assert.equal(status, 201, JSON.stringify(body))
      return one === '' ? body : body[one]
    }
    const transport = (label: string) =>
      make('multipleTransports', '', {
        name: label,
        mailerDsn: `${catcher.dsn}?local_domain=${label}`,
      })
    const contact = (values: object) => make('contacts', 'contact', values)
    const assign = (emailId: number, body: object) =>
      service.ask('POST', `/api/multipleTransport/transportEmail/${emailId}`, body)
    const send = (
      emailId: number,
      contactId: number,
      headers: Record<string, string> = {},
      body: object = {},
    ) => service.ask('POST', `/api/emails/${emailId}/contact/${contactId}/send`, body, { headers })

    test('an email is sent through its transport, with its tokens replaced, and is listed', async () => {
      const { id: transportId } = await transport('brand')
      const email = await make('emails', 'email', {
        name: 'Welcome',
        subject: 'Hello {contactfield=firstname}',
        fromAddress: 'news@brand.test',
        customHtml: '<p>Hi {contactfield=firstname}</p>',
      })
      const ann = await contact({ firstname: 'Ann', email: 'ann@example.com' })
      await assign(email.id, { transportId })
      const { status, body } = await send(email.id, ann.id)
      assert.deepEqual([status, body], [200, { success: true }])
      const mail = catcher.mails.at(-1)
      assert.deepEqual([mail?.from, mail?.to], ['news@brand.test', ['ann@example.com']])
      assert.match(mail?.raw ?? '', /^Subject: Hello Ann\r$/m)
      assert.match(mail?.raw ?? '', /<p>Hi Ann<\/p>/)
      const { body: list } = await service.ask('GET', `/api/deliveries?emailId=${email.id}`)
      assert.equal(list.deliveries.length, 1)
      const [delivery] = list.deliveries
      assert.deepEqual(
        [
          delivery.outcome,
          delivery.recipient,
          delivery.transportId,
          delivery.contactId,
          delivery.source,
        ],
        ['accepted', 'ann@example.com', transportId, ann.id, 'api'],
      )
      assert.equal(delivery.trace.at(-1).outcome, 'taken')
    })

    test('resolve returns the route that a send takes', async () => {
      const { id: ownerTransport } = await transport('owners')
      const { id: emailTransport } = await transport('emails')
      const email = await make('emails', 'email', { name: 'Route', subject: 's', plainText: 't' })
      const bob = await contact({ email: 'bob@example.com', owner: 1 })
      await service.ask('POST', '/api/multipleTransport/transportUser/1', {
        transportId: ownerTransport,
      })
      const route = async () =>
        (
          await service.ask(
            'GET',
            `/api/multipleTransport/resolve?emailId=${email.id}&contactId=${bob.id}`,
          )
        ).body
      const went = async () => {
        await send(email.id, bob.id)
        const { body } = await service.ask('GET', `/api/deliveries?emailId=${email.id}&limit=1`)
        return body.deliveries[0]
      }
      await assign(email.id, { transportId: emailTransport, useOwnerTransport: true })
      assert.equal((await route()).transport.id, ownerTransport)
      assert.equal((await went()).transportId, ownerTransport)
      await service.ask('PATCH', `/api/multipleTransports/${ownerTransport}/edit`, {
        isPublished: false,
      })
      const fallen = await route()
      assert.equal(fallen.transport.id, emailTransport)
      assert.deepEqual(
        fallen.trace.map(({ outcome }: { outcome: string }) => outcome),
        ['skipped', 'taken'],
      )
      const delivery = await went()
      assert.equal(delivery.transportId, emailTransport)
      assert.deepEqual(delivery.trace, fallen.trace)
      await assign(email.id, { transportId: null })
      assert.deepEqual([(await route()).transport, (await route()).isDefault], [null, false])
      const { body } = await send(email.id, bob.id)
      assert.equal(body.success, false)
      assert.match(body.failed, /no transport/)
    })

    test('resolve names the ids in its question that do not exist', async () => {
      const email = await make('emails', 'email', { name: 'Known', subject: 's', plainText: 't' })
      const reasons = async (query: string) => {
        const { body } = await service.ask('GET', `/api/multipleTransport/resolve?${query}`)
        return body.trace.map(({ reason }: { reason: string }) => reason).slice(0, -1)
      }
      assert.deepEqual(await reasons('emailId=424242'), ['there is no email 424242'])
      assert.deepEqual(await reasons(`emailId=${email.id}&contactId=424242&ownerId=4343`), [
        'there is no contact 424242',
        'there is no user 4343',
        `no transport is assigned to email ${email.id}`,
      ])
      await assign(email.id, { transportId: null, useOwnerTransport: true })
      assert.deepEqual(await reasons(`emailId=${email.id}&contactId=424242`), [
        'there is no contact 424242',
        `no transport is assigned to email ${email.id}`,
      ])
    })

    test('an Idempotency-Key with other tokens is refused as another request', async () => {
      const { id: transportId } = await transport('codes')
      const email = await make('emails', 'email', { name: 'C', subject: 's', plainText: '{code}' })
      const { id } = await contact({ email: 'codes@example.com' })
      await assign(email.id, { transportId })
      const sendCode = (tokens: object) =>
        send(email.id, id, { 'idempotency-key': 'code' }, { tokens })
      const first = { '{code}': '4711', '{until}': 'noon' }
      assert.deepEqual((await sendCode(first)).body, { success: true })
      const inAnotherOrder = { '{until}': 'noon', '{code}': '4711' }
      assert.deepEqual((await sendCode(inAnotherOrder)).body, { success: true })
      const { status, body } = await sendCode({ ...first, '{code}': '4712' })
      assert.equal(status, 409)
      assert.match(body.error, /use a new one/)
      assert.equal(catcher.mails.filter(({ to }) => to.includes('codes@example.com')).length, 1)
    })

    test('a refusal returns its reason, and may be retried with the same key', async () => {
      const { id: transportId } = await transport('refusing')
      const email = await make('emails', 'email', { name: 'Refused', subject: 's', plainText: 't' })
      const gone = await contact({ email: 'refuse-554@example.com' })
      await assign(email.id, { transportId })
      const headers = { 'idempotency-key': 'refused' }
      const { status, body } = await send(email.id, gone.id, headers)
      assert.deepEqual([status, body.success], [200, false])
      assert.match(body.failed, /not welcome|refused/)
      assert.equal((await send(email.id, gone.id, headers)).body.success, false)
      const { body: list } = await service.ask(
        'GET',
        '/api/deliveries?recipient=refuse-554@example.com',
      )
      assert.equal(list.deliveries.length, 2)
      assert.equal(list.deliveries[0].outcome, 'refused')
      assert.match(list.deliveries[0].reply, /^554 /)
    })

    test('an email is sent to no list', async () => {
      const email = await make('emails', 'email', { name: 'List', subject: 's', plainText: 't' })
      const sent = catcher.mails.length
      const { status, body } = await service.ask('POST', `/api/emails/${email.id}/send`, {})
      assert.equal(status, 404)
      assert.match(body.error, /^Mailyard sends to no lists\./)
      assert.equal(catcher.mails.length, sent)
    })
  })
}
