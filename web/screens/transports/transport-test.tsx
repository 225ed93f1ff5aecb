import { useEffect, useRef, useState } from 'preact/hooks'
import { Button } from '../../design/button.tsx'
import { Badge, HelpLink, Notice, type Tone } from '../../design/feedback.tsx'
import { TextField } from '../../design/field.tsx'
import { ApiFault } from '../../lib/api.ts'
import { formatDuration } from '../../lib/format.ts'
import { session } from '../../lib/session.ts'
import { words } from '../../words.ts'
import { LastTest, type LastTestResult } from './last-test.tsx'
import { runTest, type Stage, type TestResult } from './run-test.ts'

const { test: texts } = words.transports

const isLoginFault = ({ stages }: TestResult) =>
  stages.some(({ stage, outcome }) => stage === 'auth' && outcome === 'failed')

interface TransportTestProps {
  /** Undefined for a new transport. */
  id: number | undefined
  /** Returns the DSN of the form, saved or not. */
  settleDsn: () => Promise<string>
  testedEmailFrom: string
  /** Of the saved DSN. */
  lastTest: LastTestResult | undefined
  /** Called after each test. */
  onTested: () => void
}

/** Sends a test message with the values of the form, saved or not, and shows each stage as soon as it has ended. */
export function TransportTest({
  id,
  settleDsn,
  testedEmailFrom,
  lastTest,
  onTested,
}: TransportTestProps) {
  const [to, setTo] = useState(session.value?.user.email ?? '')
  const [stages, setStages] = useState<readonly Stage[]>([])
  const [result, setResult] = useState<TestResult>()
  const [fault, setFault] = useState<ApiFault>()
  const running = useRef<AbortController | undefined>(undefined)
  const [isBusy, setBusy] = useState(false)
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
  return (
    <section class="card beside" aria-label={texts.title}>
      <h2>{texts.title}</h2>
      <p class="quiet small">{texts.help}</p>
      {id !== undefined && (
        <p class="row small">
          <span class="quiet">{texts.last}</span>
          <LastTest test={lastTest} />
        </p>
      )}
      <form class="search" onSubmit={test}>
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
      {result !== undefined && (
        <Notice tone={result.success ? 'good' : 'bad'}>{result.message}</Notice>
      )}
      {result?.success === false && (
        <p class="small">
          <HelpLink page={isLoginFault(result) ? 'a-password-stops-working' : 'a-provider-is-down'}>
            {isLoginFault(result) ? texts.passwordTask : texts.downTask}
          </HelpLink>
        </p>
      )}
      <ol class="stages" aria-live="polite">
        {foldSkipped(stages).map(({ stage, names }) => (
          <StageItem key={keyOf(stage)} stage={stage} names={names} isRunning={isBusy} />
        ))}
      </ol>
      {result?.transcript !== undefined && result.transcript.length > 0 && (
        <details>
          <summary>{texts.transcript}</summary>
          <pre>{result.transcript.join('\n')}</pre>
        </details>
      )}
    </section>
  )
}

const keyOf = ({ stage, member }: Stage) => `${member ?? ''} ${stage}`

function withStage(stages: readonly Stage[], next: Stage): readonly Stage[] {
  const place = stages.findIndex((stage) => keyOf(stage) === keyOf(next))
  return place === -1 ? [...stages, next] : stages.with(place, next)
}

interface Folded {
  stage: Stage
  names: readonly string[]
}

/** Stages in a row that were skipped for the same reason are shown as one. */
function foldSkipped(stages: readonly Stage[]): Folded[] {
  const folded: Folded[] = []
  for (const stage of stages) {
    const name = texts.stages[stage.stage]
    const last = folded.at(-1)
    if (last !== undefined && isSkippedAlike(last.stage, stage))
      folded[folded.length - 1] = { ...last, names: [...last.names, name] }
    else folded.push({ stage, names: [name] })
  }
  return folded
}

function isSkippedAlike(one: Stage, other: Stage): boolean {
  const isSkipped = one.outcome === 'skipped' && other.outcome === 'skipped'
  return isSkipped && one.member === other.member && one.detail === other.detail
}

type Outcome = NonNullable<Stage['outcome']>

const tones: Record<Outcome, Tone> = { ok: 'good', failed: 'bad', skipped: 'neutral' }

/** A stage; without an outcome it is running, or was cancelled. */
function StageItem({
  stage: { outcome, durationMs, detail, hint, member },
  names,
  isRunning,
}: Folded & { isRunning: boolean }) {
  return (
    <li data-outcome={outcome}>
      <div class="spread">
        <span class="row">
          <strong>{names.join(', ')}</strong>
          {outcome !== undefined && <Badge tone={tones[outcome]}>{texts.outcomes[outcome]}</Badge>}
          {outcome === undefined && isRunning && (
            <span class="quiet small stage-runs">{texts.running}</span>
          )}
          {member !== undefined && <span class="quiet small mono">{member}</span>}
        </span>
        {durationMs !== undefined && outcome !== 'skipped' && (
          <span class="quiet small number">{formatDuration(durationMs)}</span>
        )}
      </div>
      {detail && <p class="quiet small">{detail}</p>}
      {hint && <p class="small">{hint}</p>}
    </li>
  )
}
