import type { DeliveryTables } from '../../src/core/delivery/table.ts'
import { noTransport, unansweredTransport } from '../../src/core/delivery/table.ts'
import type { MauticTables } from '../../src/core/mautic/index.ts'
import type { QueueTables } from '../../src/core/queue/table.ts'
import type { WebhookTables } from '../../src/modules/webhooks/table.ts'
import {
  exampleClientId,
  exampleClientSecret,
} from '../../src/platform/auth/clients/client-schema.ts'
import { hashToken } from '../../src/platform/auth/credentials.ts'
import { examplePasswordToken } from '../../src/platform/auth/sessions/session-routes.ts'
import type { AuthTables } from '../../src/platform/auth/table.ts'
import { googleClient } from '../google-server.ts'
import type { Operation } from '../http/api-description.ts'
import type { MauticDouble } from '../mautic-double/mautic-double.ts'
import { markReinstalled } from '../mautics.ts'
import { brakedGroup } from '../queue/braked-group.ts'
import { addQueued } from '../queue/test-queue.ts'
import type { TestApp } from '../test-app.ts'

/** What creates the records that the other examples name, in the order in which they need each other. */
const first = [
  'createBrand',
  'createRole',
  'createUser',
  'createOAuthClient',
  'createTransport',
  'batchCreateTransports',
  'testTransport',
  'createTwigTemplate',
  'createEmail',
  'createContact',
  'createSuppression',
  'createLimit',
  'createDKIMKey',
  'createMautic',
  'createWebhook',
  'batchCreateLimits',
  'assignEmailTransport',
]

/** What can only go when nothing uses it any more, and what leaves nothing for others. */
const last = [
  'deleteRole',
  'deleteMautic',
  'batchDeleteMautics',
  'deleteWebhook',
  'batchDeleteWebhooks',
  'clearInbox',
]

/** What brings back what another example has deleted. */
const restores = /^(restore|batchRestore)(Transport|TwigTemplate|Email|Contact)s?$/

/** The operations in the order in which their examples follow from each other, on a fresh installation. */
export function inOrder(operations: readonly Operation[]): Operation[] {
  const rank = ({ operationId = '', method }: Operation) => {
    if (first.includes(operationId)) return first.indexOf(operationId) - first.length
    if (last.includes(operationId)) return 4
    if (restores.test(operationId)) return 3
    // Its transport is deleted later.
    if (operationId === 'deleteTransportWebhook') return 0
    if (method !== 'DELETE') return 0
    // What an email includes is deleted after it.
    return operationId.includes('Email') ? 1 : 2
  }
  return operations.toSorted((a, b) => rank(a) - rank(b))
}

const letter = {
  envelope: { from: 'shop@example.com', to: ['ann@example.com'] },
  raw: Buffer.from(
    [
      'Content-Type: multipart/mixed; boundary=a',
      '',
      '--a',
      'Content-Type: text/html',
      '',
      '<p>Hello</p>',
      '--a',
      'Content-Type: application/octet-stream',
      'Content-Disposition: attachment; filename=a.bin',
      '',
      'Hello',
      '--a--',
      '',
    ].join('\r\n'),
  ),
}

const ofOneQueued = /^(get|retry|hold|release|cancel|sendUnanswered)QueuedMessage$/

/** Makes the message 1 the only one in the queue, in a state in which the action applies. */
async function prepareQueue(service: TestApp, action: string): Promise<void> {
  const db = service.app.storage.tables<QueueTables>()
  await db.deleteFrom('queue_recipients').execute()
  await db.deleteFrom('queue_messages').execute()
  const state = action === 'release' ? 'held' : 'queued'
  const due_at = Date.now() + 3_600_000
  const transport_id = action === 'sendUnanswered' ? unansweredTransport : noTransport
  const message = { id: 1, recipient: 'carla@example.net', state, transport_id, due_at } as const
  await addQueued(service, Date.now(), message)
}

/** Makes the brake 1 hold messages. */
async function prepareBrake({ app }: TestApp): Promise<void> {
  const db = app.storage.tables<QueueTables>()
  const group = { id: 1, sender_domain: 'news.example.com', transport_id: 1 }
  await db.deleteFrom('queue_brakes').execute()
  await db
    .insertInto('queue_brakes')
    .values({ ...brakedGroup, ...group })
    .execute()
}

/** Captures a message with HTML and an attachment, and creates a delivery whose outcome is uncertain. */
export async function prepareStory({ app }: TestApp): Promise<void> {
  await app.inbox.inbox.capture(letter, undefined)
  const db = app.storage.tables<DeliveryTables>()
  await db
    .insertInto('deliveries')
    .values({
      started_at: Date.now(),
      duration_ms: 120,
      source: 'api',
      caller: 'admin',
      email_id: 1,
      contact_id: 1,
      sender: 'mailyard@localhost',
      recipient: 'carla@example.net',
      recipient_key: 'carla@example.net',
      transport_id: 0,
      transport: 'default',
      member: null,
      outcome: 'uncertain',
      reply: null,
      reason: 'The connection broke after the last byte.',
      message_id: null,
      provider_id: null,
      request_hash: null,
      process_id: 'story',
      trace: '[]',
    })
    .execute()
}

