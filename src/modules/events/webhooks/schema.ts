import Type, { type Static } from 'typebox'
import { secretMask } from '../../../libraries/mailer/index.ts'
import { nullable } from '../../../platform/http/index.ts'
import { type WebhookCount, webhookCounts } from './table.ts'

const provider = Type.String({
  maxLength: 60,
  description:
    'The name of a provider of the DSN. It is required where the DSN has several, and where its server is not known: then it is any of ' +
    '`otherProviders`, such as the Postal of your own behind `smtp://`, or the provider behind a relay host or `sendmail://`.',
})

export const transportWebhookInput = Type.Object(
  {
    provider: Type.Optional(provider),
    signingKey: Type.Optional(
      nullable(Type.String({ minLength: 1, maxLength: 8_000 }), {
        description: `The key with which the provider's requests are verified; see \`signingKeyLabel\`. ${secretMask}, or left out: it stays. Null removes it.`,
      }),
    ),
  },
  {
    title: 'TransportWebhookInput',
    examples: [
      {
        signingKey:
          'MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEa77izRd7pFNuCS+CsGBi1AGEc8HaQ908Aiku5pZlIILKhimLAHHwm4di07wfdIMYmARpmbnTgsUwJ5NvpC2wrA==',
      },
      {},
    ],
  },
)

export const webhookQuery = Type.Object({ provider: Type.Optional(provider) })

const exampleUrl = 'https://mail.example.com/webhooks/transports/3/6cQmJx0c3Vt4'

const exampleCounts: Record<WebhookCount, number> = {
  delivered: 9_120,
  deferred: 31,
  bounced: 84,
  complained: 3,
  unsubscribed: 12,
  rejected: 0,
  ignored: 411,
  unknown: 2,
  refused: 0,
}

const counts = Type.Object(
  Object.fromEntries(webhookCounts.map((name) => [name, Type.Integer()])) as Record<
    WebhookCount,
    ReturnType<typeof Type.Integer>
  >,
  {
    description:
      'How many events arrived by type, how many of them were about no known message (`unknown`), and how many requests were refused. A repeated event counts again here.',
  },
)

export const transportWebhookItem = Type.Object(
  {
    transportId: Type.Integer(),
    provider: Type.String(),
    providerTitle: Type.String(),
    url: Type.String({
      description: `The address that the provider calls. Its last part is a secret: ${secretMask} to callers who may not edit the transport.`,
    }),
    signingKey: nullable(Type.String(), { description: `${secretMask}, or null for none.` }),
    signingKeyLabel: nullable(Type.String(), {
      description: 'What the key is called at the provider; null if it signs nothing.',
    }),
    steps: Type.Array(Type.String(), { description: 'What to click at the provider, in order.' }),
    dateAdded: Type.String({ description: 'ISO 8601 with offset.' }),
    lastEventAt: nullable(Type.String(), { description: 'When an event arrived last.' }),
    counts,
    problem: nullable(Type.String(), {
      description: 'Why the last request was refused; null if it was accepted.',
    }),
  },
  {
    title: 'TransportWebhook',
    examples: [
      {
        transportId: 3,
        provider: 'sendgrid',
        providerTitle: 'SendGrid',
        url: exampleUrl,
        signingKey: secretMask,
        signingKeyLabel: 'Verification key',
        steps: [
          'Open Settings, Mail Settings, Event Webhooks, and create one.',
          `Post URL: ${exampleUrl}`,
        ],
        dateAdded: '2026-11-27T09:00:00+00:00',
        lastEventAt: '2026-11-27T09:12:41+00:00',
        counts: exampleCounts,
        problem: null,
      },
    ],
  },
)
export type TransportWebhookItem = Static<typeof transportWebhookItem>

const eventProvider = Type.Object(
  { name: Type.String(), title: Type.String() },
  { examples: [{ name: 'sendgrid', title: 'SendGrid' }] },
)

const listMembers = {
  webhooks: Type.Array(transportWebhookItem, {
    description: 'One for each provider that has one.',
  }),
  providers: Type.Array(eventProvider, {
    description: 'The providers of the DSN that report events.',
  }),
  otherProviders: Type.Optional(
    Type.Array(eventProvider, {
      description:
        'The other providers that `provider` may name, because a server of the DSN is not known. Absent: each is known.',
    }),
  ),
  problem: nullable(Type.String(), {
    description: 'Why no webhook can be created, and what to do; null if nothing prevents it.',
    examples: [null],
  }),
}

/** All webhooks of a transport. */
export const webhookList = Type.Object(listMembers, { title: 'TransportWebhooks' })
export type WebhookList = Static<typeof webhookList>

/** One webhook of a transport, and all others. */
export const webhookAnswer = Type.Object(
  { webhook: transportWebhookItem, ...listMembers },
  { title: 'TransportWebhookAnswer' },
)
export type WebhookAnswer = Static<typeof webhookAnswer>
