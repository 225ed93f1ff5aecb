import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import {
  addClient,
  addEmail,
  addRole,
  addTemplate,
  addTransport,
  addUser,
  type TestPermissions,
} from '../../../test/callers.ts'
import { useMailCatcher } from '../../../test/mail-catcher.ts'
import { onMailyard } from '../../../test/on-each-database.ts'
import { type Dialogue, dialAs, openDialogue } from '../../../test/smtp-dialogue.ts'
import {
  type Script,
  type ScriptedServer,
  startScriptedServer,
} from '../../libraries/mailer/testing/smtp-server.case.test.ts'

const catcher = useMailCatcher()
const upstreams: ScriptedServer[] = []
after(async () => {
  for (const upstream of upstreams) await upstream.close()
})

const raw = (headers: Record<string, string>, body = 'Hello') =>
  `${Object.entries({ From: 'sender@example.com', Subject: 's', ...headers })
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')}\r\n${body}\r\n`

let count = 0
const unique = () => {
  count += 1
  return count
}
const fresh = () => `<${unique()}@relay.test>`
/** A message with a new id that names its transport. */
const via = (transport: string, headers: Record<string, string> = {}, body?: string) =>
  raw({ 'X-Mailyard-Transport': transport, 'Message-ID': fresh(), ...headers }, body)

