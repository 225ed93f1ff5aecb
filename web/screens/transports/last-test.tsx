import { Badge } from '../../design/feedback.tsx'
import { Time } from '../../design/time.tsx'
import type { Schema } from '../../lib/api.ts'
import { transportWords } from '../../words/transports.ts'

const { test: texts } = transportWords

export type LastTestResult = Schema<'TransportInList'>['lastTest']

/** The last test of the DSN of a transport: when, and how it ended. */
export function LastTest({ test }: { test: LastTestResult | undefined }) {
  if (test === null || test === undefined) return <span class="quiet">{texts.never}</span>
  const { success, date, message } = test
  return (
    <span class="row" title={message}>
      <Badge tone={success ? 'good' : 'bad'}>{success ? texts.passed : texts.failed}</Badge>
      <span class="small">
        <Time iso={date} />
      </span>
    </span>
  )
}
