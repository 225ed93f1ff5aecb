import Type from 'typebox'
import { nullable } from '../../http/index.ts'

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

/** How one stage ended. */
export interface CheckStageReport {
  stage: CheckStage
  /** `skipped`: not needed, or an earlier stage failed. */
  outcome: 'ok' | 'failed' | 'skipped'
  durationMs: number
  /** What was found. */
  detail: string
  /** What to do; null when nothing has to be done. */
  hint: string | null
}

/** How a check ended. */
export interface CheckReport {
  success: boolean
  message: string
  stages: CheckStageReport[]
}

/** The report of a check in an answer. */
export const checkAnswer = Type.Object(
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