onMailyard('the relay', { isOwn: true }, (shared) => {
  let port = 0
  const clients: Dialogue[] = []
  let administrator: Dialogue
  before(async () => {
    port = (await shared.service.openSmtpServer()).port ?? 0
    administrator = await dial()
  })
  after(() => {
    for (const client of clients) client.destroy()
  })

  const dial = async (user?: string, password?: string) => {
    const client = await dialAs(port, user, password)
    clients.push(client)
    return client
  }
  const hand = (to: string | string[], raw: string, from?: string) =>
    administrator.hand({ to: [to].flat(), raw, ...(from === undefined ? {} : { from }) })
  const addContact = async (values: object) =>
    (await shared.askFor('POST', '/api/contacts/new', values)).contact
  const transport = (name: string, mailerDsn = catcher.dsn) =>
    addTransport(shared.service, { name, mailerDsn })
  /** A transport to a scripted server of its own. */
  const scripted = async (name: string, script: Script) => {
    const upstream = await startScriptedServer({ script })
    upstreams.push(upstream)
    const { id } = await transport(name, `smtp://127.0.0.1:${upstream.port}`)
    return { upstream, id: id as number }
  }
  const application = (role: number) =>
    addClient(shared.service, { name: 'app', role, grantTypes: ['client_credentials'] })
  const deliveries = async (query: string) =>
    (await shared.ask('GET', `/api/deliveries?${query}`)).body.deliveries

  test('a message is sent through the transport that it names, without its X-Mailyard headers and otherwise unchanged', async () => {
    const { id } = await transport('by name')
    const odd = 'X-Odd:   spaced  \r\n\tfolded\r\n'
    const message = `X-Mailyard-Transport: by name\r\nFrom: a@b.test\r\n${odd}X-EMAIL-ID: 77\r\nX-Owner-Id: 1\r\nx-contact-id: 5\r\nMessage-ID: ${fresh()}\r\nSubject: s\r\n\r\n.dot\r\n..dots\r\nm\u00fcll\r\n`
    assert.match(await hand('c@d.test', message), /^250 2\.0\.0 /)
    const mail = catcher.mails.at(-1)
    assert.equal(
      mail?.raw,
      message.replace(/^(X-Mailyard-Transport|X-EMAIL-ID|X-Owner-Id|x-contact-id): .*\r\n/gm, ''),
    )
    const [delivery] = await deliveries('emailId=77')
    const { source, outcome, transportId, contactId, caller, trace } = delivery
    const logged = [source, outcome, transportId, contactId, caller, trace[0].source]
    assert.deepEqual(logged, ['smtp', 'accepted', id, 5, 'Admin', 'named'])
    const numbered = via(String(id))
    assert.match(await hand('c@d.test', numbered), /^250 /)
  })

  test('without a named transport the email, the owner or the From decides, as resolve says', async () => {
    const [ofEmail, ofOwner] = [await transport('of email'), await transport('of owner')]
    const email = await addEmail(shared.service, { plainText: 't' })
    const path = `/api/multipleTransport/transportEmail/${email.id}`
    await shared.ask('POST', path, { transportId: ofEmail.id })
    const owner = { transportId: ofOwner.id }
    await shared.ask('POST', '/api/multipleTransport/transportUser/1', owner)
    const send = async (headers: Record<string, string>, query: string) => {
      const to = `${unique()}@route.test`
      const answer = await hand(to, raw({ ...headers, 'Message-ID': fresh() }))
      const [delivery] = await deliveries(`recipient=${to}`)
      const url = `/api/multipleTransport/resolve?${query}`
      const { body: route } = await shared.ask('GET', url)
      if (delivery !== undefined) assert.deepEqual(delivery.trace, route.trace)
      assert.equal(delivery?.transportId, route.transport?.id)
      return { answer, transportId: delivery?.transportId }
    }
    const byEmail = await send({ 'X-EMAIL-ID': String(email.id) }, `emailId=${email.id}`)
    assert.equal(byEmail.transportId, ofEmail.id)
    const byOwner = await send({ 'X-Owner-Id': '1' }, 'ownerId=1&from=sender@example.com')
    assert.equal(byOwner.transportId, ofOwner.id)
    const byFrom = await send({ From: 'Admin <admin@localhost>' }, 'from=admin@localhost')
    assert.equal(byFrom.transportId, ofOwner.id)
    const byNothing = await send({ From: 'x@y.test' }, 'from=x@y.test')
    assert.match(byNothing.answer, /^451 4\.3\.5 .*no transport/)
    const noName = { 'X-EMAIL-ID': String(email.id), 'X-Mailyard-Transport': '=?utf-8?Q?a=00b?=' }
    assert.equal((await send(noName, `emailId=${email.id}`)).transportId, ofEmail.id)
    await shared.ask('POST', '/api/multipleTransport/transportUser/1', {
      transportId: null,
    })
  })

  test('a message that names an unusable transport is refused temporarily, with the reason', async () => {
    const working = await transport('works')
    const email = await addEmail(shared.service, { plainText: 't' })
    await shared.ask('POST', `/api/multipleTransport/transportEmail/${email.id}`, {
      transportId: working.id,
    })
    const [first, second] = [await transport('Twins'), await transport(' twins ')]
    const hidden = await transport('hidden')
    const edit = (id: number, values: object) =>
      shared.ask('PATCH', `/api/multipleTransports/${id}/edit`, values)
    await edit(hidden.id, { isPublished: false })
    const sendBy = (name: string, to: string) =>
      hand(to, via(name, { 'X-EMAIL-ID': String(email.id) }))
    const count = catcher.mails.length
    const problems: Record<string, RegExp> = {
      TWINS: new RegExp(`"TWINS" is ambiguous: transports ${first.id}, ${second.id} have it`),
      nowhere: /Transport "nowhere", which the message names, was not found/,
      '999999': /Transport "999999", which the message names, was not found/,
      HIDDEN: new RegExp(`Transport "HIDDEN" \\(id ${hidden.id}\\), .* is not published`),
      [hidden.id]: /is not published/,
    }
    for (const [name, problem] of Object.entries(problems)) {
      const answer = await sendBy(name, 'a@named.test')
      assert.match(answer, /^451 4\.3\.5 /)
      assert.match(answer, problem)
      const { body: route } = await shared.ask(
        'GET',
        `/api/multipleTransport/resolve?emailId=${email.id}&transport=${name}`,
      )
      assert.match(route.problem, problem)
      assert.equal(route.transport, null)
    }
    assert.equal(catcher.mails.length, count)
    assert.match(await sendBy(String(second.id), 'b@named.test'), /^250 /)
    await edit(hidden.id, { isPublished: true })
    assert.match(await sendBy('  hIDDEN', 'c@named.test'), /^250 /)
    const [byId] = await deliveries('recipient=b@named.test')
    assert.equal(byId.transportId, second.id)
  })

  test('a refusal is passed on with its code and text, and the message may be submitted again', async () => {
    const replies = {
      mail: '550 5.7.1 this sender is not welcome',
      rcpt: '450 4.2.1 come back later',
      data: '554 5.5.0 no data today',
      dot: '552 5.2.2 mailbox\r\n is full'.replace('\r\n ', ' '),
    }
    for (const [step, reply] of Object.entries(replies)) {
      const name = `says ${step}`
      const { upstream } = await scripted(name, { [step]: reply })
      const message = via(name)
      assert.equal(await hand('c@d.test', message), reply)
      const commands = upstream.commands.length
      assert.equal(await hand('c@d.test', message), reply)
      assert.ok(upstream.commands.length > commands, 'the second time it was asked again')
    }
  })

  test('a reply that concerns Mailyard and not the sender becomes a temporary refusal', async () => {
    for (const [name, script] of Object.entries<Script>({
      'wants a log-in': { mail: '530 5.7.0 authentication required' },
      'is closing': { mail: { say: '421 4.3.2 going down', end: 'close' } },
      'is not there': { connect: { end: 'close' } },
    })) {
      await scripted(name, script)
      const message = via(name)
      assert.match(await hand('c@d.test', message), /^451 4\./, name)
    }
    assert.match(await administrator.say('NOOP'), /^250 /)
  })

  test('several recipients: 250 only if all were accepted; an accepted one does not get it again', async () => {
    await transport('for many')
    const message = via('for many')
    const to = ['one@many.test', 'refuse-554@many.test', 'two@many.test']
    const before = catcher.mails.length
    const answer = await hand(to, message)
    assert.match(answer, /^554 5\.7\.1 not welcome .*refuse-554@many\.test.*one@many\.test, two@/)
    assert.deepEqual(catcher.mails.at(-1)?.to, ['one@many.test', 'two@many.test'])
    assert.match(await hand(to, message), /^554 5\.7\.1 /)
    assert.equal(catcher.mails.length, before + 1)
    const mixed = ['refuse-554@many.test', 'refuse-450@many.test']
    const other = via('for many')
    assert.match(await hand(mixed, other), /^450 4\.2\.0 /)
    assert.match(await hand(['one@many.test', 'two@many.test'], message), /^250 /)
    assert.equal(catcher.mails.length, before + 1)
  })

  test('a duplicate is answered 250 and not sent; another sender, recipient or id makes another message', async () => {
    await transport('once')
    const id = fresh()
    const message = (headers: Record<string, string> = {}) =>
      via('once', { 'Message-ID': id, ...headers })
    const before = catcher.mails.length
    assert.match(await hand('a@once.test', message()), /^250 2\.0\.0 Accepted/)
    const again = await hand('A@once.test', message())
    assert.match(again, /^250 2\.0\.0 Already delivered/)
    assert.equal(catcher.mails.length, before + 1)
    await hand('b@once.test', message())
    await hand('a@once.test', message(), 'other@example.com')
    await hand('a@once.test', message({ 'Message-ID': fresh() }))
    assert.equal(catcher.mails.length, before + 4)
    const nameless = 'X-Mailyard-Transport: once\r\nFrom: a@b.test\r\n\r\nno id\r\n'
    await hand('a@once.test', nameless)
    assert.match(await hand('a@once.test', nameless), /Already delivered/)
    await hand('a@once.test', `${nameless}!\r\n`)
    assert.equal(catcher.mails.length, before + 6)
  })

  test('an overlong Message-ID is not stored; its message is identified by its bytes', async () => {
    await transport('endless')
    const message = via('endless', { 'Message-ID': `<${'x'.repeat(20_000)}>` })
    const again = () => hand('a@endless.test', message)
    assert.match(await again(), /^250 2\.0\.0 Accepted/)
    assert.match(await again(), /^250 2\.0\.0 Already delivered/)
    const [delivery] = await deliveries('recipient=a@endless.test')
    assert.equal(delivery.messageId, null)
  })

  test('the same message submitted concurrently is sent once', async () => {
    await transport('concurrent')
    const message = via('concurrent')
    const before = catcher.mails.length
    const parties = await Promise.all(Array.from({ length: 8 }, () => dial()))
    const answers = await Promise.all(
      parties.map((client) => client.hand({ to: ['a@same.test'], raw: message })),
    )
    assert.equal(catcher.mails.length, before + 1)
    assert.ok(answers.some((answer) => answer.startsWith('250 ')))
    assert.ok(
      answers.every((answer) => /^(250 |451 4\.4\.5 )/.test(answer)),
      answers.join('\n'),
    )
  })

  test('a segment email is sent to a contact once, with any Message-ID; a Bcc recipient gets each copy', async () => {
    await transport('bulk')
    const send = (contact: string, to: string[]) =>
      hand(to, via('bulk', { Precedence: 'Bulk', 'X-EMAIL-ID': '4000', 'X-Contact-Id': contact }))
    const before = catcher.mails.length
    assert.match(await send('901', ['a@bulk.test', 'bcc@bulk.test']), /^250 .*Accepted/)
    assert.match(await send('901', ['a@bulk.test', 'bcc@bulk.test']), /^250 .*Already delivered/)
    assert.match(await send('902', ['b@bulk.test', 'bcc@bulk.test']), /^250 .*Accepted/)
    assert.equal(catcher.mails.length, before + 2)
    const single = via('bulk', { 'X-EMAIL-ID': '4000', 'X-Contact-Id': '901' })
    assert.match(await hand('a@bulk.test', single), /^250 .*Accepted/)
  })

  test('a segment email with the same id and other content is another email', async () => {
    await transport('renumbered')
    const send = (subject: string, link: string) =>
      hand(
        'a@renumbered.test',
        via(
          'renumbered',
          { Precedence: 'Bulk', 'X-EMAIL-ID': '1', 'X-Contact-Id': '1', Subject: subject },
          `See http://mautic.test/r/1?ct=${link}`,
        ),
      )
    assert.match(await send('Spring', 'first'), /^250 .*Accepted/)
    assert.match(await send('Spring', 'second'), /^250 .*Already delivered/)
    assert.match(await send('After it was reinstalled', 'first'), /^250 .*Accepted/)
    assert.match(await send('After it was reinstalled', 'second'), /^250 .*Already delivered/)
  })

  test('without X-Contact-Id a Bcc recipient gets each copy of a segment email too; another transport makes another email', async () => {
    const upstreams = await Promise.all(['one Mautic', 'another'].map((name) => scripted(name, {})))
    const send = (contact: string, by = 'one Mautic') =>
      hand(
        [contact, 'archive@bulk.test'],
        via(by, { To: `Contact <${contact}>`, Precedence: 'Bulk', 'X-EMAIL-ID': '4001' }),
      )
    assert.match(await send('a@bulk.test'), /^250 .*Accepted/)
    assert.match(await send('b@bulk.test'), /^250 .*Accepted/)
    assert.match(await send('b@bulk.test'), /^250 .*Already delivered/)
    assert.match(await send('b@bulk.test', 'another'), /^250 .*Accepted/)
    const [one, another] = upstreams.map(({ upstream }) =>
      upstream.commands.filter((line) => line.startsWith('RCPT')),
    )
    assert.equal(one?.filter((line) => line.includes('archive@')).length, 2)
    assert.equal(another?.length, 2)
  })

  test('a permanent refusal of one message does not apply to the next', async () => {
    const { upstream } = await scripted('content', { data: '554 5.7.1 looks like spam' })
    const send = (contact: string) =>
      hand([contact, 'archive@content.test'], via('content', { To: contact, 'X-EMAIL-ID': '4102' }))
    const asked = () => upstream.commands.filter((line) => /^RCPT.*archive@/.test(line)).length
    assert.match(await send('a@content.test'), /^554 5\.7\.1 looks like spam/)
    assert.match(await send('a@content.test'), /^554 5\.7\.1 looks like spam/)
    assert.equal(asked(), 1)
    assert.match(await send('b@content.test'), /^554 5\.7\.1 looks like spam/)
    assert.equal(asked(), 2)
  })

  test('a permanently refused recipient is answered from memory, for that email only', async () => {
    const { upstream, id } = await scripted('refuser', { rcpt: '550 5.7.1 not welcome here' })
    const send = (emailId: string, headers: Record<string, string> = {}) =>
      hand('gone@memory.test', via('refuser', { 'X-EMAIL-ID': emailId, ...headers }))
    const asked = () => upstream.commands.filter((line) => line.startsWith('RCPT')).length
    for (let time = 0; time < 20; time += 1) {
      assert.equal(await send('4100'), '550 5.7.1 not welcome here')
    }
    assert.equal(asked(), 1)
    assert.equal(await send('4101'), '550 5.7.1 not welcome here')
    assert.equal(asked(), 2)
    // Another transport has not refused the recipient.
    await transport('other transport')
    assert.match(await send('4100', { 'X-Mailyard-Transport': 'other transport' }), /^250 /)
    assert.ok(id > 0)
  })

  test('a duplicate is answered 250, even if server, transport or template were changed since', async () => {
    const { upstream, id } = await scripted('had', {
      mail: (line) => (line.includes('bad@') ? '550 5.1.8 no such sender' : undefined),
    })
    const template = await addTemplate(shared.service, { template: 'x' })
    const message = (more: Record<string, string> = {}) =>
      via(
        'had',
        { 'Message-ID': '<had@relay.test>', 'X-EMAIL-ID': '4200', ...more },
        `{twigtemplate=${template.id}}`,
      )
    const to = ['a@had.test']
    const had = /^250 .*Already delivered/
    assert.match(await hand(to, message()), /^250 .*Accepted/)
    const another = message({ 'Message-ID': fresh() })
    const refused = await hand(to, another, 'bad@example.com')
    assert.equal(refused, '550 5.1.8 no such sender')
    assert.match(await hand(to, message()), had)
    // The sender was refused, not the recipient.
    const fixed = message({ 'Message-ID': fresh() })
    assert.match(await hand(to, fixed), /^250 .*Accepted/)

    await shared.ask('PATCH', `/api/twigTemplates/${template.id}/edit`, {
      template: '{{ 1 / 0 }}',
    })
    assert.match(await hand(to, message()), had)
    assert.match(await hand('b@had.test', message()), /^451 4\.3\.5 /)

    await shared.ask('PATCH', `/api/twigTemplates/${template.id}/edit`, { template: 'x' })
    await shared.ask('PATCH', `/api/multipleTransports/${id}/edit`, {
      mailerDsn: 'nonsense://nowhere',
    })
    assert.match(await hand(to, message()), had)
    assert.equal(upstream.received.length, 2)
  })

  test('an uncertain message is not sent again until it is settled, and the log says so', async () => {
    const { upstream } = await scripted('vanishing', {
      dot: (_line, before) => (before === 0 ? { end: 'close' } : undefined),
    })
    const message = via('vanishing')
    const to = ['lost@held.test']
    assert.match(await hand(to, message), /^451 4\.4\.2 /)
    assert.equal(upstream.received.length, 1)
    const [delivery] = await deliveries('recipient=lost@held.test')
    assert.equal(delivery.outcome, 'uncertain')
    assert.match(await hand(to, message), /^451 4\.4\.2 .*not sent again until it is settled/)
    assert.equal(upstream.received.length, 1)
    const settle = `/api/deliveries/${delivery.id}/settle`
    await shared.askFor('POST', settle, { outcome: 'deferred' })
    assert.match(await hand(to, message), /^250 /)
    assert.equal(upstream.received.length, 2)
  })

  test('a template token is rendered for the contact; several recipients get one copy each', async () => {
    await transport('templates')
    const template = await addTemplate(shared.service, {
      template: 'Dear {{ contact.firstname|default("friend") }} <{{ contact.email }}>',
    })
    const ann = await addContact({
      firstname: 'Ann & Co',
      email: `ann${unique()}@token.test`,
    })
    const annAddress = ann.fields.all.email
    const message = (headers: Record<string, string> = {}) =>
      via('templates', headers, `{twigtemplate=${template.id}}`)
    await hand(annAddress, message())
    assert.match(catcher.mails.at(-1)?.raw ?? '', /Dear Ann & Co <ann/)
    const named = message({ 'X-Contact-Id': String(ann.id) })
    await hand(annAddress.toUpperCase(), named)
    assert.match(catcher.mails.at(-1)?.raw ?? '', /Dear Ann & Co /)
    const before = catcher.mails.length
    const answer = await hand([annAddress, 'new@token.test'], message())
    assert.match(answer, /^250 /)
    assert.deepEqual(
      catcher.mails.slice(before).map((mail) => [mail.to, /Dear (\w+)/.exec(mail.raw)?.[1]]),
      [
        [[annAddress], 'Ann'],
        [['new@token.test'], 'friend'],
      ],
    )
  })

  test('a token for a link that a template prints is never sent: the message is refused with its name', async () => {
    await transport('no links')
    const send = async (template: string) => {
      const { id } = await addTemplate(shared.service, { template })
      return hand(
        address,
        via('no links', { Subject: `{twigtemplate=${id}}` }, `{twigtemplate=${id}}`),
      )
    }
    const address = `ann${unique()}@token.test`
    await addContact({ firstname: '{unsubscribe_url}', email: address })
    const before = catcher.mails.length
    for (const template of ['{unsubscribe_url}', '{{ "{unsubscribe" ~ "_url}" }}'])
      assert.match(await send(template), /^451 4\.3\.5 .*prints \{unsubscribe_url\}/)
    assert.equal(catcher.mails.length, before)
    // What comes from the data of the contact is text.
    assert.match(await send('{{ contact.firstname }}'), /^250 /)
  })

  test("a contact's data is sent to the contact's own address only, and the trace says so", async () => {
    await transport('own address')
    const template = await addTemplate(shared.service, {
      template: 'Secret: {{ contact.firstname|default("none") }}',
    })
    const address = `ann${unique()}@own.test`
    const ann = await addContact({ firstname: 'Ann', email: address })
    const send = async (to: string[]) => {
      const before = catcher.mails.length
      const body = `{twigtemplate=${template.id}}`
      const message = via('own address', { 'X-Contact-Id': String(ann.id) }, body)
      assert.match(await hand(to, message), /^250 /)
      return catcher.mails
        .slice(before)
        .map((mail) => [mail.to, /Secret: (\w+)/.exec(mail.raw)?.[1]])
    }
    const stranger = `${unique()}@elsewhere.test`
    assert.deepEqual(await send([stranger]), [[[stranger], 'none']])
    const [delivery] = await deliveries(`recipient=${stranger}`)
    assert.equal(delivery.contactId, null)
    assert.match(delivery.trace[0].reason, /contact \d+ is ignored .*own address/)
    const bcc = `${unique()}@elsewhere.test`
    assert.deepEqual(await send([address, bcc]), [
      [[address], 'Ann'],
      [[bcc], 'none'],
    ])
  })

  test('contact data and templates need the same permissions as over HTTP', async () => {
    await transport('permissions')
    const template = await addTemplate(shared.service, {
      template: 'Secret: {{ contact.firstname|default("none") }}',
    })
    const address = `ann${unique()}@own.test`
    const ann = await addContact({ firstname: 'Ann', email: address })
    const send = async (permissions: TestPermissions, body = `{twigtemplate=${template.id}}`) => {
      const app = await application(await addRole(shared.service, permissions))
      const client = await dial(app.clientId, app.clientSecret)
      const message = via('permissions', { 'X-Contact-Id': String(ann.id) }, body)
      return client.hand({ to: [address], raw: message })
    }
    const email = ['send']
    const before = catcher.mails.length
    assert.match(await send({ email }), /^550 5\.7\.1 .*\(twigtemplates:view\)/)
    assert.match(await send({ email, contact: ['full'] }), /^550 5\.7\.1 /)
    assert.equal(catcher.mails.length, before)
    assert.match(await send({ email }, 'no template'), /^250 /)
    assert.match(await send({ email, twigtemplates: ['view'] }), /^250 /)
    assert.match(catcher.mails.at(-1)?.raw ?? '', /Secret: none/)
    const [delivery] = await deliveries(`recipient=${address}`)
    assert.match(delivery.trace[0].reason, /may not view contacts \(contact:view\)/)
    assert.match(await send({ email, twigtemplates: ['view'], contact: ['view'] }), /^250 /)
    assert.match(catcher.mails.at(-1)?.raw ?? '', /Secret: Ann/)
  })

  test('an OAuth client needs the permission to send, at each message', async () => {
    await transport('rights')
    const sender = await addRole(shared.service, { email: ['send'] })
    const reader = await addRole(shared.service, { email: ['view'] })
    const app = await application(sender)
    const client = await dial(app.clientId, app.clientSecret)
    const send = () => client.hand({ to: ['a@rights.test'], raw: via('rights') })
    assert.match(await send(), /^250 /)
    const [delivery] = await deliveries('recipient=a@rights.test')
    assert.match(delivery.caller, /^app \[\d+\]$/)
    const other = await openDialogue(port)
    clients.push(other)
    await other.say('EHLO c')
    assert.match(await other.logIn(app.clientId, 'wrong'), /^535 /)
    const idle = await application(reader)
    assert.match(await other.logIn(idle.clientId, idle.clientSecret), /^535 .*email:send/)
    await shared.ask('PATCH', `/api/roles/${sender}/edit`, { rawPermissions: {} })
    assert.match(await send(), /^550 5\.7\.1 /)
    await shared.ask('DELETE', `/api/oauthClients/${app.id}/delete`)
    assert.match(await send(), /^530 /)
  })

  test('a changed password ends the access of a user immediately', async () => {
    const user = await addUser(shared.service, 'administrator')
    await transport('mine')
    const client = await dial(user.email, user.password)
    const send = () => client.hand({ to: ['a@mine.test'], raw: via('mine') })
    assert.match(await send(), /^250 /)
    const next = { password: 'second password 2', confirm: 'second password 2' }
    await shared.ask('PATCH', `/api/users/${user.id}/edit`, { plainPassword: next })
    assert.match(await send(), /^530 /)
  })

  for (const [what, rules] of [
    ['networks', { networks: ['203.0.113.0/24'] }],
    ['last day', { validUntil: '2026-01-31' }],
  ] as const)
    test(`the ${what} of a user ends a log-in at its next message, and refuses new ones like a wrong password`, async () => {
      const { username, password, id } = await addUser(shared.service, { email: ['send'] })
      const client = await dial(username, password)
      await shared.askFor('PATCH', `/api/users/${id}/edit`, rules)
      const raw = 'From: a@x.test\r\n\r\nHello'
      assert.match(await client.hand({ to: ['a@net.test'], raw }), /^530 /)
      const other = await openDialogue(port)
      clients.push(other)
      await other.say('EHLO c')
      const refused = await other.logIn(username, password)
      assert.match(refused, /^535 /)
      assert.equal(refused, await other.logIn(username, 'wrong'))
    })

  test('failed log-ins are throttled', async () => {
    const answers: string[] = []
    for (let time = 0; time < 5; time += 1) {
      const client = await openDialogue(port)
      clients.push(client)
      await client.say('EHLO c')
      for (let guess = 0; guess < 3; guess += 1) {
        answers.push(await client.logIn('victim', `guess ${time} ${guess}`))
      }
      await client.ended
    }
    assert.match(answers[0] ?? '', /^535 /)
    assert.match(answers.at(-1) ?? '', /^454 4\.7\.0 Too many failed log-ins/)
    await dial()
  })
})

