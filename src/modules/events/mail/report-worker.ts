import { startStopwatch } from '../../../kit/clock.ts'
import { answerWith } from '../../../kit/reading-thread.ts'
import { readReport } from './read-report.ts'

answerWith(async (source: Uint8Array) => {
  const elapsedMs = startStopwatch()
  return { ...(await readReport(source)), readMs: elapsedMs() }
})