/** Makes the report 1 the only one. */
async function prepareReport({ app }: TestApp): Promise<void> {
  const db = app.storage.tables<MauticTables>()
  await db.deleteFrom('mautic_reports').execute()
  const about = { address: 'carla@example.net', contactId: 20, emailId: 17 }
  const comments = '550 5.1.1 no such user'
  await app.mautics.reports.add([{ mauticId: 1, ...about, reason: 'bounced', comments }])
  await db.updateTable('mautic_reports').set({ id: 1 }).execute()
}

/** Makes the message 1 to the webhook 1 the only one. */
async function prepareWebhookMessage({ app }: TestApp): Promise<void> {
  const db = app.storage.tables<WebhookTables>()
  await db.deleteFrom('webhook_messages').execute()
  await app.webhooks.publisher.publish(db, [{ type: 'suppression.created', data: {} }])
  await db.updateTable('webhook_messages').set({ id: 1 }).execute()
}

/**
 * Does what has to happen before the example of an operation, which time or chance would decide otherwise. Returns the operation with
 * the values of its example that only the service knows.
 */
export async function prepareOperation(
  service: TestApp,
  operation: Operation,
  { mautic }: { mautic: MauticDouble },
): Promise<Operation> {
  const { app } = service
  const { operationId = '' } = operation
  const [, queueAction] = ofOneQueued.exec(operationId) ?? []
  if (operationId === 'acceptMautic') await markReinstalled(service, 1)
  if (/^(try|continue|cancel)Brake$/.test(operationId)) await prepareBrake(service)
  if (queueAction !== undefined) await prepareQueue(service, queueAction)
  if (operationId === 'checkMautic') {
    // Nothing is looked up.
    const mautics = app.storage.tables<MauticTables>().updateTable('mautics')
    await mautics.set({ url: 'http://127.0.0.1:1' }).execute()
  }
  if (operationId === 'settleDeliveries') {
    const deliveries = app.storage.tables<DeliveryTables>().updateTable('deliveries')
    await deliveries.set({ outcome: 'uncertain' }).where('id', '=', 1).execute()
  }
  if (['checkPasswordLink', 'setPasswordByLink'].includes(operationId)) {
    const links = app.storage.tables<AuthTables>().insertInto('password_links')
    const hash = hashToken(examplePasswordToken)
    const link = { hash, user_id: 1, expires_at: Date.now() + 60_000 }
    await links
      .values(link)
      .onConflict((conflict) => conflict.doNothing())
      .execute()
  }
  if (operationId.endsWith('MauticReport')) await prepareReport(service)
  if (operationId.endsWith('WebhookMessage')) await prepareWebhookMessage(service)
  if (operationId === 'createMauticWebhook') {
    const { url, administrator } = mautic
    await service.ask('PATCH', '/api/mautics/1/edit', { url, ...administrator })
  }
  if (operationId === 'removeSession') {
    const sessions = app.storage.tables<AuthTables>().insertInto('console_sessions')
    const times = { created_at: 1, used_at: 1, expires_at: 1 }
    const row = { id: 1, hash: 'x', user_id: 1, ...times, address: '', user_agent: '' }
    await sessions.values(row).execute()
  }
  if (['getToken', 'authorize'].includes(operationId)) {
    // Its log-in is random; the examples have one that stays.
    const clients = app.storage.tables<AuthTables>().updateTable('oauth_clients')
    const login = { client_id: exampleClientId, secret_hash: hashToken(exampleClientSecret) }
    await clients.set(login).where('id', '=', 1).execute()
  }
  if (operationId.endsWith('TransportWebhook') || operationId.endsWith('TransportWebhooks')) {
    const mailerDsn = 'sendgrid+api://KEY@default'
    await service.ask('PATCH', '/api/multipleTransports/2/edit', { mailerDsn })
    await service.ask('PUT', '/api/multipleTransports/2/webhook', {})
  }
  if (/^(returnFrom|finish)Google/.test(operationId)) return withGoogleAnswer(service, operation)
  return operation
}

/** Puts the answer of a consent into a request: its state is encrypted, and its code is random. */
async function withGoogleAnswer(service: TestApp, operation: Operation): Promise<Operation> {
  const start = await service.ask('POST', '/api/multipleTransports/oauth/google', {
    clientId: googleClient.clientId,
  })
  const consent = await fetch(start.body.authorizationUrl, { redirect: 'manual' })
  const { search, searchParams } = new URL(consent.headers.get('location') ?? '')
  const parameters = operation.parameters.map((each) =>
    each.name === 'state' ? { ...each, example: searchParams.get('state') ?? '' } : each,
  )
  const bodyExample = operation.body && { ...googleClient, response: search }
  return { ...operation, parameters, bodyExample }
}
