import Type from 'typebox'
import {
  acceptsLines,
  disconnected,
  type HttpApp,
  idParameter,
  linesDescription,
  nullable,
  readId,
  sendLines,
} from '../../http/index.ts'
import type { Mautics } from '../mautics.ts'
import { type CheckEvent, checkStages } from './check-mautic.ts'

const checkAnswer = Type.Object(
  {
    success: Type.Boolean(),
    message: Type.String({ description: 'What failed first, and what to do.' }),
    stages: Type.Array(
      Type.Object({
        stage: Type.Enum([...checkStages]),
        outcome: Type.Enum(['ok', 'failed', 'skipped']),
        durationMs: Type.Number(),
        detail: Type.String(),
        hint: nullable(Type.String()),
      }),
    ),
  },
  {
    examples: [
      {
        success: false,
        message:
          'Nothing answers at mautic.example.com:443 (connection refused). Check the host and the port (an API is reached over HTTPS, usually at port 443) and the firewall.',
        stages: [
          {
            stage: 'reach',
            outcome: 'failed',
            durationMs: 2.1,
            detail: 'Nothing answers at mautic.example.com:443 (connection refused).',
            hint: 'Check the host and the port (an API is reached over HTTPS, usually at port 443) and the firewall.',
          },
        ],
      },
    ],
  },
)

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
