import { Button } from '../../design/button.tsx'
import { Badge, HelpLink, Notice } from '../../design/feedback.tsx'
import type { Tone } from '../../lib/toasts.ts'
import { moveWords } from '../../words/ending-logins.ts'
import { formatDuration } from '../../words/format.ts'
import { transportWords } from '../../words/transports.ts'
import { focusField } from './focus-field.ts'
import { keyOf, type Stage, type TestResult } from './run-test.ts'

const { test: texts } = transportWords

/** Returns the task that helps with a failed test: an access token is refused where it is requested, or at the log-in. */
function taskOf({ stages }: TestResult) {
  const login = stages.find(
    ({ stage, outcome }) => outcome === 'failed' && (stage === 'token' || stage === 'auth'),
  )
  if (login === undefined) return { page: 'a-provider-is-down', title: texts.downTask } as const
  return stages.some(({ stage, member }) => stage === 'token' && member === login.member)
    ? ({ page: 'move-to-oauth', title: moveWords.task } as const)
    : ({ page: 'a-password-stops-working', title: texts.passwordTask } as const)
}

interface TestReportProps {
  /** Undefined while the test runs. */
  result: TestResult | undefined
  /** Default: those of the result. */
  stages?: readonly Stage[]
  isRunning?: boolean
  /** Default: that of the result. */
  message?: string | undefined
}

/** The report on a test: what failed and what to do, and each stage. */
export function TestReport({
  result,
  stages = result?.stages ?? [],
  isRunning = false,
  message = result?.message,
}: TestReportProps) {
  return (
    <>
      {result !== undefined && <Notice tone={result.success ? 'good' : 'bad'}>{message}</Notice>}
      {result?.success === false && (
        <p class="small">
          <HelpLink page={taskOf(result).page}>{taskOf(result).title}</HelpLink>
        </p>
      )}
      <ol class="stages" aria-live="polite">
        {foldSkipped(stages).map(({ stage, names }) => (
          <StageItem key={keyOf(stage)} stage={stage} names={names} isRunning={isRunning} />
        ))}
      </ol>
      {result?.transcript !== undefined && result.transcript.length > 0 && (
        <details>
          <summary>{texts.transcript}</summary>
          <pre>{result.transcript.join('\n')}</pre>
        </details>
      )}
    </>
  )
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
function StageItem({ stage, names, isRunning }: Folded & { isRunning: boolean }) {
  const { outcome, durationMs, detail, hint, member } = stage
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
      {hint && (
        <p class="small">
          {hint}{' '}
          <Button kind="plain" onClick={({ currentTarget }) => focusField(stage, currentTarget)}>
            {texts.goToField}
          </Button>
        </p>
      )}
    </li>
  )
}
