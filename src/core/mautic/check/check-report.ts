import Type, { type Static } from 'typebox'
import { nullable } from '../../../platform/http/index.ts'

/** The stages of a check, in order. */
export const checkStages = [
  'reach',
  'authenticate',
  'permissions',
  'users',
  'emails',
  'contacts',
  'statistics',
  'do-not-contact',
  'transport',
  'webhook',
] as const
export type CheckStage = (typeof checkStages)[number]

const stageReport = Type.Object({
  stage: Type.Enum([...checkStages]),
  outcome: Type.Enum(['ok', 'failed', 'skipped'], {
    description: '`skipped`: not needed, or an earlier stage failed.',
  }),
  durationMs: Type.Number(),
  detail: Type.String({ description: 'What was found.' }),
  hint: nullable(Type.String(), { description: 'What to do; null if there is nothing to do.' }),
})
/** How one stage ended. */
export type CheckStageReport = Static<typeof stageReport>

export const checkAnswer = Type.Object(
  {
    success: Type.Boolean(),
    message: Type.String({ description: 'What failed first, and what to do.' }),
    stages: Type.Array(stageReport),
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
/** How a check ended. */
export type CheckReport = Static<typeof checkAnswer>
