import { startStopwatch } from '../../kit/clock.ts'
import { type Place, TwigError } from './errors.ts'

/**
 * The limits of a render. Exceeding one throws a `TwigError` of kind `limit`.
 *
 * @example
 * ```ts
 * const limits: Partial<Limits> = { outputLength: 100_000, timeMs: 50 }
 * createTwig({ limits }).renderSource('Hello!')
 * ```
 */
export interface Limits {
  /** Units of work of about 0.1 µs: expressions, elements walked, characters read. */
  steps: number
  /** Characters of the output, and of each captured text. */
  outputLength: number
  /** Bytes of everything that a render creates, including what it has already released. */
  allocationBytes: number
  /** How deep templates, blocks, macros and arrow functions may call each other. */
  depth: number
  /** Characters of one template source. */
  sourceLength: number
  /** Tokens (names, operators, texts) of all templates that a render uses. */
  sourceTokens: number
  /**
   * Processor time of the thread, for single steps that take unexpectedly long. The measurement
   * starts after some hundred steps, so small emails are not measured. Time spent waiting for other
   * processes does not count.
   */
  timeMs: number
}

/**
 * The default limits. A typical email of 3 KB takes about 700 steps and 600 tokens.
 *
 * @example
 * ```ts
 * const twig = createTwig({ limits: { steps: defaultLimits.steps * 2 } })
 * ```
 */
export const defaultLimits: Limits = {
  steps: 500_000,
  outputLength: 5_000_000,
  allocationBytes: 32_000_000,
  depth: 100,
  sourceLength: 1_000_000,
  sourceTokens: 20_000,
  timeMs: 100,
}

/** The clock is read after this many steps. */
const stepsPerClockRead = 500
/** One step pays for this many characters that are copied, or that are examined one by one. */
const copiedPerStep = 64
const examinedPerStep = 8
/** The cost of calling a template, block, macro or arrow function. */
const callSteps = 5
/** V8 stores strings beyond Latin-1 with two bytes per character. */
const bytesPerCharacter = 2
/** The size of a collection element in a V8 Map. */
const bytesPerElement = 48

/**
 * The remaining budget of one render. Code charges its work and memory here before it uses them.
 */
export class Budget {
  private readonly limits: Limits
  /** Measures the time, and the processor time of the thread, since they were first read. */
  private started: { readonly elapsedMs: () => number; readonly work: NodeJS.CpuUsage } | undefined
  /** The processor time of work that does not belong to the template. */
  private untimedMs = 0
  /** The steps left before the clock is read again. */
  private fuel: number
  private stepsLeft: number
  private bytesLeft: number
  private tokensLeft: number
  private depth = 0

  constructor(limits: Limits) {
    this.limits = limits
    this.fuel = Math.min(stepsPerClockRead, limits.steps)
    this.stepsLeft = limits.steps - this.fuel
    this.bytesLeft = limits.allocationBytes
    this.tokensLeft = limits.sourceTokens
  }

  /** Charges steps of work. */
  spend(steps: number, place?: Place): void {
    this.fuel -= steps
    // Not `< 0`: a count that overflowed to NaN must fail as well.
    if (!(this.fuel >= 0)) this.refuel(place)
  }

  /** Charges for reading or copying characters with native code. */
  spendOnText(length: number): void {
    this.spend(1 + length / copiedPerStep)
  }

  /** Charges for examining characters one by one. */
  spendOnCharacters(length: number): void {
    this.spend(1 + length / examinedPerStep)
  }

  /** Charges for the memory and the writing of a string. */
  allocateText(length: number): void {
    this.allocate(length * bytesPerCharacter)
    this.spendOnText(length)
  }

  /** Charges for the memory and the filling of a collection. */
  allocateElements(count: number): void {
    this.allocate(count * bytesPerElement)
    this.spend(1 + count)
  }

  /** Charges memory before it is used. */
  allocate(bytes: number): void {
    this.bytesLeft -= bytes
    if (!(this.bytesLeft >= 0))
      throw this.exhausted('allocated more than', 'allocationBytes', 'bytes')
  }

  /** Charges the tokens of a template that the render uses. */
  chargeTokens(count: number): void {
    this.tokensLeft -= count
    if (!(this.tokensLeft >= 0))
      throw this.exhausted('used templates with more than', 'sourceTokens', 'tokens')
  }

  /** Enters a call. `leave` ends it. */
  enter(place: Place): void {
    this.spend(callSteps, place)
    if (++this.depth > this.limits.depth) {
      throw this.exhausted('nested deeper than', 'depth', 'calls').at(place)
    }
  }

  leave(): void {
    this.depth--
  }

  /** Creates the error for output or a capture that is too long. */
  outputTooLong(): TwigError {
    return this.exhausted('printed more than', 'outputLength', 'characters')
  }

  /**
   * Runs work that does not belong to the template, such as loading a library, without charging its
   * time.
   */
  untimed<T>(work: () => T): T {
    const usage = process.threadCpuUsage()
    try {
      return work()
    } finally {
      if (this.started !== undefined) this.untimedMs += workMsSince(usage)
    }
  }

  private refuel(place: Place | undefined): void {
    this.stepsLeft += this.fuel
    if (!(this.stepsLeft >= 0))
      throw placed(this.exhausted('took more than', 'steps', 'steps'), place)
    if (this.isOutOfTime()) {
      throw placed(this.exhausted('took longer than', 'timeMs', 'ms'), place)
    }
    this.fuel = Math.min(stepsPerClockRead, this.stepsLeft)
    this.stepsLeft -= this.fuel
  }

  /**
   * Time spent waiting for the machine does not count. When the elapsed time exceeds the limit, the
   * processor time decides.
   */
  private isOutOfTime(): boolean {
    this.started ??= { elapsedMs: startStopwatch(), work: process.threadCpuUsage() }
    if (this.started.elapsedMs() <= this.limits.timeMs) return false
    return workMsSince(this.started.work) - this.untimedMs > this.limits.timeMs
  }

  private exhausted(action: string, limit: keyof Limits, unit: string): TwigError {
    return new TwigError('limit', `The template ${action} ${this.limits[limit]} ${unit}.`)
  }
}

function workMsSince(usage: NodeJS.CpuUsage): number {
  const { user, system } = process.threadCpuUsage(usage)
  return (user + system) / 1_000
}

function placed(error: TwigError, place: Place | undefined): TwigError {
  return place === undefined ? error : error.at(place)
}
