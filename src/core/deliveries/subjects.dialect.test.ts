import assert from 'node:assert/strict'
import { before, beforeEach, test } from 'node:test'
import { addTemplate, addTransport, addUser } from '../../../test/callers.ts'
import { onEachDatabase } from '../../../test/on-each-database.ts'
import { useScriptedServer } from '../../../test/scripted-server.ts'
import { createSendFixture } from '../../../test/send-fixture.ts'
import { dialAs } from '../../../test/smtp-dialogue.ts'
import type { TestBody } from '../../../test/test-app.ts'

const hourMs = 3_600_000

onEachDatabase('the subject of a message', { isOwn: true }, (shared) => {
  const fixture = createSendFixture(() => shared.service)
  const server = useScriptedServer()
  const { ask, askFor } = shared
  let port = 0
  let user: Awaited<ReturnType<typeof addUser>>
  let relayName = ''
  let count = 0
  before(async () => {
    port = (await shared.service.openSmtpServer()).port ?? 0
    user = await addUser(shared.service, 'administrator')
    relayName = (await addTransport(shared.service, { name: 'Relay', mailerDsn: server.dsn })).name
    await ask('PATCH', `/api/users/${user.id}/edit`, { smtpMode: 'hybrid' })
  })
  beforeEach(() => {
    server.act = () => undefined
  })
  /** Submits a message with these lines of its head; returns its recipient. */
  const submit = async (head: string) => {
    count += 1
    const to = `smtp-${count}@example.com`
    const own = `From: a@b.test\r\nX-Mailyard-Transport: ${relayName}\r\nMessage-ID: <${count}@subject.test>`
    const raw = `${own}\r\n${head}\r\n\r\nHello`
    const client = await dialAs(port, user.username, user.password)
    assert.match(await client.hand({ to: [to], raw }), /^250 /)
    client.destroy()
    return to
  }
  const loggedTo = async (recipient: string): Promise<TestBody[]> => {
    await shared.service.app.idle()
    return fixture.deliveries(`recipient=${recipient}`)
  }
  const subjectTo = async (recipient: string) => (await loggedTo(recipient))[0]?.subject

  test('submitted over SMTP is logged decoded, on one line and shortened', async () => {
    const encoded = '=?utf-8?B?R3LDvMOfZSBhdXM=?=\r\n =?iso-8859-1?Q?_M=FCnchen?='
    assert.equal(await subjectTo(await submit(`Subject: ${encoded}`)), 'Grüße aus München')
    assert.equal(await subjectTo(await submit('Subject: Ünïcödé as it is')), 'Ünïcödé as it is')
    const lines = Buffer.from('two\r\nlines\0').toString('base64')
    assert.equal(await subjectTo(await submit(`Subject: =?utf-8?B?${lines}?=`)), 'two lines')
    const long = await subjectTo(await submit(`Subject: ${'long '.repeat(100)}`))
    assert.equal(long, 'long '.repeat(51).trim())
    assert.equal(await subjectTo(await submit('X-No: subject')), null)
  })

  test('with the token of a template is logged as it was rendered', async () => {
    const { id } = await addTemplate(shared.service, { template: 'Größe {{ 6 * 7 }}' })
    const to = await submit(`Subject: Your {twigtemplate=${id}}!`)
    assert.equal(await subjectTo(to), 'Your Größe 42!')
  })

  test('of a single send and of a test is logged as it was rendered', async () => {
    const transportId = await fixture.transport(server.dsn)
    const subject = 'Dear {contactfield=firstname}'
    const emailId = await fixture.email(transportId, { subject, plainText: 'Hello' })
    for (const { id } of await fixture.contacts(2)) await fixture.send(emailId, id)
    await askFor('POST', '/api/emails/send/test', {
      id: emailId,
      to: 'tester@example.com',
    })
    const logged = await fixture.deliveries(`emailId=${emailId}`)
    const [test, ...subjects] = logged.map(({ subject }) => subject)
    assert.match(test, /^\[TEST\] /)
    assert.deepEqual(subjects, ['Dear N1', 'Dear N0'])
  })

  test('stays with a message from the queue to each of its outcomes', async () => {
    server.act = () => ({ code: 451, text: '4.3.0 later' })
    const to = await submit('Subject: =?utf-8?Q?F=C3=BCr_sp=C3=A4ter?=')
    const emailId = await fixture.email(await fixture.transport(server.dsn), { subject: 'Sent' })
    const [contact] = await fixture.contacts(1)
    await fixture.send(emailId, contact?.id ?? 0)
    const { messages } = (await ask('GET', '/api/queue/messages')).body
    const shownSubjects = messages.map(({ subject }: TestBody) => subject)
    assert.deepEqual(shownSubjects, ['Sent', 'Für später'])
    const [, { id: laterId }] = messages
    const { headers, headersNote, attempts } = (await ask('GET', `/api/queue/messages/${laterId}`))
      .body
    assert.deepEqual(headers.at(-1), { name: 'Subject', value: 'Für später' })
    assert.equal(headersNote, null)
    assert.equal(attempts[0]?.outcome, 'deferred')
    await ask('POST', `/api/queue/messages/${laterId}/cancel`)
    server.act = () => undefined
    shared.clock.advance(hourMs)
    const logged = async (query: string) =>
      (await fixture.deliveries(query)).map(({ outcome, subject }) => [outcome, subject])
    await shared.service.app.idle()
    assert.deepEqual(await logged(`emailId=${emailId}`), [
      ['accepted', 'Sent'],
      ['deferred', 'Sent'],
    ])
    assert.deepEqual(await logged(`recipient=${to}`), [
      ['cancelled', 'Für später'],
      ['deferred', 'Für später'],
    ])
  })

  test('is hidden, and no filter, without the permission to view contacts', async () => {
    const to = await submit('Subject: Dear Carla')
    const [delivery] = await loggedTo(to)
    const { as } = await addUser(shared.service, { email: ['view'] })
    const path = `/api/deliveries/${delivery?.id}`
    const shown = (await ask('GET', path, undefined, { as })).body
    assert.equal(shown.delivery.subject, null)
    assert.equal(shown.contact, null)
    const filtered = await ask('GET', '/api/deliveries?subject=Carla', undefined, { as })
    assert.equal(filtered.status, 403)
  })

  test('leads from a delivery to its contact, its captured message, and to sending it again', async () => {
    const emailId = await fixture.email(await fixture.transport('inbox://local'))
    const [contact] = await fixture.contacts(1, () => ({ lastname: 'Ramos' }))
    await fixture.send(emailId, contact?.id ?? 0)
    const [delivery] = await fixture.deliveries(`emailId=${emailId}`)
    const get = async (id: number) => (await ask('GET', `/api/deliveries/${id}`)).body
    const sent = await get(delivery?.id)
    assert.deepEqual(sent.contact, { id: contact?.id, name: 'N0 Ramos' })
    assert.deepEqual(sent.sendAgain, { isPossible: true, problem: null })
    const captured = (await ask('GET', `/api/inbox/${sent.inboxId}`)).body.message
    assert.equal(captured.messageId, delivery?.messageId)
    await ask('DELETE', `/api/inbox/${sent.inboxId}`)
    await ask('PATCH', `/api/emails/${emailId}/edit`, { isPublished: false })
    const later = await get(delivery?.id)
    assert.equal(later.inboxId, null)
    assert.equal(later.sendAgain.isPossible, false)
    const [other] = await loggedTo(await submit('Subject: From elsewhere'))
    assert.equal((await get(other?.id)).sendAgain.isPossible, false)
    const { text } = await ask('GET', '/api/deliveries.csv?subject=elsewhere')
    assert.match(text, /,subject,event,class,brand\r\n.*,From elsewhere,,,\r\n$/)
  })
})
