import { words } from '../words/common.ts'
import { ApiFault, request } from './api.ts'
import { readLines } from './read-lines.ts'

type Line<Stage, Result> =
  | ({ type: 'stage' } & Stage)
  | { type: 'result'; result: Result }
  | { type: 'error'; error: string }

/** Makes a test that answers stage by stage. `onStage` is called when a stage begins and when it has ended. Cancelled by `signal`. */
export async function runStages<Stage, Result>(
  url: string,
  {
    body,
    onStage,
    signal,
  }: { body?: unknown; onStage: (stage: Stage) => void; signal: AbortSignal },
): Promise<Result> {
  const response = await request(url, {
    method: 'POST',
    headers: {
      accept: 'application/x-ndjson',
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal,
    isRead: false,
  })
  for await (const line of readLines<Line<Stage, Result>>(response)) {
    if (line.type === 'stage') onStage(line)
    else if (line.type === 'result') return line.result
    else throw new ApiFault(500, line.error)
  }
  throw new ApiFault(0, words.noAnswer)
}
