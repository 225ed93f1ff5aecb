import { expressionBuilder } from 'kysely'
import Type, { type Static } from 'typebox'
import { describeEventData, eventTypeNames, findMissing } from '../../core/published/index.ts'
import {
  type Callers,
  disconnected,
  type HttpApp,
  idParameters,
  readId,
  text,
} from '../../platform/http/index.ts'
import { addOutboxRoutes, outboxFields, presentOutboxRow } from '../../platform/outbox/index.ts'
import { addResourceRoutes, ownedBy } from '../../platform/resource/index.ts'
import { webhookItem, webhookShape, webhookTest } from './schema.ts'
import type { WebhookMessageRow, WebhookTables } from './table.ts'
import type { Webhooks } from './webhooks.ts'

export interface WebhookRouteParts {
  webhooks: Webhooks
  callers: Callers
}

const tags = ['webhooks']
const where = expressionBuilder<WebhookTables, 'webhook_messages'>()

const messageItem = Type.Object(
  {
    id: Type.Integer(),
    webhookId: Type.String({
      description: 'The header `webhook-id`, which is the same at each repeat.',
    }),
    type: Type.String(),
    body: Type.String({
      description: `The JSON that is sent, or that an alert is written from. The members of \`data\` by type:\n\n${describeEventData()}`,
    }),
    ...outboxFields('the receiver'),
  },
  {
    title: 'WebhookMessage',
    examples: [
      {
        id: 1,
        webhookId: 'msg_6f0e4c8f5b0b4b0b9d5c2f3a1e7d8c9b',
        type: 'suppression.created',
        body: '{"type":"suppression.created","timestamp":"2026-01-31T15:54:35+00:00","data":{"address":"carla@example.net","reason":"bounced"}}',
        state: 'done',
        attempts: 1,
        nextAttempt: null,
        dateAdded: '2026-01-31T15:54:35+00:00',
        dateEnded: '2026-01-31T15:54:36+00:00',
        problem: null,
      },
    ],
  },
)
type MessageItem = Static<typeof messageItem>

/** Adds `/api/webhooks`. */
export function addWebhookRoutes(app: HttpApp, parts: WebhookRouteParts): void {
  const { webhooks, callers } = parts
  addResourceRoutes(app, webhookShape, { service: webhooks.records, callers })
  addTestRoute(app, parts)
  addRotationRoute(app, parts)
  addMessageRoutes(app, parts)
}

function addTestRoute(app: HttpApp, { webhooks, callers }: WebhookRouteParts): void {
  const schema = {
    operationId: 'testWebhook',
    summary: 'Send a test message now',
    description:
      'Posts an event of the type `webhook.test`, and answers what the receiver answered. A dead webhook whose receiver accepts ' +
      'it is called again. Once a minute.',
    tags,
    params: idParameters,
    response: {
      200: webhookTest,
    },
  }
  const config = { permission: 'api:edit' as const }
  app.post('/api/webhooks/:id/test', { schema, config }, async (request, reply) => {
    const { id } = await webhooks.getVisible(readId(request.params.id), callers.of(request))
    return webhooks.test(id, disconnected(reply))
  })
}

function addRotationRoute(app: HttpApp, { webhooks, callers }: WebhookRouteParts): void {
  const schema = {
    operationId: 'rotateWebhookSecret',
    summary: 'Replace the secret of a webhook',
    description:
      'The answer is the only one that shows the new secret. For 24 hours, requests have two signatures: one of the new secret and ' +
      'one of the secret before. Give the receiver the new one in that time.',
    tags,
    params: idParameters,
    response: { 200: Type.Object({ webhook: webhookItem }) },
  }
  const config = { permission: 'api:edit' as const }
  app.post('/api/webhooks/:id/rotateSecret', { schema, config }, async (request) => {
    const caller = callers.of(request)
    const { id } = await webhooks.getVisible(readId(request.params.id), caller)
    const secret = await webhooks.rotateSecret(id, caller)
    const { item } = await webhooks.records.get(id, caller)
    return { webhook: { ...item, secret } }
  })
}

function addMessageRoutes(app: HttpApp, { webhooks, callers }: WebhookRouteParts): void {
  addOutboxRoutes(app, {
    callers,
    outbox: webhooks.outbox,
    targets: 'webhooks',
    target: 'webhook',
    one: 'message',
    operation: 'WebhookMessage',
    notFound: 'webhook_message_not_found',
    item: messageItem,
    present: presentMessage,
    descriptions: {
      list: 'Messages that have ended are kept for 7 days. At most 100,000 wait: beyond that, the oldest fail.',
      retry:
        'It is due at once, also if it has failed or was sent before. A dead webhook is called again. Once a minute.',
      remove: 'What the receiver has accepted stays accepted.',
    },
    filter: {
      schema: { type: text('Messages of this type.') },
      read(read) {
        const type = read.word('type', eventTypeNames)
        return type === undefined ? undefined : where('type', '=', type)
      },
    },
    checkTarget: (id, caller) => webhooks.getVisible(id, caller),
    // The webhook may have asked for others before, or was another brand's.
    isVisible: (caller) =>
      where.and([
        where(
          'type',
          'in',
          eventTypeNames.filter((type) => findMissing([type], caller).length === 0),
        ),
        ownedBy(caller),
      ]),
    retry: (webhookId, id, condition) => webhooks.retry(webhookId, id, condition),
  })
}

function presentMessage(row: WebhookMessageRow): MessageItem {
  return {
    id: row.id,
    webhookId: row.message_id,
    type: row.type,
    body: row.body,
    ...presentOutboxRow(row),
  }
}
