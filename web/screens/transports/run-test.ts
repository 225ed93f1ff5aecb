import type { Body } from '../../lib/api.ts'
import { runStages } from '../../lib/run-stages.ts'

export type TestResult = Body<'POST', '/api/multipleTransports/send/test'>
/** A stage of a test; without an outcome while it runs. */
export type Stage = Pick<TestResult['stages'][number], 'stage' | 'member'> &
  Partial<TestResult['stages'][number]>

/** Tells the stages of a test apart. */
export const keyOf = ({ stage, member }: Stage) => `${member ?? ''} ${stage}`

/** The values that are tested. */
export interface TestRequest {
  /** The id of the saved transport: its secrets stand behind masks, and a test of its DSN becomes its last one. */
  id: number | undefined
  mailerDsn: string
  testedEmailFrom: string
  to: string
}

/** Sends a test message. `onStage` is called when a stage begins and when it has ended. Cancelled by `signal`. */
export function runTest(
  { id, mailerDsn, testedEmailFrom, to }: TestRequest,
  options: { onStage: (stage: Stage) => void; signal: AbortSignal },
): Promise<TestResult> {
  const values = { mailerDsn, testedEmailFrom: testedEmailFrom || null, to }
  const body = id === undefined ? values : { ...values, id }
  return runStages('/api/multipleTransports/send/test?transcript=1', { body, ...options })
}
