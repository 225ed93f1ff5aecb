import Type from 'typebox'
import { type HttpApp, idParameters, readId } from '../../http/index.ts'
import type { CreateWebhook } from './create-webhook.ts'

const webhook = Type.Object({
  id: Type.Integer({ description: 'In Mautic.' }),
  url: Type.String({ description: 'Where Mautic sends it.' }),
  isNew: Type.Boolean({ description: 'Whether it was created now.' }),
})

const input = Type.Object(
  {
    url: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 2_000,
        pattern: '^https?://[^\\s/?#]+(/[^\\s?#]*)?$',
        fault: 'must be an http or https URL, such as https://mail.example.com',
        description: 'Where Mautic reaches Mailyard. Default: its public URL.',
      }),
    ),
  },
  { title: 'MauticWebhookInput', examples: [{}, { url: 'http://10.0.0.5:8080' }] },
)

const example = {
  webhook: { id: 3, url: 'https://mail.example.com/webhooks/mautic/1', isNew: true },
}

const answer = Type.Object(
  { webhook, warnings: Type.Optional(Type.Array(Type.String())) },
  { title: 'MauticWebhook', examples: [example] },
)

/** Adds `POST /api/mautics/{id}/webhook`. */
export function addCreateWebhookRoute(app: HttpApp, webhooks: { create: CreateWebhook }): void {
  const schema = {
    operationId: 'createMauticWebhook',
    summary: 'Create the webhook of a Mautic',
    description:
      'Creates a webhook in Mautic, through its API, that leads to Mailyard: Mautic then announces each message, and changes ' +
      'of its Do not contact list are taken over. One that is there already is used.',
    tags: ['mautics'],
    params: idParameters,
    body: input,
    errors: [503 as const],
    response: { 200: answer },
  }
  const config = { permission: 'administrator' as const }
  app.post('/api/mautics/:id/webhook', { schema, config }, async (request) => {
    const id = readId(request.params.id)
    const { warnings, ...created } = await webhooks.create(id, request.body.url)
    return { webhook: created, ...(warnings.length === 0 ? {} : { warnings: [...warnings] }) }
  })
}
