import { useEffect, useRef, useState } from 'preact/hooks'
import { Button } from '../../design/button.tsx'
import { Notice } from '../../design/feedback.tsx'
import { TextField } from '../../design/field.tsx'
import { Card } from '../../design/page.tsx'
import { ApiFault } from '../../lib/api.ts'
import { session } from '../../lib/session.ts'
import { transportWords } from '../../words/transports.ts'
import { LastTest, type LastTestResult } from './parts.tsx'
import { keyOf, runTest, type Stage, type TestResult } from './run-test.ts'
import { TestReport } from './test-report.tsx'

const { test: texts } = transportWords

interface TransportTestProps {
  /** Undefined for a new transport. */
  id: number | undefined
  /** Returns the DSN of the form, saved or not. */
  settleDsn: () => Promise<string>
  testedEmailFrom: string
  /** The last test of the saved DSN. */
  lastTest: LastTestResult | undefined
  /** The test that has failed before it was saved, and the sentence that says so. */
  failed: TestResult | undefined
  notSaved: string | undefined
  /** Called after each test. */
  onTested: () => void
}

/** Sends a test message with the values of the form, saved or not, and shows each stage as soon as it has ended. */
export function TransportTest({
  id,
  settleDsn,
  testedEmailFrom,
  lastTest,
  failed,
  notSaved,
  onTested,
}: TransportTestProps) {
  const [to, setTo] = useState(session.value?.user.email ?? '')
  const [stages, setStages] = useState<readonly Stage[]>([])
  const [result, setResult] = useState<TestResult>()
  const [fault, setFault] = useState<ApiFault>()
  const running = useRef<AbortController | undefined>(undefined)
  const [isBusy, setBusy] = useState(false)
  const report = useRef<HTMLDivElement>(null)
  useEffect(() => {
    setResult(failed)
    setStages(failed?.stages ?? [])
    if (failed !== undefined) report.current?.scrollIntoView({ block: 'center' })
  }, [failed])
  useEffect(() => () => running.current?.abort(), [])
  const test = async (event: SubmitEvent) => {
    event.preventDefault()
    running.current?.abort()
    const controller = new AbortController()
    running.current = controller
    setBusy(true)
    setFault(undefined)
    setResult(undefined)
    setStages([])
    try {
      const request = { id, mailerDsn: await settleDsn(), testedEmailFrom, to }
      const onStage = (stage: Stage) => setStages((before) => withStage(before, stage))
      const done = await runTest(request, { onStage, signal: controller.signal })
      setResult(done)
      setStages(done.stages)
    } catch (error) {
      const isCancelled = controller.signal.aborted
      setFault(new ApiFault(0, isCancelled ? texts.cancelled : (error as Error).message))
    }
    setBusy(false)
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
      <form class="search" data-field="to" onSubmit={test}>
        <TextField label={texts.to} type="email" required value={to} onValue={setTo} />
        {isBusy ? (
          <Button key="cancel" onClick={() => running.current?.abort()}>
            {texts.cancel}
          </Button>
        ) : (
          <Button key="send" type="submit">
            {texts.send}
          </Button>
        )}
      </form>
      {fault !== undefined && <Notice tone="bad">{fault.message}</Notice>}
      <div ref={report} class="stack">
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

function withStage(stages: readonly Stage[], next: Stage): readonly Stage[] {
  const place = stages.findIndex((stage) => keyOf(stage) === keyOf(next))
  return place === -1 ? [...stages, next] : stages.with(place, next)
}
