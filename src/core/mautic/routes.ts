import Type from 'typebox'
import {
  acceptsLines,
  type Callers,
  disconnected,
  type HttpApp,
  idParameter,
  linesDescription,
  readId,
  sendLines,
} from '../../platform/http/index.ts'
import { addResourceRoutes } from '../../platform/resource/index.ts'
import type { CheckEvent } from './check/check-mautic.ts'
import { checkAnswer } from './check/check-report.ts'
import type { Mautics } from './mautics.ts'
import { addReportRoutes } from './reports/routes.ts'
import { mauticShape } from './schema.ts'
import { addOwnWebhookRoutes } from './webhooks/routes.ts'
import { addWebhookRoute } from './webhooks/webhook-route.ts'

export interface MauticRouteParts {
  mautics: Mautics
  callers: Callers
}

/** Adds `/api/mautics`, and the address of their webhooks. */
export function addMauticRoutes(app: HttpApp, parts: MauticRouteParts): void {
  const { mautics, callers } = parts
  const extras = { status: mautics.status }
  addResourceRoutes(app, mauticShape, { service: mautics.records, callers, extras })
  addAcceptRoute(app, parts)
  addCheckRoute(app, parts)
  addReportRoutes(app, parts)
  addOwnWebhookRoutes(app, parts)
  addWebhookRoute(app, mautics.webhookReceiver)
}

function addAcceptRoute(app: HttpApp, { mautics, callers }: MauticRouteParts): void {
  const schema = {
    operationId: 'acceptMautic',
    summary: 'Read a reinstalled Mautic again',
    description:
      'Deletes what is known of its emails and users and all their assignments, and reads them again: the ids mean other ' +
      'emails and users now. Note the assignments first, and assign the transports again afterwards. Its messages wait until it is accepted; held ones wait until you release them. A Mautic that is not ' +
      'marked as reinstalled (`status.isReinstalled`) is answered 409, and nothing is deleted.',
    tags: ['mautics'],
    params: Type.Object({ id: idParameter('Id of the Mautic.', 1) }),
    response: {
      200: Type.Object({
        success: Type.Literal(true),
        message: Type.String({ examples: ['The Mautic "shop" is read again.'] }),
      }),
    },
  }
  const config = { permission: 'administrator' as const }
  app.post('/api/mautics/:id/accept', { schema, config }, async (request) => {
    const { id, name } = await mautics.records.getRow(
      readId(request.params.id),
      callers.of(request),
    )
    await mautics.acceptReinstalled(id)
    return { success: true as const, message: `The Mautic "${name}" is read again.` }
  })
}

function addCheckRoute(app: HttpApp, { mautics, callers }: MauticRouteParts): void {
  const schema = {
    operationId: 'checkMautic',
    summary: 'Check a Mautic, stage by stage',
    description:
      'Asks for everything that is needed of it, and changes nothing there. Without `reach` and `authenticate` the other ' +
      `stages are skipped; the others do not depend on each other. It works for an unpublished Mautic too. ${linesDescription}`,
    tags: ['mautics'],
    params: Type.Object({ id: idParameter('Id of the Mautic.', 1) }),
    response: { 200: checkAnswer },
  }
  const config = { permission: 'api:edit' as const }
  app.post('/api/mautics/:id/check', { schema, config }, async (request, reply) => {
    const { id } = await mautics.records.getRow(readId(request.params.id), callers.of(request))
    const signal = disconnected(reply)
    if (!acceptsLines(request)) return mautics.check(id, { signal })
    return sendLines<CheckEvent>(reply, (onStage) => mautics.check(id, { signal, onStage }))
  })
}
