import { startStopwatch } from '../../../kit/clock.ts'
import type { Fault } from '../delivery/fault.ts'
import type { Redactor } from '../delivery/redactor.ts'
import type { Observer, Stage } from '../delivery/stage.ts'
import type { StageEvent, StageReport } from './test-report.ts'

interface RunningStage {
  readonly stage: Stage
  outcome: StageReport['outcome']
  durationMs: number
  detail: string
  hint: string | null
}

const transcriptLinesMax = 2000

/** Records the steps and the dialogue of one delivery, with secrets masked. */
export class StageRecorder implements Observer {
  readonly #redact: Redactor
  readonly #notify: (event: StageEvent) => void
  readonly #stages: RunningStage[] = []
  readonly #transcript: string[] = []
  #current: RunningStage | undefined
  #elapsedMs = startStopwatch()
  /** The finding of a step that reports none is its last reply. */
  #lastReply = ''

  constructor(redact: Redactor, notify: (event: StageEvent) => void = () => undefined) {
    this.#redact = redact
    this.#notify = notify
  }

  enter(stage: Stage): void {
    this.#leave()
    // EHLO is sent again after STARTTLS; both count as one step.
    const known = this.#stages.find((one) => one.stage === stage)
    this.#current = known ?? { stage, outcome: 'ok', durationMs: 0, detail: '', hint: null }
    if (known === undefined) this.#stages.push(this.#current)
    this.#elapsedMs = startStopwatch()
    this.#notify({ state: 'started', stage })
  }

  found(detail: string): void {
    if (this.#current !== undefined) this.#current.detail = this.#redact(detail)
  }

  sent(line: string): void {
    this.#write(`> ${line}`)
  }

  received(code: number, lines: readonly string[]): void {
    lines.forEach((line, index) => {
      const separator = index === lines.length - 1 ? ' ' : '-'
      this.#write(`< ${code === 0 ? line : `${code}${separator}${line}`}`)
    })
    this.#lastReply = this.#redact(`${code === 0 ? '' : code} ${lines.join(' ')}`.trim())
  }

  /** Records that the delivery failed in this step. */
  fail(fault: Fault): void {
    if (this.#current?.stage !== fault.stage) this.enter(fault.stage)
    if (this.#current === undefined) return
    this.#current.outcome = 'failed'
    this.#current.detail = fault.message
    this.#current.hint = fault.hint
    this.#leave()
  }

  /**
   * Returns the steps in the order in which they ran (STARTTLS comes after EHLO, implicit TLS before it). Steps of
   * `planned` that did not run are inserted as skipped.
   */
  report(planned: readonly Stage[], whySkipped: (stage: Stage) => string): StageReport[] {
    this.#leave()
    const reports = this.#stages.map((one): StageReport => ({ ...one }))
    for (const [rank, stage] of planned.entries()) {
      if (reports.some((one) => one.stage === stage)) continue
      const detail = whySkipped(stage)
      const skipped = { stage, outcome: 'skipped', durationMs: 0, detail, hint: null } as const
      const next = reports.findIndex((one) => planned.indexOf(one.stage) > rank)
      reports.splice(next === -1 ? reports.length : next, 0, skipped)
      this.#notify({ state: 'finished', ...skipped })
    }
    return reports
  }

  transcript(): string[] {
    return [...this.#transcript]
  }

  #leave(): void {
    const stage = this.#current
    if (stage === undefined) return
    stage.durationMs += this.#elapsedMs()
    if (stage.detail === '') stage.detail = this.#lastReply
    this.#lastReply = ''
    this.#current = undefined
    this.#notify({ state: 'finished', ...stage })
  }

  #write(line: string): void {
    if (this.#transcript.length < transcriptLinesMax) this.#transcript.push(this.#redact(line))
  }
}