onMailyard(
  'a trusted network',
  { config: { smtpTrustedNetworks: [{ network: '127.0.0.0/8', username: 'admin' }] } },
  (shared) => {
    test('needs no authentication and acts as its user', async () => {
      const { port = 0 } = await shared.service.openSmtpServer()
      await addTransport(shared.service, { name: 'trusted', mailerDsn: catcher.dsn })
      const client = await openDialogue(port)
      await client.say('EHLO c')
      const message = () => via('trusted')
      assert.match(await client.hand({ to: ['a@net.test'], raw: message() }), /^250 /)
      const { body } = await shared.ask('GET', '/api/deliveries?recipient=a@net.test')
      assert.equal(body.deliveries[0].caller, 'Admin')
      const foreign = await shared.openAnother({
        config: { smtpTrustedNetworks: [{ network: '10.0.0.0/8', username: 'admin' }] },
      })
      const stranger = await openDialogue((await foreign.openSmtpServer()).port ?? 0)
      await stranger.say('EHLO c')
      assert.match(await stranger.hand({ to: ['a@net.test'], raw: message() }), /^530 /)
      const unknown = await shared.openAnother({
        config: { smtpTrustedNetworks: [{ network: '127.0.0.1', username: 'unknown' }] },
      })
      const ghost = await openDialogue((await unknown.openSmtpServer()).port ?? 0)
      await ghost.say('EHLO c')
      assert.match(await ghost.hand({ to: ['a@net.test'], raw: message() }), /^530 /)
      for (const each of [client, stranger, ghost]) each.destroy()
    })
  },
)
