import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readMauticMessages } from '../../../../test/mautic-messages.ts'
import { AppError } from '../../../kit/app-error.ts'
import type { MauticContact } from '../../mautic/index.ts'
import type { MauticDirectory } from '../../mautic/mautic-directory.ts'
import { readMessage } from '../../mime/read-message.ts'
import { createIdentifyMessage } from './identify-message.ts'

const mautic = { id: 7, name: 'brand' }

/** What the recorded Mautic knew: of each message its hash, its email and its contact. */
const recorded: Record<string, [hash: string, emailId: number, contactId: number]> = {
  'campaign-email-1': ['6b00f2bbf1586062082885', 58, 2],
  'contact-api-1': ['6b00ef2fd78ac810163095', 10, 2],
  'contact-api-1-1': ['6b00ef30c2e0a792849038', 10, 1],
  // The recording does not show its email.
  'contact-api-attachment-1': ['6b00f18ebf76f187302509', 21, 2],
  'contact-api-noname-ownermailer-noowner-1': ['6b00ef3191fbc827068326', 7, 3],
  'segment-api-plain-1': ['6b00ef2a517b1867374334', 6, 2],
  'segment-api-plain-3': ['6b00ef2a88467609591242', 6, 3],
  'segment-ascii-1': ['6b00ef2e054ce403229562', 9, 2],
  'segment-ascii-3': ['6b00ef2e21bba009231912', 9, 1],
  'segment-cli-broadcast-1': ['6b00f0212bcf0976235321', 37, 2],
  'segment-cli-broadcast-3': ['6b00f0214f8eb894999160', 37, 1],
  'segment-from-and-owner-1': ['6b00f0d1c7d18358241366', 47, 3],
  'segment-from-and-owner-3': ['6b00f0d1e40d8351912766', 47, 2],
  'segment-from-replyto-bcc-headers-1': ['6b00ef2d18fd6555428882', 11, 1],
  'segment-from-replyto-bcc-headers-3': ['6b00ef2d3630c417083055', 11, 2],
  'segment-isOwner-on-email-false-1': ['6b00f0d059336042467514', 44, 2],
  'segment-isOwner-on-email-false-3': ['6b00f0d077a6d969079394', 44, 3],
  'segment-isOwner-on-email-null-1': ['6b00f0cfae7ab837537832', 43, 2],
  'segment-isOwner-on-email-null-3': ['6b00f0cfe526a610634220', 43, 3],
  'segment-isOwner-on-email-true-1': ['6b00f0d0d8626441488718', 45, 2],
  'segment-isOwner-on-email-true-3': ['6b00f0d1007a6114183968', 45, 3],
  'segment-useOwnerAsMailer-1': ['6b00ef2c2a7c0278856930', 7, 1],
  'segment-useOwnerAsMailer-3': ['6b00ef2c4ac1e017036920', 7, 2],
}

const owners: Record<number, number | null> = { 1: 2, 2: 3, 3: null }

function contactOf(id: number): MauticContact | undefined {
  const ownerId = owners[id]
  if (ownerId === undefined) return undefined
  return { id, email: `contact${id}@rcpt.test`, ownerId, data: { id } }
}

const fail = async (): Promise<never> => {
  throw new AppError('upstream', 'mautic_unreachable', 'It does not answer.')
}

/** The recorded Mautic, as it is looked up; another Mautic has nothing. */
function createDirectory(changes: Partial<MauticDirectory> = {}): MauticDirectory {
  const sends = new Map(Object.values(recorded).map((send) => [send[0], send]))
  return {
    findById: () => mautic,
    emails: {
      find: async (_mauticId, id) => ({ id, name: `Email ${id}` }),
      findTested: async () => [],
    },
    users: { find: async () => undefined, findByEmail: async () => undefined },
    contacts: {
      find: async (id, contactId) => (id === mautic.id ? contactOf(contactId) : undefined),
    },
    sends: {
      async find(id, hash) {
        const [, emailId, contactId] = (id === mautic.id ? sends.get(hash) : undefined) ?? []
        if (emailId === undefined) return undefined
        const address = `contact${contactId}@rcpt.test`
        return { hash, emailId, contactId: contactId ?? null, address }
      },
    },
    ...changes,
  }
}

interface Sent {
  message: Buffer | string
  sender?: string
  recipients: readonly string[]
}

function identify(
  { message, sender = '', recipients }: Sent,
  changes: Partial<MauticDirectory> = {},
  { useOwnerTransport = true, from = mautic } = {},
) {
  const assigned = { transportId: null, useOwnerTransport }
  const assignments = { in: () => ({ findForEmail: async () => assigned }) as never }
  const identifyMessage = createIdentifyMessage({ mautics: createDirectory(changes), assignments })
  const read = readMessage([Buffer.from(message)])
  return identifyMessage({ mautic: from, submission: { sender, recipients }, message: read })
}

const own = /^X-(?:EMAIL|Contact|Owner)-Id:.*\r?\n/gim
const tracked = (ct: string) =>
  `Content-Type: text/html\r\n\r\n<a href="https://brand.test/r/1?ct=${encodeURIComponent(Buffer.from(ct).toString('base64'))}">`

