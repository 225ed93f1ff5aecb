import Type from 'typebox'
import { type Callers, type HttpApp, idParameter, readId } from '../../../platform/http/index.ts'
import { transportWebhookInput, webhookAnswer, webhookList, webhookQuery } from './schema.ts'
import type { TransportWebhooks } from './transport-webhooks.ts'

export interface TransportWebhookRouteParts {
  webhooks: TransportWebhooks
  callers: Callers
}

const path = '/api/multipleTransports/:id/webhook'
const tags = ['multipleTransports']
const params = Type.Object({ id: idParameter('Id of the transport.', 2) })
const view = { permission: 'multipleTransports:view' as const }
const edit = { permission: 'multipleTransports:edit' as const }

/** Adds the routes that manage the webhooks of transports. */
export function addTransportWebhookRoutes(app: HttpApp, parts: TransportWebhookRouteParts): void {
  addListRoute(app, parts)
  addPutRoute(app, parts)
  addRemoveRoute(app, parts)
}

function addListRoute(app: HttpApp, { webhooks, callers }: TransportWebhookRouteParts): void {
  const schema = {
    operationId: 'listTransportWebhooks',
    summary: 'List the webhooks of a transport',
    description:
      'A webhook receives what a provider reports after it accepted messages: bounces, complaints and the like. A transport can have ' +
      'one for each provider of its DSN: `providers` names them.',
    tags,
    params,
    response: { 200: webhookList },
  }
  app.get(`${path}s`, { schema, config: view }, (request) =>
    webhooks.list(readId(request.params.id), callers.of(request)),
  )
}

function addPutRoute(app: HttpApp, { webhooks, callers }: TransportWebhookRouteParts): void {
  const schema = {
    operationId: 'setTransportWebhook',
    summary: 'Create or change the webhook of a transport',
    description:
      'Configure its `url` at the provider, as `steps` say. A change keeps the address. A deleted webhook that is created again has another one.',
    tags,
    params,
    body: transportWebhookInput,
    errors: [409 as const],
    response: { 200: webhookAnswer, 201: webhookAnswer },
  }
  app.put(path, { schema, config: edit }, async (request, reply) => {
    const id = readId(request.params.id)
    const { answer, isNew } = await webhooks.put(id, request.body, callers.of(request))
    return reply.code(isNew ? 201 : 200).send(answer)
  })
}

function addRemoveRoute(app: HttpApp, { webhooks, callers }: TransportWebhookRouteParts): void {
  const schema = {
    operationId: 'deleteTransportWebhook',
    summary: 'Delete the webhook of a transport',
    description:
      'Deletes all its webhooks, or the one of a provider. Events that the provider goes on sending are refused.',
    tags,
    params,
    querystring: webhookQuery,
    response: {
      200: Type.Object({
        success: Type.Literal(true),
        message: Type.String({
          examples: ['1 webhook was deleted. Delete it at the provider, too.'],
        }),
      }),
    },
  }
  app.delete(path, { schema, config: edit }, async (request) => {
    const { provider } = request.query
    const count = await webhooks.remove(readId(request.params.id), provider, callers.of(request))
    const message =
      count === 1
        ? '1 webhook was deleted. Delete it at the provider, too.'
        : `${count} webhooks were deleted. Delete them at the providers, too.`
    return { success: true as const, message }
  })
}
