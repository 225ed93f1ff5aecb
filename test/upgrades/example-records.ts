import type { DeliveryTables } from '../../src/core/delivery/index.ts'
import {
  exampleClientId,
  exampleClientSecret,
} from '../../src/platform/auth/clients/client-schema.ts'
import { hashToken } from '../../src/platform/auth/credentials.ts'
import type { AuthTables } from '../../src/platform/auth/table.ts'
import { addClient, getClientToken } from '../callers.ts'
import { startMauticDouble } from '../mautic-double/mautic-double.ts'
import { connectMautic, synchronizeMautic } from '../mautics.ts'
import { createMovableClock } from '../movable-clock.ts'
import { submitQueued } from '../queue/submit-queued.ts'
import { startScriptedServer } from '../scripted-server.ts'
import type { TestApp, TestAppOptions } from '../test-app.ts'

/** A Mailyard at the time at which the databases of all releases were made. */
export function upgradeOptions(): TestAppOptions {
  const clock = createMovableClock()
  clock.advance(Date.parse('2026-12-01T12:00:00Z') - clock.now())
  return { clock, config: { publicUrl: 'https://mail.example.com', smtpMode: 'queue' } }
}

export const secrets = {
  dsn: 'postmark+api://S3cret@default',
  closedDsn: 'smtp://user:S3cret@127.0.0.1:1',
  password: 'the password of ann',
  client: { id: 1, clientId: exampleClientId, clientSecret: exampleClientSecret },
}

/** Fills an empty Mailyard with a record of each kind. */
export async function addRecordsOfEachKind(service: TestApp): Promise<void> {
  const server = await startScriptedServer()
  const mautic = await startMauticDouble({ emails: 2, contacts: 2, users: 2 })
  server.act = (recipient) => (recipient.startsWith('uncertain') ? 'hang up' : undefined)
  try {
    await addAccounts(service)
    await addResources(service, server.dsn)
    const { id } = await connectMautic(service, mautic, { name: 'shop', brand: 1, transportId: 3 })
    await synchronizeMautic(service, id)
    await addMessages(service)
  } finally {
    await server.stop()
    await mautic.close()
  }
}

async function addAccounts(service: TestApp): Promise<void> {
  await service.askFor('POST', '/api/brands/new', { name: 'Shop', domains: ['brand.test'] })
  const role = { name: 'Editors', rawPermissions: { email: ['full'], contact: ['view'] } }
  await service.askFor('POST', '/api/roles/new', role)
  const { password } = secrets
  await service.askFor('POST', '/api/users/new', {
    username: 'ann',
    firstName: 'Ann',
    lastName: 'Miller',
    email: 'ann@example.com',
    role: 2,
    brands: [1],
    plainPassword: { password, confirm: password },
  })
  await addClient(service, { name: 'CRM', grantTypes: ['client_credentials'], role: 2 })
  // The log-in of a new client is random.
  const clients = service.app.storage.tables<AuthTables>().updateTable('oauth_clients')
  const { clientId, clientSecret } = secrets.client
  await clients.set({ client_id: clientId, secret_hash: hashToken(clientSecret) }).execute()
  await getClientToken(service, secrets.client)
}

async function addResources(service: TestApp, openDsn: string): Promise<void> {
  const add = async (path: string, records: object[]) => {
    for (const record of records) await service.askFor('POST', `/api/${path}/new`, record)
  }
  await add('multipleTransports', [
    { name: 'Inbox', mailerDsn: 'inbox://local', testedEmailFrom: 'shop@brand.test' },
    { name: 'Postmark', mailerDsn: secrets.dsn, brand: 1 },
    { name: 'Closed', mailerDsn: secrets.closedDsn },
    { name: 'Open', mailerDsn: openDsn },
    { name: 'Deleted', mailerDsn: secrets.dsn },
  ])
  await add('twigTemplates', [
    { name: 'Footer', template: 'Regards' },
    { name: 'Deleted', template: 'Old' },
  ])
  const change = { template: 'Kind regards' }
  await service.askFor('PATCH', '/api/twigTemplates/1/edit', change)
  const texts = { subject: 'Your order', customHtml: '<p>Hello</p>{twigtemplate=1}' }
  await add('emails', [
    { name: 'Order', ...texts, headers: { 'X-Shop': '1' }, brand: 1 },
    { name: 'Deleted', ...texts },
  ])
  await add('contacts', [
    { email: 'jane@rcpt.test', firstname: 'Jane', owner: 2, tags: ['new'], brand: 1 },
    { email: 'deleted@rcpt.test' },
  ])
  await add('limits', [{ name: 'Daily', transports: [4], perDay: 1_000, overflow: 'queue' }])
  await add('dkimKeys', [{ domain: 'brand.test', brand: 1 }])
  const events = ['suppression.created', 'brake.applied']
  await add('webhooks', [{ name: 'Shop', events, url: 'http://127.0.0.1:1/S3cret' }])
  await add('suppressions', [{ address: 'carla@rcpt.test', reason: 'complained', brand: 1 }])
  await service.ask('PUT', '/api/multipleTransports/2/webhook', {})
  await service.askFor('POST', '/api/multipleTransports/send/test/1')
  for (const path of ['multipleTransports/5', 'twigTemplates/2', 'emails/3', 'contacts/2'])
    await service.askFor('DELETE', `/api/${path}/delete`)
  const assigned = '/api/multipleTransport/transport'
  await service.askFor('POST', `${assigned}Email/2`, { transportId: 1, useOwnerTransport: false })
  await service.askFor('POST', `${assigned}User/2`, { transportId: 1 })
}

/** Sends one message with an event, and leaves one queued, one held and one uncertain. */
async function addMessages(service: TestApp): Promise<void> {
  await service.askFor('POST', '/api/emails/2/contact/1/send', {})
  await submitQueued(service, { transport: 'Open', to: 'uncertain@rcpt.test' })
  for (const to of ['queued@rcpt.test', 'held@rcpt.test'])
    await submitQueued(service, { transport: 'Closed', to })
  await service.app.idle()
  const { messages } = await service.askFor('GET', '/api/queue/messages?recipient=held@rcpt.test')
  await service.askFor('POST', `/api/queue/messages/${messages[0].id}/hold`)
  const db = service.app.storage.tables<DeliveryTables>()
  const { id, started_at } = await db
    .updateTable('deliveries')
    .set({ event: 'delivered' })
    .where('recipient', '=', 'jane@rcpt.test')
    .where('outcome', '=', 'accepted')
    .returning(['id', 'started_at'])
    .executeTakeFirstOrThrow()
  await db
    .insertInto('delivery_events')
    .values({
      delivery_id: id,
      started_at,
      transport_id: 1,
      at: started_at,
      received_at: started_at,
      type: 'delivered',
      class: null,
      reason: null,
      provider: 'mail',
      source: 'webhook',
      is_guess: false,
      is_first: true,
      event_key: 'delivered',
    })
    .execute()
}
