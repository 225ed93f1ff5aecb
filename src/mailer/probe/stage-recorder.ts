import type { Fault } from '../delivery/fault.ts'
import type { Observer } from '../delivery/observer.ts'
import type { Redactor } from '../delivery/redactor.ts'
import type { Stage } from '../delivery/stage.ts'
import type { StageReport } from './test-report.ts'

interface RunningStage {
  readonly stage: Stage
  outcome: StageReport['outcome']
  durationMs: number
  detail: string
  hint: string | null
}

const transcriptLinesMax = 2000

/** Watches one delivery and keeps its steps and its dialogue, without secrets. */
export class StageRecorder implements Observer {
  readonly #redact: Redactor
  readonly #stages: RunningStage[] = []
  readonly #transcript: string[] = []
  #current: RunningStage | undefined
  #enteredAt = 0
  /** The last reply of a step stands for its finding where there is no other. */
  #lastReply = ''

  constructor(redact: Redactor) {
    this.#redact = redact
  }

  enter(stage: Stage): void {
    this.#leave()
    // EHLO runs again after STARTTLS: it is still one step.
    const known = this.#stages.find((one) => one.stage === stage)
    this.#current = known ?? { stage, outcome: 'ok', durationMs: 0, detail: '', hint: null }
    if (known === undefined) this.#stages.push(this.#current)
    this.#enteredAt = performance.now()
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

  /** The delivery ended in this step. */
  fail(fault: Fault): void {
    if (this.#current?.stage !== fault.stage) this.enter(fault.stage)
    if (this.#current === undefined) return
    this.#current.outcome = 'failed'
    this.#current.detail = fault.message
    this.#current.hint = fault.hint
    this.#leave()
  }

  /**
   * The steps in the order in which they ran (STARTTLS comes after EHLO, implicit TLS before it), and
   * between them those of `planned` that did not.
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
    }
    return reports
  }

  transcript(): string[] {
    return [...this.#transcript]
  }

  #leave(): void {
    const stage = this.#current
    if (stage === undefined) return
    stage.durationMs += performance.now() - this.#enteredAt
    if (stage.detail === '') stage.detail = this.#lastReply
    this.#lastReply = ''
    this.#current = undefined
  }

  #write(line: string): void {
    if (this.#transcript.length < transcriptLinesMax) this.#transcript.push(this.#redact(line))
  }
}
