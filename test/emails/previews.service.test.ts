import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addEmail, addTemplate, addTransport, addUser, uniqueName } from '../callers.ts'
import { addBrand } from '../mautics.ts'
import { onMailyard } from '../on-each-database.ts'
import type { TestBody } from '../test-app.ts'

onMailyard('the preview of an email', { isOwn: true }, (shared) => {
  const { ask } = shared
  const addContact = async (values: object = {}) => {
    const email = `${uniqueName('ann')}@example.com`
    return (await ask('POST', '/api/contacts/new', { email, firstname: 'Ann', ...values })).body
      .contact
  }
  const preview = (body: object) => ask('POST', '/api/emails/preview', body)

  test('shows what the contact would get, and the route', async () => {
    const contact = await addContact()
    const email = await addEmail(shared.service, {
      subject: 'Hello {contactfield=firstname}',
      customHtml: '<p>Hello {contactfield=firstname}</p>',
      plainText: null,
      headers: { 'X-Kind': 'news' },
    })
    const transport = await addTransport(shared.service, { mailerDsn: 'inbox://local' })
    await ask('POST', `/api/multipleTransport/transportEmail/${email.id}`, {
      transportId: transport.id,
    })
    const { status, body, text } = await ask(
      'GET',
      `/api/emails/${email.id}/preview?contactId=${contact.id}`,
    )
    assert.equal(status, 200, text)
    assert.deepEqual([body.subject, body.html], ['Hello Ann', '<p>Hello Ann</p>'])
    assert.equal(body.text.trim(), 'Hello Ann')
    assert.deepEqual(body.to, { address: contact.fields.all.email, name: 'Ann' })
    assert.deepEqual(body.headers, { 'X-Kind': 'news' })
    assert.deepEqual([body.error, body.warnings], [null, []])
    assert.deepEqual(body.route.transport, { id: transport.id, name: transport.name })
    assert.equal(body.route.trace.at(-1).outcome, 'taken')
  })

  test('shows unsaved values over the saved ones, and saves nothing', async () => {
    const email = await addEmail(shared.service, { subject: 'Saved', plainText: 'Text' })
    const { body } = await preview({
      id: email.id,
      email: { subject: '{{ contact.firstname|upper }}', isTwig: true },
      contact: { firstname: 'Bob' },
    })
    assert.deepEqual([body.subject, body.text], ['BOB', 'Text'])
    const { body: kept } = await ask('GET', `/api/emails/${email.id}`)
    assert.equal(kept.email.subject, 'Saved')
    const { body: fresh } = await preview({ email: { subject: 'New' } })
    assert.equal(fresh.subject, 'New')
    assert.match(fresh.warnings[0], /has no HTML and no text/)
    assert.equal((await preview({})).status, 400)
  })

  test('of unsaved values is of a brand of the caller, as the saved email would be', async () => {
    const template = async (brand: number) => {
      await addTemplate(shared.service, { name: 'Footer', template: `of ${brand}`, brand })
      return brand
    }
    const own = await template(await addBrand(shared.service))
    const other = await template(await addBrand(shared.service))
    const permissions = { email: ['view', 'send'], contact: ['view'], twigtemplates: ['view'] }
    const { as } = await addUser(shared.service, permissions, [own])
    const email = { subject: '{{ include("Footer") }}', isTwig: true }
    const { body } = await ask('POST', '/api/emails/preview', { email }, { as })
    assert.equal(body.subject, `of ${own}`)
    for (const path of ['/api/emails/preview', '/api/emails/send/test']) {
      const foreign = await ask('POST', path, { email: { ...email, brand: other } }, { as })
      const missing = await ask('POST', path, { email: { ...email, brand: 999_999 } }, { as })
      assert.deepEqual([foreign.status, missing.status], [404, 404])
      assert.equal(foreign.text.replace(String(other), '999999'), missing.text)
    }
  })

  test('names the place of a fault, and what keeps the email from being sent', async () => {
    const template = await addTemplate(shared.service, { template: '{{ 1 / zero }}' })
    const { body } = await preview({
      email: { subject: 's', customHtml: `\n{% include "id:${template.id}" %}`, isTwig: true },
    })
    assert.equal(body.error.template, `id:${template.id}`)
    assert.deepEqual([body.error.line, body.html], [1, null])
    const unknown = await preview({
      email: { subject: 's', plainText: '{unsubscribe_url} {code}' },
    })
    assert.match(unknown.body.warnings[0], /\{unsubscribe_url\}, \{code\}/)
    const given = await preview({
      email: { subject: 's', plainText: 'Code {code}' },
      tokens: { '{code}': 4711 },
    })
    assert.deepEqual([given.body.text, given.body.warnings], ['Code 4711', []])
  })

  test('names each template that prints nothing, because it was deleted or is not published', async () => {
    const deleted = await addTemplate(shared.service)
    const hidden = await addTemplate(shared.service, { isPublished: false })
    const shown = await addTemplate(shared.service)
    const email = await addEmail(shared.service, {
      subject: `Hi {twigtemplate=${hidden.id}}`,
      customHtml: `[{twigtemplate=${deleted.id}}{twigtemplate=${shown.id}}{twigtemplate=${deleted.id}}]`,
    })
    await ask('DELETE', `/api/twigTemplates/${deleted.id}/delete?force=1`)
    const { body } = await ask('GET', `/api/emails/${email.id}/preview`)
    assert.deepEqual([body.html, body.error, body.warnings.length], ['[Hello]', null, 2])
    for (const [index, { id }] of [hidden, deleted].entries())
      assert.ok(body.warnings[index].includes(`{twigtemplate=${id}} prints nothing`))
    assert.deepEqual((await preview({ id: email.id })).body.warnings, body.warnings)
    const transport = await addTransport(shared.service, { mailerDsn: 'inbox://local' })
    await ask('POST', `/api/multipleTransport/transportEmail/${email.id}`, {
      transportId: transport.id,
    })
    const test = await ask('POST', '/api/emails/send/test', { id: email.id, to: 'a@example.com' })
    assert.equal(test.body.success, true, test.text)
  })

  test('needs the permission to view contacts and templates where it shows them', async () => {
    const contact = await addContact()
    const template = await addTemplate(shared.service)
    const { as } = await addUser(shared.service, { email: ['view'] })
    const email = { subject: 's', plainText: 'x' }
    const refused = async (body: object) =>
      (await ask('POST', '/api/emails/preview', body, { as })).status
    assert.equal(await refused({ email }), 200)
    assert.equal(await refused({ email, contactId: contact.id }), 403)
    assert.equal(
      await refused({ email: { ...email, plainText: `{twigtemplate=${template.id}}` } }),
      403,
    )
    const { body } = await ask('POST', '/api/emails/preview', { email }, { as })
    assert.equal(body.route.transport, null)
    assert.match(body.route.trace[0].reason, /^Hidden/)
  })
})

