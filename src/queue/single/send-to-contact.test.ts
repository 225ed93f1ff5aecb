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

    test('a repeated Idempotency-Key sends once', async () => {
      const { id: transportId } = await transport('once')
      const email = await make('emails', 'email', { name: 'Once', subject: 's', plainText: 't' })
      const eve = await contact({ email: 'eve@example.com' })
      await assign(email.id, { transportId })
      const before = catcher.mails.length
      const headers = { 'idempotency-key': 'order 4711' }
      const answers = await Promise.all([1, 2, 3].map(() => send(email.id, eve.id, headers)))
      assert.ok(
        answers.every(({ status, body }) => (status === 200 ? body.success : status === 409)),
      )
      assert.deepEqual((await send(email.id, eve.id, headers)).body, { success: true })
      assert.equal(catcher.mails.length, before + 1)
      const other = await contact({ email: 'other@example.com' })
      assert.equal((await send(email.id, other.id, headers)).status, 409)
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

    test('an Idempotency-Key returns its first answer, even if email and contact were changed since', async () => {
      const { id: transportId } = await transport('replayed')
      const email = await make('emails', 'email', { name: 'Key', subject: 's', plainText: 't' })
      const eve = await contact({ email: 'replay@example.com' })
      await assign(email.id, { transportId })
      const headers = { 'idempotency-key': 'replayed' }
      assert.deepEqual((await send(email.id, eve.id, headers)).body, { success: true })
      const sent = catcher.mails.length
      await service.ask('PATCH', `/api/emails/${email.id}/edit`, {
        subject: '{{ 1 / 0 }}',
        isTwig: true,
      })
      assert.deepEqual((await send(email.id, eve.id, headers)).body, { success: true })
      await service.ask('PATCH', `/api/contacts/${eve.id}/edit`, { email: '' })
      assert.deepEqual((await send(email.id, eve.id, headers)).body, { success: true })
      assert.equal((await send(email.id, eve.id, {})).body.success, false)
      assert.equal(catcher.mails.length, sent)
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

    test('a stop answers a caller who waits for a silent server that the outcome is unknown', async () => {
      const server = await startScriptedServer({ script: { dot: { end: 'hang' } } })
      const stopping = await openTestApp({ database })
      const mailerDsn = `smtp://127.0.0.1:${server.port}`
      const { id: transportId } = await make('multipleTransports', '', {
        name: 'silent',
        mailerDsn,
      })
      const email = await make('emails', 'email', { name: 'Q', subject: 's', plainText: 't' })
      const { id } = await contact({ email: 'silent@example.com' })
      await assign(email.id, { transportId })
      const answer = stopping.ask('POST', `/api/emails/${email.id}/contact/${id}/send`, {})
      while (server.received.length === 0) await setTimeout(10)
      await stopping.app.delivery.drain(0)
      assert.match((await answer).body.failed, /cancelled.*not known whether/)
      const { body } = await service.ask('GET', `/api/deliveries?contactId=${id}`)
      assert.equal(body.deliveries[0].outcome, 'uncertain')
      await stopping.close()
      await server.close()
    })

    test('an email is sent to no list', async () => {
      const email = await make('emails', 'email', { name: 'List', subject: 's', plainText: 't' })
      const sent = catcher.mails.length
      const { status, body } = await service.ask('POST', `/api/emails/${email.id}/send`, {})
      assert.equal(status, 404)
      assert.match(body.error, /^Mailyard sends to no lists\./)
      assert.equal(catcher.mails.length, sent)
    })

    test('the dependents of a template are listed, with the impact of a change', async () => {
      const header = await make('twigTemplates', 'twigTemplate', {
        name: 'dep-header',
        template: 'Old {{ contact.firstname }}',
      })
      const page = await make('twigTemplates', 'twigTemplate', {
        name: 'dep-page',
        template: '{{ include("dep-header") }}!',
      })
      const email = await make('emails', 'email', {
        name: 'Uses',
        subject: 's',
        plainText: `{twigtemplate=${page.id}}`,
      })
      const { body } = await service.ask('GET', `/api/twigTemplates/${header.id}/dependents`)
      assert.deepEqual(body.templates, [{ id: page.id, name: 'dep-page', isDirect: true }])
      assert.deepEqual(body.emails, [{ id: email.id, name: 'Uses', isDirect: false }])
      const change = {
        template: 'New {{ contact.firstname }}',
        context: { contact: { firstname: 'Ann' } },
      }
      const { body: report } = await service.ask(
        'POST',
        `/api/twigTemplates/${header.id}/impact`,
        change,
      )
      assert.deepEqual([report.total, report.next], [3, null])
      assert.deepEqual(
        report.impact.map(({ kind, id }: { kind: string; id: number }) => [kind, id]),
        [
          ['template', header.id],
          ['template', page.id],
          ['email', email.id],
        ],
      )
      assert.match(report.impact[2].diff, /^-Old Ann!$/m)
      assert.match(report.impact[2].diff, /^\+New Ann!$/m)
      const { body: kept } = await service.ask('GET', `/api/twigTemplates/${header.id}`)
      assert.equal(kept.twigTemplate.template, 'Old {{ contact.firstname }}')

      const measure = async (more: object) =>
        service.ask('POST', `/api/twigTemplates/${header.id}/impact`, { ...change, ...more })
      const { body: part } = await measure({ start: 1 })
      assert.deepEqual([part.total, part.next], [3, null])
      assert.deepEqual(
        part.impact.map(({ id }: { id: number }) => id),
        [page.id, email.id],
      )
      const { body: one } = await measure({ only: { kind: 'email', id: email.id } })
      assert.deepEqual(one.impact[0].before, { subject: 's', html: null, text: 'Old Ann!' })
      assert.deepEqual(one.impact[0].after, { subject: 's', html: null, text: 'New Ann!' })
      const missing = await measure({ only: { kind: 'email', id: 999_999 } })
      assert.equal(missing.status, 404)
    })
  })
}
