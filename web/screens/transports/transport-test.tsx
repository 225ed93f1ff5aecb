import { useEffect, useRef, useState } from 'preact/hooks'
import { Button } from '../../design/button.tsx'
import { Notice } from '../../design/feedback.tsx'
import { TextField } from '../../design/field.tsx'
import { Card } from '../../design/page.tsx'
import { session } from '../../lib/session.ts'
import { useStages } from '../../lib/use-stages.ts'
import { transportWords } from '../../words/transports.ts'
import { LastTest, type LastTestResult, TestRecipient } from './parts.tsx'
import { type Stage, stageKey, TestReport, type TestResult } from './test-report.tsx'

const { test: texts } = transportWords

interface TransportTestProps {
  /** Undefined for a new transport. */
  id: number | undefined
  /** Whether it can be tested and saved in one step. */
  isEditing: boolean
  /** Returns the DSN of the form, saved or not. */
  settleDsn: () => Promise<string>
  testedEmailFrom: string
  /** The last test of the saved DSN. */
  lastTest: LastTestResult | undefined
  /** The test that has failed before it was saved, and the sentence that says so. */
  failed: TestResult | undefined
  notSaved: string | undefined
  onTested: () => void
}

/** Sends a test message with the values of the form, saved or not, and shows each stage as soon as it has ended. */
export function TransportTest({
  id,
  isEditing,
  settleDsn,
  testedEmailFrom,
  lastTest,
  failed,
  notSaved,
  onTested,
}: TransportTestProps) {
  const [to, setTo] = useState(session.value?.user.email ?? '')
  const run = useStages<Stage, TestResult>(stageKey, texts.cancelled)
  const { stages, result, fault, isBusy } = run
  const report = useRef<HTMLDivElement>(null)
  useEffect(() => {
    run.show(failed)
  }, [failed])
  useEffect(() => {
    if (notSaved !== undefined) report.current?.scrollIntoView({ block: 'nearest' })
  }, [result, notSaved])
  const test = async (event: SubmitEvent) => {
    event.preventDefault()
    // The id: secrets of the saved transport stand behind masks, and a test of its DSN becomes its last one.
    const values = { testedEmailFrom: testedEmailFrom || null, to, ...(id && { id }) }
    await run.start('/api/multipleTransports/send/test?transcript=1', async () => ({
      ...values,
      mailerDsn: await settleDsn(),
    }))
    onTested()
  }
  const isFailed = lastTest?.success === false && stages.length === 0
  return (
    <Card title={texts.title}>
      <p class="quiet small">{texts.help}</p>
      {id !== undefined && (
        <p class="row small">
          <span class="quiet">{texts.last}</span>
          <LastTest test={lastTest} />
        </p>
      )}
      {isFailed && (
        <p class="fault-text small">
          {lastTest.stage !== null && <strong>{texts.failedAt(lastTest.stage)} </strong>}
          {lastTest.message}
        </p>
      )}
      <form class="with-button" data-field="to" onSubmit={test}>
        <TextField label={texts.to} type="email" required value={to} onValue={setTo} />
        {isBusy ? (
          <Button key="cancel" onClick={run.cancel}>
            {texts.cancel}
          </Button>
        ) : (
          <Button key="send" type="submit">
            {texts.send}
          </Button>
        )}
      </form>
      {isEditing && <TestRecipient testedEmailFrom={testedEmailFrom} />}
      {fault !== undefined && <Notice tone="bad">{fault}</Notice>}
      <div ref={report} class="stack">
        {failed === undefined && notSaved && <Notice tone="warn">{notSaved}</Notice>}
        <TestReport
          result={result}
          stages={stages}
          isRunning={isBusy}
          message={result !== undefined && result === failed ? notSaved : undefined}
        />
      </div>
    </Card>
  )
}
