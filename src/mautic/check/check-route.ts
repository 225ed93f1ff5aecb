import Type from 'typebox'
import {
  acceptsLines,
  disconnected,
  type HttpApp,
  idParameter,
  linesDescription,
  readId,
  sendLines,
} from '../../http/index.ts'
import type { Mautics } from '../mautics.ts'
import type { CheckEvent } from './check-mautic.ts'
import { checkAnswer } from './check-report.ts'

/** Adds the check of a Mautic. */
export function addCheckRoute(app: HttpApp, { mautics }: { mautics: Mautics }): void {
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
    const id = readId(request.params.id)
    const signal = disconnected(reply)
    if (!acceptsLines(request)) return mautics.check(id, { signal })
    return sendLines<CheckEvent>(reply, (onStage) => mautics.check(id, { signal, onStage }))
  })
}
