import { ApiFault, type Body, request } from '../../lib/api.ts'
import { readLines } from '../../lib/read-lines.ts'
import { words } from '../../words/common.ts'

export type CheckResult = Body<'POST', '/api/mautics/{id}/check'>
/** A stage of a check; without an outcome while it runs. */
export type Stage = Pick<CheckResult['stages'][number], 'stage'> &
  Partial<CheckResult['stages'][number]>

type Line =
  | ({ type: 'stage' } & Stage)
  | { type: 'result'; result: CheckResult }
  | { type: 'error'; error: string }

/** Checks a Mautic. `onStage` is called when a stage begins and when it has ended. Cancelled by `signal`. */
export async function runCheck(
  id: number,
  { onStage, signal }: { onStage: (stage: Stage) => void; signal: AbortSignal },
): Promise<CheckResult> {
  const response = await request(`/api/mautics/${id}/check`, {
    method: 'POST',
    headers: { accept: 'application/x-ndjson' },
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
