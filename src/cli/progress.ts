import type { CliEnvironment } from './output.ts'

const barWidth = 24
/** A person sees no more pictures than ten in a second. */
const drawEveryMs = 100

/**
 * A progress bar on standard error, on one line that is removed at the end. Only a terminal gets it. The libraries for it redraw by
 * timers and know many bars; one bar is these few lines.
 */
export class Progress {
  readonly #stderr: CliEnvironment['stderr']
  readonly #label: string
  #drawnAt = 0
  #isDrawn = false

  constructor(stderr: CliEnvironment['stderr'], label: string) {
    this.#stderr = stderr
    this.#label = label
  }

  /** Draws how much is done; without a total, only the number. */
  show(done: number, total?: number): void {
    if (this.#stderr.isTTY !== true) return
    const now = performance.now()
    if (this.#isDrawn && now - this.#drawnAt < drawEveryMs) return
    this.#drawnAt = now
    this.#isDrawn = true
    this.#stderr.write(
      `\r${this.#label}  ${total === undefined ? done : drawBar(done, total)}\x1B[K`,
    )
  }

  /** Removes the line. */
  end(): void {
    if (this.#isDrawn) this.#stderr.write('\r\x1B[K')
    this.#isDrawn = false
  }
}

function drawBar(done: number, total: number): string {
  const filled = total === 0 ? barWidth : Math.round((done / total) * barWidth)
  return `${'█'.repeat(filled)}${'░'.repeat(barWidth - filled)}  ${done} of ${total}`
}
