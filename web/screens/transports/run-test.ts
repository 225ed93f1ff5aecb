import { ApiFault, type Body, request } from '../../lib/api.ts'
import { readLines } from '../../lib/read-lines.ts'
import { words } from '../../words/common.ts'

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

type Line =
  | ({ type: 'stage'; state: 'started' | 'finished' } & Stage)
  | { type: 'result'; result: TestResult }
  | { type: 'error'; error: string }

/** Sends a test message. `onStage` is called when a stage begins and when it has ended. Cancelled by `signal`. */
export async function runTest(
  { id, mailerDsn, testedEmailFrom, to }: TestRequest,
  { onStage, signal }: { onStage: (stage: Stage) => void; signal: AbortSignal },
): Promise<TestResult> {
  const values = { mailerDsn, testedEmailFrom: testedEmailFrom || null, to }
  const response = await request('/api/multipleTransports/send/test?transcript=1', {
    method: 'POST',
    headers: { accept: 'application/x-ndjson', 'content-type': 'application/json' },
    body: JSON.stringify(id === undefined ? values : { ...values, id }),
    signal,
    isRead: false,
  })
  for await (const line of readLines<Line>(response)) {
    if (line.type === 'stage') onStage(line)
    else if (line.type === 'result') return line.result
    else throw new ApiFault(500, line.error)
  }
  throw new ApiFault(0, words.noAnswer)
}
