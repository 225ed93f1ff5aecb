import { createSign, generateKeyPairSync } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { sql } from 'kysely'
import { emptyDelivery } from '../../../src/core/delivery/log/delivery-row.ts'
import type { DeliveryTables } from '../../../src/core/delivery/table.ts'
import type { Storage } from '../../../src/platform/storage/index.ts'
import { asAdmin } from '../../../test/administrator.ts'

// A provider account with accepted messages, and signed requests of SendGrid about them.

const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const rowsPerStatement = 500

/** Sends a request to the API as the administrator. Throws unless it is answered 2xx. */
export async function ask(url: string, method: string, body?: object): Promise<Answer> {
  const answer = await fetch(url, {
    method,
    headers: { authorization: asAdmin, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${method} ${url}: ${answer.status} ${text.slice(0, 500)}`)
  return JSON.parse(text)
}

// biome-ignore lint/suspicious/noExplicitAny: responses of the API.
type Answer = any

/** Creates a transport of SendGrid and its webhook; returns its id and the path of the webhook. */
export async function addAccount(base: string): Promise<{ transportId: number; path: string }> {
  const { id } = await ask(`${base}/api/multipleTransports/new`, 'POST', {
    name: 'SendGrid',
    mailerDsn: 'sendgrid+api://KEY@default',
  })
  const signingKey = publicKey.export({ type: 'spki', format: 'der' }).toString('base64')
  const { webhook } = await ask(`${base}/api/multipleTransports/${id}/webhook`, 'PUT', {
    signingKey,
  })
  return { transportId: id, path: new URL(webhook.url).pathname }
}

/** The recipient and the provider's id of a message, by its number. */
function messageOf(index: number) {
  return { recipient: `reader${index}@rcpt.test`, providerId: `id${index}` }
}

/** Logs accepted messages with the numbers from `first` on. */
export async function logMessages(
  storage: Storage,
  { transportId, first, count }: { transportId: number; first: number; count: number },
): Promise<void> {
  const db = storage.tables<DeliveryTables>()
  const startedAt = Date.now() - 3_600_000
  const empty = emptyDelivery({ source: 'api', caller: 'bench', startedAt, processId: 'bench' })
  for (let start = first; start < first + count; start += rowsPerStatement) {
    const length = Math.min(rowsPerStatement, first + count - start)
    const rows = Array.from({ length }, (_, index) => {
      const { recipient, providerId } = messageOf(start + index)
      return {
        ...empty,
        // Ten a millisecond.
        started_at: startedAt + Math.floor((start + index - first) / 10),
        sender: 'news@brand.test',
        recipient,
        recipient_key: recipient,
        transport_id: transportId,
        transport: 'SendGrid',
        outcome: 'accepted' as const,
        provider_id: providerId,
      }
    })
    await db.insertInto('deliveries').values(rows).execute()
  }
}

/** Returns a request about the messages with the numbers from `first` on: one in 25 bounced, the others were delivered. */
export function eventsOf(first: number, count: number): string {
  const timestamp = Math.floor(Date.now() / 1_000)
  const events = Array.from({ length: count }, (_, index) => {
    const { recipient, providerId } = messageOf(first + index)
    const isBounce = index % 25 === 0
    return {
      email: recipient,
      timestamp,
      event: isBounce ? 'bounce' : 'delivered',
      'smtp-id': `<${providerId}@brand.test>`,
      sg_event_id: `event${first + index}`,
      sg_message_id: `${providerId}.filter0077p1las1.21536.571687EB11.0`,
      response: isBounce ? undefined : '250 OK',
      reason: isBounce ? '452 4.2.2 the mailbox is full' : undefined,
      status: isBounce ? '4.2.2' : undefined,
      type: isBounce ? 'bounce' : undefined,
    }
  })
  return JSON.stringify(events)
}

/** Posts a body as SendGrid does. */
export async function post(url: string, body: string): Promise<void> {
  const timestamp = String(Math.floor(Date.now() / 1_000))
  const signature = createSign('SHA256')
    .update(timestamp + body)
    .sign(privateKey, 'base64')
  const answer = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-twilio-email-event-webhook-signature': signature,
      'x-twilio-email-event-webhook-timestamp': timestamp,
    },
    body,
  })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${answer.status} ${text}`)
}

/** Waits until every received event is applied. */
export async function untilApplied(storage: Storage): Promise<void> {
  for (;;) {
    const { rows } = await sql<{
      count: number
    }>`select count(*) as count from received_events`.execute(storage.tables())
    if (Number(rows[0]?.count) === 0) return
    await setTimeout(20)
  }
}
