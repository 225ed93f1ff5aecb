import { createHmac } from 'node:crypto'
import { after, before, beforeEach } from 'node:test'
import { submitterOf } from '../src/core/delivery/submission/submission.ts'
import type { MauticTables } from '../src/core/mautic/index.ts'
import type { Caller, CallerMautic } from '../src/kit/caller.ts'
import type { SmtpMode } from '../src/kit/smtp-mode.ts'
import { uniqueName } from './callers.ts'
import { createContact, createEmail, setFields } from './mautic-double/mautic-data.ts'
import { type MauticDouble, startMauticDouble } from './mautic-double/mautic-double.ts'
import { readWebhook } from './mautic-double/recordings.ts'
import type { TestAnswer, TestApp, TestBody } from './test-app.ts'

/** A connected Mautic of a test. */
export interface TestMautic extends CallerMautic {
  double: MauticDouble
  brand: number
  /** The DSN of its SMTP log-in. */
  mailerDsn: string
}

/** What a Mautic has. */
export interface TestMauticData {
  /** The ids of its emails. */
  emails?: readonly number[]
  /** The addresses of its users, by id. */
  users?: Readonly<Record<number, string>>
  /** Its contacts by id: an address, and more fields. */
  contacts?: Readonly<Record<number, { email: string; ownerId?: number } & Record<string, unknown>>>
  /** Its default transport. */
  transportId?: number | null
}

const doubles: MauticDouble[] = []

/** A Mautic for the tests of one suite. Each of them finds it without faults and requests. */
export function useMauticDouble(): MauticDouble {
  const double = {} as MauticDouble
  before(async () => void Object.assign(double, await startMauticDouble()))
  beforeEach(() => {
    double.behaviour.fault = () => undefined
    double.behaviour.rights = {}
    double.requests.length = 0
  })
  after(() => double.close())
  return double
}

/** Connects a Mautic as its OAuth client; returns what the answer has. */
export async function connectMautic(
  service: TestApp,
  { url, client }: Pick<MauticDouble, 'url' | 'client'>,
  values: object = {},
): Promise<TestBody> {
  const body = { name: uniqueName('brand'), url, ...client, ...values }
  return (await service.askFor('POST', '/api/mautics/new', body)).mautic
}

/** A Mautic, and its brand; none without one. */
type SubmittingMautic = CallerMautic & { brand?: number }

/** Connects a Mautic of a brand of its own, without domains, that has just these records, all of them synchronized; it is closed after the suite of `onMailyard`. */
export async function addMautic(
  service: TestApp,
  { transportId = null, ...data }: TestMauticData = {},
): Promise<TestMautic> {
  const double = await startMauticDouble({ emails: 0, contacts: 0, users: 20 })
  doubles.push(double)
  fill(double, data)
  const brand = await addBrand(service)
  const { id, name, mailerDsn } = await connectMautic(service, double, { transportId, brand })
  await synchronizeMautic(service, id)
  return { id, name, brand, mailerDsn, double }
}

/** Creates a brand; returns its id. Without domains it limits no sender. */
export async function addBrand(service: TestApp, values: object = {}): Promise<number> {
  const body = { name: uniqueName('Brand'), ...values }
  return (await service.askFor('POST', '/api/brands/new', body)).brand.id
}

function fill({ data }: MauticDouble, { emails = [], users = {}, contacts = {} }: TestMauticData) {
  for (const id of emails) data.emails.set(id, createEmail(id))
  for (const [id, user] of data.users) {
    const email = users[id]
    if (email === undefined) data.users.delete(id)
    else user.email = email
  }
  for (const [key, { ownerId, ...fields }] of Object.entries(contacts)) {
    const id = Number(key)
    const contact = createContact(id)
    setFields(contact, fields)
    contact.owner = ownerId === undefined ? null : { ...contact.owner, id: ownerId }
    data.contacts.set(id, contact)
  }
}

/** Makes a Mautic one whose ids mean other records than before, until an administrator accepts it. */
export async function markReinstalled({ app }: TestApp, id: number): Promise<void> {
  const states = app.storage.tables<MauticTables>().updateTable('mautic_states')
  await states.set({ is_reinstalled: true }).where('mautic_id', '=', id).execute()
}

