import { useEffect } from 'preact/hooks'
import { Button } from '../../design/button.tsx'
import { HelpLink, Notice } from '../../design/feedback.tsx'
import { Card } from '../../design/page.tsx'
import { StageItem } from '../../design/stage-item.tsx'
import type { Body } from '../../lib/api.ts'
import { can } from '../../lib/session.ts'
import { useStages } from '../../lib/use-stages.ts'
import { capitalize } from '../../words/records.ts'

const text = {
  title: 'Check',
  help: 'Asks Mautic for everything that Mailyard needs. It changes nothing there.',
  run: 'Check now',
} as const

type CheckResult = Body<'POST', '/api/mautics/{id}/check'>
/** A stage of a check; without an outcome while it runs. */
type Stage = Pick<CheckResult['stages'][number], 'stage'> & Partial<CheckResult['stages'][number]>

const nameOf = ({ stage }: Stage) =>
  stage === 'authenticate' ? 'Log in' : capitalize(stage.replaceAll('-', ' '))

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
  const run = useStages<Stage, CheckResult>(({ stage }) => stage)
  const { stages, result, fault, isBusy } = run
  const check = () => run.start(`/api/mautics/${id}/check`)
  const isLogin = stages.some((each) => each.stage === 'authenticate' && each.outcome === 'failed')
  useEffect(() => {
    if (isAutomatic) void check()
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
          {!result.success && <CheckHelp isLogin={isLogin} />}
        </Notice>
      )}
      <ol class="stages" aria-live="polite">
        {stages.map((stage) => (
          <StageItem key={stage.stage} name={nameOf(stage)} stage={stage} isRunning={isBusy} />
        ))}
      </ol>
    </Card>
  )
}

/** The task that says what to do where a check has failed. `isLogin`: the log-in was refused. */
export function CheckHelp({ isLogin }: { isLogin: boolean }) {
  return <HelpLink page={isLogin ? 'a-password-stops-working' : 'connect-a-mautic'} />
}
