import { useEffect, useRef, useState } from 'preact/hooks'
import { Button } from '../../design/button.tsx'
import { Badge, HelpLink, Notice } from '../../design/feedback.tsx'
import { Card } from '../../design/page.tsx'
import { ApiFault, type Body, request } from '../../lib/api.ts'
import { readLines } from '../../lib/read-lines.ts'
import { can } from '../../lib/session.ts'
import type { Tone } from '../../lib/toasts.ts'
import { words } from '../../words/common.ts'
import { formatDuration } from '../../words/format.ts'
import { mauticWords } from '../../words/mautics.ts'
import { transportWords } from '../../words/transports.ts'

const text = mauticWords.check

type CheckResult = Body<'POST', '/api/mautics/{id}/check'>
/** A stage of a check; without an outcome while it runs. */
type Stage = Pick<CheckResult['stages'][number], 'stage'> & Partial<CheckResult['stages'][number]>

type Line =
  | ({ type: 'stage' } & Stage)
  | { type: 'result'; result: CheckResult }
  | { type: 'error'; error: string }

/** Checks a Mautic. `onStage` is called when a stage begins and when it has ended. Cancelled by `signal`. */
async function runCheck(
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

const isLoginFault = ({ stages }: CheckResult) =>
  stages.some(({ stage, outcome }) => stage === 'authenticate' && outcome === 'failed')

/** Checks a Mautic, and shows each stage as soon as it has ended. `isAutomatic`: at once. */
export function MauticCheck({
  id,
  title = text.title,
  isAutomatic = false,
}: {
  id: number
  title?: string
  isAutomatic?: boolean
}) {
  const [stages, setStages] = useState<readonly Stage[]>([])
  const [result, setResult] = useState<CheckResult>()
  const [fault, setFault] = useState<string>()
  const [isBusy, setBusy] = useState(false)
  const running = useRef<AbortController | undefined>(undefined)
  const check = async () => {
    running.current?.abort()
    const controller = new AbortController()
    running.current = controller
    setBusy(true)
    setFault(undefined)
    setResult(undefined)
    setStages([])
    try {
      const onStage = (stage: Stage) => setStages((before) => withStage(before, stage))
      const done = await runCheck(id, { onStage, signal: controller.signal })
      setResult(done)
      setStages(done.stages)
    } catch (error) {
      if (!controller.signal.aborted) setFault((error as Error).message)
    }
    setBusy(false)
  }
  useEffect(() => {
    if (isAutomatic) void check()
    return () => running.current?.abort()
  }, [])
  return (
    <Card
      title={title}
      tools={
        can('api:edit') && (
          <Button isBusy={isBusy} onClick={() => void check()}>
            {text.run}
          </Button>
        )
      }
    >
      <p class="quiet small">{text.help}</p>
      {fault !== undefined && <Notice tone="bad">{fault}</Notice>}
      {result !== undefined && (
        <Notice tone={result.success ? 'good' : 'bad'}>
          <p>{result.message}</p>
          {!result.success && <CheckHelp isLogin={isLoginFault(result)} />}
        </Notice>
      )}
      <ol class="stages" aria-live="polite">
        {stages.map((stage) => (
          <StageItem key={stage.stage} stage={stage} isRunning={isBusy} />
        ))}
      </ol>
    </Card>
  )
}

/** The task that says what to do where a check has failed. `isLogin`: the log-in was refused. */
export function CheckHelp({ isLogin }: { isLogin: boolean }) {
  return isLogin ? (
    <HelpLink page="a-password-stops-working">{transportWords.test.passwordTask}</HelpLink>
  ) : (
    <HelpLink page="connect-a-mautic">{mauticWords.task}</HelpLink>
  )
}

function withStage(stages: readonly Stage[], next: Stage): readonly Stage[] {
  const place = stages.findIndex(({ stage }) => stage === next.stage)
  return place === -1 ? [...stages, next] : stages.with(place, next)
}

const tones: Record<NonNullable<Stage['outcome']>, Tone> = {
  ok: 'good',
  failed: 'bad',
  skipped: 'neutral',
}

/** A stage; without an outcome it is running, or was cancelled. */
function StageItem({
  stage: { stage, outcome, durationMs, detail, hint },
  isRunning,
}: {
  stage: Stage
  isRunning: boolean
}) {
  return (
    <li data-outcome={outcome}>
      <div class="spread">
        <span class="row">
          <strong>{text.stages[stage]}</strong>
          {outcome !== undefined && <Badge tone={tones[outcome]}>{text.outcomes[outcome]}</Badge>}
          {outcome === undefined && isRunning && (
            <span class="quiet small stage-runs">{text.running}</span>
          )}
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