/** Reads everything of a connected Mautic, after a reading that has begun, and nothing of the others. */
export async function synchronizeMautic({ app }: TestApp, id: number): Promise<void> {
  const states = app.storage.tables<MauticTables>().updateTable('mautic_states')
  await states.set({ due_at: Number.MAX_SAFE_INTEGER }).where('mautic_id', '<>', id).execute()
  await app.mautics.idle()
  const due = states.set((row) => ({ due_at: 0, synchronized_at: row('synchronized_at', '*', 0) }))
  await due.where('mautic_id', '=', id).execute()
  await app.mautics.idle()
}

/** Reads what was added and changed in the connected Mautics, as each minute does. */
export async function readMauticChanges({ app }: TestApp): Promise<void> {
  await app.storage.tables<MauticTables>().updateTable('mautic_states').set({ due_at: 0 }).execute()
  await app.mautics.idle()
}

/** Lets a Mautic answer only once the function that it returns is called. */
export function holdAnswers({ behaviour }: MauticDouble): () => void {
  const { promise, resolve } = Promise.withResolvers<undefined>()
  behaviour.fault = () => promise
  return () => resolve(undefined)
}

const subscription = 'mautic.lead_channel_subscription_changed'

/** The body of a webhook of Mautic with changes of Do not contact. */
export const changesOf = (...changes: TestBody[]) => ({ [subscription]: changes })

/** A change of Do not contact for an address. Default: of the recorded contact. */
export function createChange(
  address: string,
  { status, at, contactId }: { status: string; at: number; contactId?: number | undefined },
): TestBody {
  const { body } = readWebhook('dnc-add-lead_channel_subscription_changed')
  const [change] = structuredClone(body[subscription])
  change.contact.fields.core.email.value = address
  if (contactId !== undefined) change.contact.id = contactId
  return Object.assign(change, { new_status: status, timestamp: new Date(at).toISOString() })
}

/** Calls the webhook of a Mautic as the Mautic does, signed with the secret if there is one. */
export function callWebhook(
  service: TestApp,
  { id, secret }: { id: number; secret: string | undefined },
  body: unknown,
): Promise<TestAnswer> {
  const payload = typeof body === 'string' ? body : JSON.stringify(body)
  const hmac = createHmac('sha256', secret ?? '').update(payload)
  const signed = secret === undefined ? {} : { 'webhook-signature': hmac.digest('base64') }
  const headers = { 'content-type': 'application/json', ...signed }
  return service.ask('POST', `/webhooks/mautic/${id}`, payload, { as: 'anonymous', headers })
}

/** Closes the Mautics of a test file. */
export async function closeMautics(): Promise<void> {
  for (const double of doubles.splice(0)) await double.close()
}

/** A message that is submitted over SMTP. */
export interface TestSubmission {
  /** Several recipients are separated by `, `. */
  to: string
  text: string
  sender?: string
  /** Default: `direct`. */
  mode?: SmtpMode
}

/** Submits a message of a Mautic, or of Mailyard itself; returns the reply for each recipient, such as `250 2.0.0`. */
export async function submitMessage(
  { app }: TestApp,
  mautic: SubmittingMautic | undefined,
  { to, text, sender = 'news@brand.test', mode = 'direct' }: TestSubmission,
): Promise<string[]> {
  const submission = {
    submitter: submitterOf(callerOf(mautic), null),
    sender,
    recipients: to.split(', '),
    chunks: [Buffer.from(text.replaceAll('\n', '\r\n'))],
    reserve: () => () => undefined,
  }
  const { replies } = await app.delivery.acceptor.accept(submission, {
    mode,
    brands: callerOf(mautic).brands,
  })
  return replies.map(({ reply }) => `${reply.code} ${reply.status}`)
}

/** A caller of a Mautic, or of Mailyard itself, who may do everything. */
export function callerOf(mautic: SubmittingMautic | undefined): Caller {
  const brands = mautic === undefined ? ('all' as const) : [mautic.brand ?? []].flat()
  const may = { isAdmin: true, brands, can: () => true }
  return { userId: undefined, clientId: 1, name: 'Brand Admin', email: undefined, mautic, ...may }
}
