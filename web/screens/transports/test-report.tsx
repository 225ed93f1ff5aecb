import { useEffect, useRef, useState } from 'preact/hooks'
import { Button } from '../../design/button.tsx'
import { HelpLink, Notice } from '../../design/feedback.tsx'
import { type FieldControl, reveal } from '../../design/field.tsx'
import { StageItem } from '../../design/stage-item.tsx'
import type { Body } from '../../lib/api.ts'
import { senderHref } from '../../records/sender-domain.ts'
import { AlignmentBadge, AlignmentDetails, alignmentTones } from '../../records/senders.tsx'
import { alignmentWords } from '../../words/alignment.ts'
import type { TaskName } from '../../words/tasks.ts'
import { transportWords } from '../../words/transports.ts'

const { test: texts } = transportWords

/** Returns the task that helps with a failed test: an access token is refused where it is requested, or at the log-in. */
function taskOf({ stages }: TestResult): TaskName {
  const login = stages.find(
    ({ stage, outcome }) => outcome === 'failed' && (stage === 'token' || stage === 'auth'),
  )
  if (login === undefined) return 'a-provider-is-down'
  return stages.some(({ stage, member }) => stage === 'token' && member === login.member)
    ? 'move-to-oauth'
    : 'a-password-stops-working'
}

interface TestReportProps {
  /** Undefined while the test runs. */
  result: TestResult | undefined
  stages?: readonly Stage[]
  isRunning?: boolean
  message?: string | undefined
}

/** The report on a test: what failed and what to do, and each stage. */
export function TestReport({
  result,
  stages = result?.stages ?? [],
  isRunning = false,
  message = result && testMessageOf(result),
}: TestReportProps) {
  return (
    <>
      {result !== undefined && <Notice tone={result.success ? 'good' : 'bad'}>{message}</Notice>}
      {result?.alignment != null && (
        <Notice tone={alignmentTones[result.alignment.verdict]}>{result.alignment.sentence}</Notice>
      )}
      {result?.success === false && (
        <p class="small">
          <HelpLink page={taskOf(result)} />
        </p>
      )}
      <ol class="stages" aria-live="polite">
        {foldSkipped(stages).map(({ stage, name }) => (
          <StageItem
            key={stageKey(stage)}
            name={name}
            stage={{ ...stage, hint: null }}
            isRunning={isRunning}
            note={stage.member && <span class="quiet small mono">{stage.member}</span>}
            tools={stage.hint && <Repair stage={stage} />}
          />
        ))}
      </ol>
      {result?.alignment != null && <Alignment alignment={result.alignment} />}
      {result?.transcript !== undefined && result.transcript.length > 0 && (
        <details>
          <summary>{texts.transcript}</summary>
          <pre>{result.transcript.join('\n')}</pre>
        </details>
      )}
    </>
  )
}

/** Why receivers will believe the sender of the test message or not, and what to publish. */
function Alignment({ alignment }: { alignment: NonNullable<TestResult['alignment']> }) {
  const { domain, verdict } = alignment
  return (
    <section class="stack" aria-label={alignmentWords.title}>
      <div class="row">
        <h3>{alignmentWords.title}</h3>
        <AlignmentBadge verdict={verdict} />
      </div>
      <p class="small">
        <a href={senderHref(domain)}>{alignmentWords.open(domain)}</a>
      </p>
      <AlignmentDetails domain={domain} alignment={alignment} />
    </section>
  )
}

/** Stages in a row that were skipped for the same reason are shown as one. */
function foldSkipped(stages: readonly Stage[]) {
  const folded: { stage: Stage; name: string }[] = []
  for (const stage of stages) {
    const name = texts.stages[stage.stage]
    const last = folded.at(-1)
    const isAlike =
      stage.outcome === 'skipped' &&
      last?.stage.outcome === 'skipped' &&
      last.stage.member === stage.member &&
      last.stage.detail === stage.detail
    if (isAlike) last.name += `, ${name}`
    else folded.push({ stage, name })
  }
  return folded
}

export type TestResult = Body<'POST', '/api/multipleTransports/send/test'>
/** A stage of a test; without an outcome while it runs. */
export type Stage = Pick<TestResult['stages'][number], 'stage' | 'member'> &
  Partial<TestResult['stages'][number]>

/** Tells the stages of a test apart. */
export const stageKey = ({ stage, member }: Stage) => `${member ?? ''} ${stage}`

/** The fields that a stage of a test depends on, the likeliest first; without one of them, the DSN. */
const fieldsOf: Partial<Record<Stage['stage'], readonly string[]>> = {
  resolve: ['host', 'region'],
  connect: ['port', 'host', 'region'],
  tls: ['host', 'port'],
  greeting: ['host', 'port'],
  token: ['password', 'key', 'refreshToken', 'user'],
  auth: ['password', 'user'],
  sender: ['testedEmailFrom'],
  recipient: ['to'],
  request: ['user', 'password', 'host'],
}

/** How to repair a failed stage, and a button that leads to the field that it is about, where there is one. */
function Repair({ stage }: { stage: Stage }) {
  const ref = useRef<HTMLParagraphElement>(null)
  const [field, setField] = useState<FieldControl>()
  useEffect(() => setField(ref.current ? findField(stage, ref.current) : undefined), [stage])
  // The form of a provider has no field for its host.
  const isOfHost = field === undefined || field.closest('[data-field$="host"]') !== null
  return (
    <p ref={ref} class="small">
      {(stage.stage !== 'resolve' || isOfHost) && stage.hint}{' '}
      {field !== undefined && (
        <Button kind="plain" onClick={() => reveal(field)}>
          {texts.goTo(field.labels?.[0]?.textContent ?? texts.theField)}
        </Button>
      )}
    </p>
  )
}

/** Finds the field that a failed stage is about, in the same form or page; of the member that failed, in a list. */
function findField({ stage, member }: Stage, near: HTMLElement): FieldControl | undefined {
  const root = near.closest('dialog, main') ?? document.body
  return [...(fieldsOf[stage] ?? []), 'dsn']
    .map((name) => {
      const found = [...root.querySelectorAll(`[data-field="${name}"], [data-field$=".${name}"]`)]
      const area = found.find((each) => isOfMember(each, member)) ?? found[0]
      return area?.querySelector<FieldControl>('input, select, textarea')
    })
    .find((control) => control != null)
}

/** Whether a field stands in the form of a member, such as `smtp://mail.example.com:587`. */
function isOfMember(area: Element, member: string | undefined): boolean {
  const host = area
    .closest('.members > li')
    ?.querySelector<HTMLInputElement>('[data-field$=".host"] input')
  return member !== undefined && host != null && host.value !== '' && member.includes(host.value)
}

/** The message of a test without the sentence about its sender, which a screen shows apart. */
function testMessageOf({ message, alignment }: TestResult): string {
  return message.replace(alignment?.sentence ?? '', '').trimEnd()
}
