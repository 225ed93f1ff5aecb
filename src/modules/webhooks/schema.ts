import Type, { type Static } from 'typebox'
import { describeEventTypes } from '../../core/published/index.ts'
import { nullable } from '../../platform/http/index.ts'
import {
  brandField,
  isPublishedField,
  jsonField,
  namedStamps,
  nameField,
  plainField,
  type ResourceShape,
  recordFields,
} from '../../platform/resource/index.ts'
import { webhookFormats } from './table.ts'

const addressMax = 2_000
const eventsMax = 100

const format = Type.Enum([...webhookFormats], {
  description:
    '`standard` (default): events as JSON, signed as Standard Webhooks. `chat`: one or two sentences as `{"text": "…"}`, as chats ' +
    'accept them, one message an hour for each type and cause.',
})

const shop = {
  name: 'Shop',
  events: ['delivery.bounced', 'delivery.complained', 'suppression.created'],
  format: 'standard' as const,
  url: 'https://shop.example.com/hooks/mailyard',
}

export const webhookRecord = recordFields(namedStamps, [], {
  name: nameField('The name of the receiver.'),
  events: jsonField(
    Type.Array(Type.String({ maxLength: 100 }), {
      minItems: 1,
      maxItems: eventsMax,
      description: `The types of events that it gets. You need the permissions to see what they tell. ${describeEventTypes()}`,
    }),
    Type.Array(Type.String()),
    [],
  ),
  format: plainField(Type.Optional(format), format, { fallback: 'standard' }),
  url: {
    input: Type.Optional(
      nullable(Type.String(), {
        maxLength: addressMax,
        description:
          'Where the events are posted. The outbound policy applies, and redirects are not followed.',
      }),
    ),
    item: Type.String({
      description:
        'Callers without permission to edit see scheme, host and port only: the rest may be a secret. An edit that sends the ' +
        'masked address keeps the stored one.',
    }),
  },
  brand: brandField,
  isPublished: isPublishedField,
})

export const webhookInput = Type.Object(webhookRecord.input, {
  title: 'WebhookInput',
  examples: [
    shop,
    {
      name: 'Operators',
      events: ['transport.down', 'transport.up', 'brake.applied', 'webhook.dead'],
      format: 'chat',
      url: 'https://chat.example.com/hooks/8f2k1q',
    },
  ],
})
export type WebhookInput = Static<typeof webhookInput>

/** Whether a webhook works. */
export const webhookStates = ['ok', 'failing', 'dead'] as const

export const webhookItem = Type.Object(
  {
    ...webhookRecord.item,
    secret: Type.Optional(
      Type.String({
        description:
          'The secret of the signatures: `whsec_` and 32 bytes in Base64. Shown only once: when the webhook is created, when its ' +
          'format becomes `standard`, and when the secret is rotated.',
      }),
    ),
    state: Type.Enum([...webhookStates], {
      description:
        '`ok`: the receiver accepts messages, or got none yet; `failing`: it does not, and is called again with growing ' +
        'pauses; `dead`: it failed for three days or answered 410, and is called again after an edit or a successful test.',
    }),
    problem: nullable(Type.String(), {
      description: 'Why the last request failed; null if it succeeded.',
    }),
    failingSince: nullable(Type.String()),
    lastSuccessAt: nullable(Type.String(), { description: 'Exact to a minute.' }),
    waiting: Type.Integer({ description: 'How many messages wait to be sent.' }),
    warnings: Type.Optional(Type.Array(Type.String())),
  },
  {
    title: 'Webhook',
    examples: [
      webhookRecord.example(1, {
        ...shop,
        state: 'ok',
        problem: null,
        failingSince: null,
        lastSuccessAt: null,
        waiting: 0,
      }),
    ],
  },
)
export type WebhookItem = Static<typeof webhookItem>

export const webhookFields = webhookRecord.listFields('name', 'format')

export const webhookShape: ResourceShape = {
  path: '/api/webhooks',
  one: 'webhook',
  many: 'webhooks',
  label: 'Webhook',
  area: 'api',
  fields: webhookFields,
  item: webhookItem,
  input: webhookInput,
  exampleChange: { events: ['delivery.bounced'] },
}

/** What a test of a webhook found. */
export const webhookTest = Type.Object(
  {
    success: Type.Boolean({ description: 'Whether the receiver accepted it.' }),
    message: Type.String({ description: 'What the receiver answered, or what failed.' }),
    status: nullable(Type.Integer(), { description: 'The status of the answer.' }),
    answer: nullable(Type.String(), { description: 'The first words of the answer.' }),
  },
  {
    title: 'WebhookTest',
    examples: [
      { success: true, message: 'The receiver answered 200: ok', status: 200, answer: 'ok' },
    ],
  },
)
export type WebhookTest = Static<typeof webhookTest>
