import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { asAdmin, basicHeader } from '../administrator.ts'
import { type MailCatcher, startMailCatcher } from '../mail-catcher.ts'
import { apiSettings, type MailyardProcess, startMailyard } from '../mailyard-process.ts'
import { createContact, createEmail, setFields } from '../mautic-double/mautic-data.ts'
import { type MauticDouble, startMauticDouble } from '../mautic-double/mautic-double.ts'
import type { Json } from '../mautic-double/recordings.ts'
import { readMauticMessages } from '../mautic-messages.ts'
import { openDialogue } from '../smtp-dialogue.ts'
import { until } from '../until.ts'

/** A message of the contact API, which names no email, and what Mautic's statistics say of it. */
const contactApi = {
  name: 'contact-api-1-1',
  hash: '6b00ef30c2e0a792849038',
  emailId: 10,
  contactId: 1,
}

/** A Mailyard and a Mautic that sends through it, as an administrator connects them. */
describe('mail over SMTP with the log-in of a Mautic', () => {
  let mautic: MauticDouble
  let service: MailyardProcess
  let login: readonly [user: string, password: string]
  let assignedServer: MailCatcher

  const ask = async (path: string, body?: object, authorization = asAdmin): Promise<Json> => {
    const answer = await fetch(`${service.url}${path}`, {
      headers: { authorization, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
    })
    const text = await answer.text()
    assert.ok(answer.ok, `${path}: ${answer.status} ${text}`)
    return JSON.parse(text)
  }
  /** Asks at the address of the Mautic, with an account of that Mautic. */
  const askAsMautic = (path: string, body: object) => {
    const { username, password } = mautic.administrator
    return ask(`/mautic/brand/api/${path}`, body, basicHeader(username, password))
  }
  const submit = async (name: string, [user, password] = login) => {
    const sent = readMauticMessages().find((message) => message.name === name)
    assert.ok(sent !== undefined)
    const dialogue = await openDialogue(service.smtpPort)
    await dialogue.say('EHLO [127.0.0.1]')
    const reply = await dialogue.logIn(user, password)
    if (!reply.startsWith('235')) return reply
    const { sender: from, recipients: to, message } = sent
    const answer = await dialogue.hand({ from, to, raw: message.toString('latin1') })
    dialogue.end()
    return answer
  }
  const deliveryTo = async (recipient: string) => {
    const { deliveries } = await ask(`/api/deliveries?mautic=1&recipient=${recipient}`)
    return deliveries[0]
  }

  before(async () => {
    mautic = await startMauticDouble({ emails: 0, contacts: 0 })
    const { hash, emailId, contactId } = contactApi
    mautic.data.emails.set(emailId, createEmail(emailId))
    const contact = createContact(contactId)
    setFields(contact, { email: `contact${contactId}@rcpt.test`, firstname: 'Ann' })
    mautic.data.contacts.set(contactId, contact)
    const [template] = mautic.data.stats
    mautic.data.stats = [
      {
        ...template,
        ...{ tracking_hash: hash, email_id: String(emailId), lead_id: String(contactId) },
        email_address: `contact${contactId}@rcpt.test`,
      },
    ]
    assignedServer = await startMailCatcher()
    const env = {
      MAILYARD_SMTP_PORT: '0',
      MAILYARD_MAILER_DSN: 'null://null',
      // For the transport that the administrator of the Mautic creates.
      MAILYARD_OUTBOUND_ALLOW: '127.0.0.0/8',
    }
    service = await startMailyard({ env: { ...apiSettings, ...env } })
    const { id: brand } = (await ask('/api/brands/new', { name: 'Brand' })).brand
    const values = { name: 'brand', url: mautic.url, ...mautic.client, smtpMode: 'queue', brand }
    const { mailerDsn } = (await ask('/api/mautics/new', values)).mautic
    const { username, password } = new URL(mailerDsn)
    login = [username, password]
    const template1 = { name: 'Greeting', template: 'Dear {{ contact.firstname }}' }
    assert.equal((await askAsMautic('twigTemplates/new', template1)).twigTemplate.id, 1)
    const transport = { name: 'Brand', mailerDsn: assignedServer.dsn }
    const { id: transportId } = await askAsMautic('multipleTransports/new', transport)
    await askAsMautic(`multipleTransport/transportEmail/${emailId}`, { transportId })
  })
  after(async () => {
    await service.stop()
    await assignedServer.stop()
    await mautic.close()
  })

  test('a message of the contact API is found by its hash, and sent through the transport of its email', async () => {
    assert.match(await submit(contactApi.name), /^250 /)
    await until(() => assignedServer.mails.length === 1, 'the message was delivered')
    assert.deepEqual(assignedServer.mails[0]?.to, ['contact1@rcpt.test'])
    // Quoted-printable: a line may end anywhere.
    const text = assignedServer.mails[0]?.raw.replaceAll(/=\r?\n/g, '') ?? ''
    assert.match(text, /<div>Dear Ann<\/div>/)
    await until(
      async () => (await deliveryTo('contact1@rcpt.test'))?.outcome === 'accepted',
      'it is logged',
    )
    const { emailId, contactId, mautic: from, trace } = await deliveryTo('contact1@rcpt.test')
    assert.deepEqual([emailId, contactId, from.name], [10, 1, 'brand'])
    assert.match(trace[0].reason, /^the email is 10 \(the hash in the tracking pixel\)$/)
  })

  test('a wrong password sends nothing', async () => {
    assert.match(await submit(contactApi.name, [login[0], `${login[1]}x`]), /^535 /)
    assert.match(await submit(contactApi.name, [login[1], login[0]]), /^535 /)
  })
})