onMailyard('a test to yourself', { isOwn: true }, (shared) => {
  const { ask } = shared
  const received = async (to: string): Promise<TestBody> => {
    const { body } = await ask('GET', '/api/inbox')
    const messages = body.messages.filter((each: TestBody) => each['recipients'].includes(to))
    assert.equal(messages.length, 1, JSON.stringify(body))
    return (await ask('GET', `/api/inbox/${messages[0].id}`)).body.message
  }

  test('of an unsaved email gets to you alone, and the contact may get it later', async () => {
    const transport = await addTransport(shared.service, { mailerDsn: 'inbox://local' })
    const email = await addEmail(shared.service, { subject: 'Saved', plainText: 'Text' })
    const address = `${uniqueName('ann')}@example.com`
    const contact = (await ask('POST', '/api/contacts/new', { email: address, firstname: 'Ann' }))
      .body.contact
    const to = `${uniqueName('me')}@example.com`
    const { body, text } = await ask('POST', '/api/emails/send/test', {
      id: email.id,
      email: {
        subject: 'Hello {contactfield=firstname}',
        headers: { 'X-Mailyard-Transport': String(transport.id) },
      },
      contactId: contact.id,
      to,
    })
    assert.deepEqual(body, { success: true, message: `Sent to ${to}.` }, text)
    assert.equal((await received(to)).subject, '[TEST] Hello Ann')
    const { body: deliveries } = await ask('GET', `/api/deliveries?recipient=${address}`)
    assert.equal(deliveries.deliveries.length, 0)
  })

  test('of an email that cannot be sent says why', async () => {
    const { body } = await ask('POST', '/api/emails/send/test', { email: { subject: 's' } })
    assert.equal(body.success, false)
    assert.match(body.message, /no HTML and no text/)
  })

  test('of unsaved code of a template is sent through the transport that it names', async () => {
    const transport = await addTransport(shared.service, {
      mailerDsn: 'inbox://local',
      isPublished: false,
      testedEmailFrom: 'shop@example.com',
    })
    const { id, name } = await addTemplate(shared.service)
    const to = `${uniqueName('me')}@example.com`
    const request = {
      id,
      template: '<p>Hello {{ name }}</p>',
      context: { name: 'Ann' },
      transportId: transport.id,
      to,
    }
    const { body } = await ask('POST', '/api/twigTemplates/send/test', request)
    assert.deepEqual(body, { success: true, message: `Sent to ${to}.` })
    const message = await received(to)
    assert.equal(message.subject, `[TEST] ${name}`)
    assert.match(message.html, /<p>Hello Ann<\/p>/)
    const faulty = await ask('POST', '/api/twigTemplates/send/test', {
      ...request,
      template: '{{ a|x }}',
    })
    assert.deepEqual([faulty.status, faulty.body.line], [400, 1])
  })
})
