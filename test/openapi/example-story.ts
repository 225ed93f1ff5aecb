import { exampleClientId, exampleClientSecret } from '../../src/auth/clients/client-schema.ts'
import { hashToken } from '../../src/auth/secret-token.ts'
import type { AuthTables } from '../../src/auth/table.ts'
import type { SendingTables } from '../../src/sending/jobs/table.ts'
import type { DeliveryTables } from '../../src/sending/table.ts'
import type { Operation } from '../hostile/api-description.ts'
import type { TestApp } from '../test-app.ts'

/** What creates the records that the other examples name, in the order in which they need each other. */
const first = [
  'createRole',
  'createUser',
  'createOAuthClient',
  'createTransport',
  'batchCreateTransports',
  'testTransport',
  'createTwigTemplate',
  'createEmail',
  'createContact',
  'assignEmailTransport',
]

/** What can only go when nothing uses it any more, and what leaves nothing for others. */
const last = ['deleteRole', 'clearInbox']

/** The operations in the order in which their examples follow from each other, on a fresh installation. */
export function inOrder(operations: readonly Operation[]): Operation[] {
  const rank = ({ operationId = '', method }: Operation) => {
    if (first.includes(operationId)) return first.indexOf(operationId) - first.length
    if (last.includes(operationId)) return 2
    return method === 'DELETE' ? 1 : 0
  }
  return operations.toSorted((a, b) => rank(a) - rank(b))
}

/** Makes what no request makes: a delivery whose outcome is uncertain. */
export async function prepareStory({ app }: TestApp): Promise<void> {
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
      sending_id: null,
      sender: 'mailyard@localhost',
      recipient: 'carla@example.net',
      recipient_key: 'carla@example.net',
      transport_id: null,
      transport: 'default',
      member: null,
      outcome: 'uncertain',
      is_permanent: null,
      reply: null,
      reason: 'The connection broke after the last byte.',
      message_id: null,
      provider_id: null,
      message_key: null,
      bulk_key: null,
      request_hash: null,
      process_id: 'story',
      trace: '[]',
    })
    .execute()
}

/** What has to happen before the example of an operation, which time or chance would decide otherwise. */
export async function prepareOperation({ app }: TestApp, operationId = ''): Promise<void> {
  const broadcasts = app.storage.tables<SendingTables>().updateTable('sendings')
  if (['pauseBroadcast', 'resumeBroadcast', 'cancelBroadcast'].includes(operationId)) {
    await broadcasts.set({ status: 'paused' }).where('id', '=', 1).execute()
  }
  if (operationId === 'followBroadcast') {
    await broadcasts.set({ status: 'done' }).where('id', '=', 1).execute()
  }
  if (['getToken', 'authorize'].includes(operationId)) {
    // Its log-in is random; the examples have one that stays.
    const clients = app.storage.tables<AuthTables>().updateTable('oauth_clients')
    const login = { client_id: exampleClientId, secret_hash: hashToken(exampleClientSecret) }
    await clients.set(login).where('id', '=', 1).execute()
  }
}