test('each recorded message of a real Mautic finds its email, its contact and the owner', async () => {
  for (const { name, ...sent } of readMauticMessages()) {
    const { emailId, contactId, ownerId, unanswered } = await identify(sent)
    const [, wantedEmail, wantedContact] = recorded[name] ?? []
    const owner = wantedContact === undefined ? undefined : (owners[wantedContact] ?? undefined)
    assert.deepEqual(
      { name, emailId, contactId, ownerId, unanswered },
      {
        name,
        emailId: wantedEmail,
        contactId: wantedContact,
        ownerId: owner,
        unanswered: undefined,
      },
    )
  }
})

test('they find them by their tracking hash alone', async () => {
  for (const { name, message, ...envelope } of readMauticMessages()) {
    const bare = message.toString('latin1').replaceAll(own, '')
    const { emailId, contactId } = await identify({ message: bare, ...envelope })
    const [, wantedEmail, wantedContact] = recorded[name] ?? []
    assert.deepEqual(
      { name, emailId, contactId },
      { name, emailId: wantedEmail, contactId: wantedContact },
    )
    const head = bare.replaceAll(/^List-Unsubscribe.*\r?\n/gim, '')
    const byBody = await identify({ message: head, ...envelope })
    assert.deepEqual([name, byBody.emailId, byBody.contactId], [name, wantedEmail, wantedContact])
  }
})

test('the VERP sender identifies a message, and the trace says so', async () => {
  const { emailId, contactId, notes } = await identify({
    message: 'Subject: Hello\r\n\r\nHello',
    sender: 'bounces+bounce_6b00f2bbf1586062082885@brand.test',
    recipients: ['contact2@rcpt.test'],
  })
  assert.deepEqual([emailId, contactId], [58, 2])
  for (const { text } of notes) assert.match(text, /VERP sender/)
  assert.equal(notes.length, 2)
})

test("a hash of another recipient's message counts for nothing", async () => {
  const message =
    'List-Unsubscribe: <https://a.test/email/unsubscribe/6b00f2bbf1586062082885>\r\n\r\n'
  const { emailId, contactId, notes } = await identify({ message, recipients: ['eve@rcpt.test'] })
  assert.deepEqual([emailId, contactId], [undefined, undefined])
  assert.match(notes[0]?.text ?? '', /that of another recipient/)
})

test('the contact that a message names must have the address of a recipient', async () => {
  const message = 'X-EMAIL-ID: 58\r\nX-Contact-Id: 1\r\n\r\n'
  const named = await identify({ message, recipients: ['contact2@rcpt.test'] })
  assert.deepEqual([named.emailId, named.contactId, named.contact], [58, undefined, undefined])
  assert.match(named.notes.at(-1)?.text ?? '', /contact 1 is ignored/)
})

test('a tracked link counts if its contact has the address of a recipient', async () => {
  const unknownHash = '0000000000000000000000'
  const ct = `a:3:{s:5:"email";i:33;s:4:"stat";s:22:"${unknownHash}";s:4:"lead";s:1:"3";}`
  const right = await identify({ message: tracked(ct), recipients: ['Contact3@rcpt.test'] })
  assert.deepEqual([right.emailId, right.contactId], [33, 3])
  const wrong = await identify({ message: tracked(ct), recipients: ['contact1@rcpt.test'] })
  assert.deepEqual([wrong.emailId, wrong.contactId], [undefined, undefined])
  const missing = { emails: { find: async () => undefined, findTested: async () => [] } }
  const gone = await identify({ message: tracked(ct), recipients: ['contact3@rcpt.test'] }, missing)
  assert.equal(gone.emailId, undefined)
})

test('a link names the email also while the Mautic has not confirmed its contact', async () => {
  const contact = Promise.withResolvers<MauticContact | undefined>()
  const late = { contacts: { find: () => contact.promise } }
  const message = tracked('a:2:{s:5:"email";i:33;s:4:"lead";s:1:"3";}')
  const sent = { message, recipients: ['contact3@rcpt.test'] }
  const { emailId, contactId, unanswered } = await identify(sent, late)
  assert.deepEqual([emailId, contactId], [33, undefined])
  contact.resolve(contactOf(3))
  await unanswered?.answered
})

test('while the Mautic does not answer, the message keeps what it says itself', async () => {
  const silent = {
    contacts: { find: fail },
    sends: { find: () => new Promise<never>(() => undefined) },
  }
  const message = 'X-EMAIL-ID: 58\r\nX-Owner-Id: 4\r\nX-Contact-Id: 2\r\n\r\n{twigtemplate=1}'
  const named = await identify({ message, recipients: ['contact2@rcpt.test'] }, silent)
  assert.deepEqual([named.emailId, named.contactId, named.ownerId], [58, undefined, 4])
  assert.equal(named.unanswered?.problem, 'Mautic "brand" has not answered (It does not answer.)')
  await assert.rejects(named.unanswered.answered, { code: 'mautic_unreachable' })
  const bare = 'List-Unsubscribe: <https://a.test/email/unsubscribe/6b00f2bbf1586062082885>\r\n\r\n'
  const unknown = await identify({ message: bare, recipients: ['contact2@rcpt.test'] }, silent)
  assert.deepEqual(
    [unknown.emailId, unknown.unanswered?.problem],
    [undefined, 'Mautic "brand" has not answered yet'],
  )
})
