import Type from 'typebox'
import { type Callers, type HttpApp, idParameters, readId } from '../../../platform/http/index.ts'
import type { Mautics } from '../mautics.ts'

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
    acceptsUnproven: Type.Optional(
      Type.Boolean({
        description:
          'Whether it is created although Mailyard does not reach itself at this URL, because only Mautic does. ' +
          'Default: false.',
      }),
    ),
  },
  {
    title: 'MauticWebhookInput',
    examples: [{ url: 'http://10.0.0.5:8080', acceptsUnproven: true }, {}],
  },
)

const example = {
  webhook: { id: 3, url: 'https://mail.example.com/webhooks/mautic/1', isNew: true },
}

const answer = Type.Object(
  { webhook, warnings: Type.Optional(Type.Array(Type.String())) },
  { title: 'MauticWebhook', examples: [example] },
)

const config = { permission: 'administrator' as const }

/** Adds the routes that create and delete the webhook of a Mautic. */
export function addOwnWebhookRoutes(
  app: HttpApp,
  { mautics, callers }: { mautics: Pick<Mautics, 'records' | 'webhooks'>; callers: Callers },
): void {
  const { records, webhooks } = mautics
  const createSchema = {
    operationId: 'createMauticWebhook',
    summary: 'Create the webhook of a Mautic',
    description:
      'Creates a webhook in Mautic, through its API, that leads to Mailyard: changes of its Do not contact list are then ' +
      'taken over at once. Mailyard first requests the URL itself, to see that it leads here. A webhook that is there already and right ' +
      'is used; other ones of this Mailyard are deleted. Without `url`, one that was changed, unpublished or deleted in Mautic is created ' +
      'again as it was.',
    tags: ['mautics'],
    params: idParameters,
    body: input,
    errors: [503 as const],
    response: { 200: answer },
  }
  app.post('/api/mautics/:id/webhook', { schema: createSchema, config }, async (request) => {
    const { url: baseUrl, acceptsUnproven } = request.body
    const options = { baseUrl, acceptsUnproven }
    const { id: mauticId } = await records.getRow(readId(request.params.id), callers.of(request))
    const { id, url, isNew, warnings } = await webhooks.create(mauticId, options)
    const created = { id, url, isNew }
    return warnings.length === 0
      ? { webhook: created }
      : { webhook: created, warnings: [...warnings] }
  })

  const removeSchema = {
    operationId: 'deleteMauticWebhook',
    summary: 'Delete the webhook of a Mautic',
    description:
      'Deletes the webhooks of this Mailyard in Mautic. Additions to its Do not contact list are then taken over ' +
      'within a minute, and removals within an hour. If Mautic cannot be asked, nothing is deleted.',
    tags: ['mautics'],
    params: idParameters,
    errors: [503 as const],
    response: {
      200: Type.Object({
        success: Type.Literal(true),
        message: Type.String({ examples: ['The webhook was deleted in Mautic.'] }),
      }),
    },
  }
  app.delete(
    '/api/mautics/:id/webhook/delete',
    { schema: removeSchema, config },
    async (request) => {
      const { id } = await records.getRow(readId(request.params.id), callers.of(request))
      const count = await webhooks.remove(id)
      const message =
        count === 0
          ? 'There was no webhook of this Mailyard in Mautic.'
          : 'The webhook was deleted in Mautic.'
      return { success: true as const, message }
    },
  )
}
