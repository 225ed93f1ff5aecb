import { useEffect, useRef, useState } from 'preact/hooks'
import { Button } from '../../design/button.tsx'
import { Badge, HelpLink, Notice } from '../../design/feedback.tsx'
import { can } from '../../lib/session.ts'
import type { Tone } from '../../lib/toasts.ts'
import { formatDuration } from '../../words/format.ts'
import { mauticWords } from '../../words/mautics.ts'
import { transportWords } from '../../words/transports.ts'
import { type CheckResult, runCheck, type Stage } from './run-check.ts'

const text = mauticWords.check

const isLoginFault = ({ stages }: CheckResult) =>
  stages.some(({ stage, outcome }) => stage === 'authenticate' && outcome === 'failed')

/** Checks a Mautic, and shows each stage as soon as it has ended. `isAutomatic`: at once. */
export function MauticCheck({
  id,
  title,
  isAutomatic = false,
}: {
  id: number
  title: string
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
    <section class="card narrow" aria-label={title}>
      <h2>{title}</h2>
      <p class="quiet small">{text.help}</p>
      {can('api:edit') && (
        <div class="row">
          <Button isBusy={isBusy} onClick={() => void check()}>
            {text.run}
          </Button>
        </div>
      )}
      {fault !== undefined && <Notice tone="bad">{fault}</Notice>}
      {result !== undefined && (
        <Notice tone={result.success ? 'good' : 'bad'}>{result.message}</Notice>
      )}
      {result?.success === false && (
        <p class="small">
          {isLoginFault(result) ? (
            <HelpLink page="a-password-stops-working">{transportWords.test.passwordTask}</HelpLink>
          ) : (
            <HelpLink page="connect-a-mautic">{mauticWords.task}</HelpLink>
          )}
        </p>
      )}
      <ol class="stages" aria-live="polite">
        {stages.map((stage) => (
          <StageItem key={stage.stage} stage={stage} isRunning={isBusy} />
        ))}
      </ol>
    </section>
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
function StageItem({ stage: { stage, outcome, durationMs, detail, hint }, isRunning }: ItemProps) {
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

interface ItemProps {
  stage: Stage
  isRunning: boolean
}
