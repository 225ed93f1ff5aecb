import { TwigError } from '../errors/twig-error.ts'
import type { Place } from '../syntax/place.ts'
import type { Meter } from '../values/meter.ts'
import type { Limits } from './limits.ts'

/** After so many steps the clock is read. */
const slice = 500
/** So many characters read or copied count as one step, and so many looked at one by one. */
const copiedAStep = 64
const lookedAtAStep = 8
/** A call of a template, block, macro or arrow function. */
const callSteps = 5
/** V8 holds texts beyond Latin-1 in two bytes a character. */
const bytesACharacter = 2
/** What a value in a collection takes, as V8 lays out a Map. */
const bytesAnElement = 48

/** What one render has left. Whoever is about to work or to take memory asks first. */
export class Budget implements Meter {
  private readonly limits: Limits
  /** When the clocks were first read: that of the wall, and that of the thread's work. */
  private started: { readonly wallMs: number; readonly work: NodeJS.CpuUsage } | undefined
  /** Steps left before the clock is read again. */
  private fuel: number
  private stepsLeft: number
  private bytesLeft: number
  private tokensLeft: number
  private depth = 0

  constructor(limits: Limits) {
    this.limits = limits
    this.fuel = Math.min(slice, limits.steps)
    this.stepsLeft = limits.steps - this.fuel
    this.bytesLeft = limits.allocationBytes
    this.tokensLeft = limits.sourceTokens
    this.started = undefined
  }

  /** Asks for so many steps of work. */
  spend(steps: number, place?: Place): void {
    this.fuel -= steps
    // Not `< 0`: a count that overflowed to NaN must not slip through.
    if (!(this.fuel >= 0)) this.refuel(place)
  }

  /** Asks for the time to read or copy so many characters, as the engine below does it. */
  spendOnText(length: number): void {
    this.spend(1 + length / copiedAStep)
  }

  /** Asks for the time to look at so many characters one by one. */
  spendOnCharacters(length: number): void {
    this.spend(1 + length / lookedAtAStep)
  }

  /** Asks for the memory of a text of so many characters, and for the time to write them. */
  allocateText(length: number): void {
    this.allocate(length * bytesACharacter)
    this.spendOnText(length)
  }

  /** Asks for a collection of so many elements, and for the time to fill it. */
  allocateElements(count: number): void {
    this.allocate(count * bytesAnElement)
    this.spend(1 + count)
  }

  /** Asks for so many bytes before they are taken. */
  allocate(bytes: number): void {
    this.bytesLeft -= bytes
    if (!(this.bytesLeft >= 0))
      throw this.exhausted('allocated more than', 'allocationBytes', 'bytes')
  }

  /** Asks for a template of so many tokens, which have to be compiled. */
  takeTokens(count: number): void {
    this.tokensLeft -= count
    if (!(this.tokensLeft >= 0))
      throw this.exhausted('came to templates of more than', 'sourceTokens', 'tokens')
  }

  /** Goes one call deeper; `leave` comes back. */
  enter(place: Place): void {
    this.spend(callSteps, place)
    if (++this.depth > this.limits.depth) {
      throw this.exhausted('nested deeper than', 'depth', 'calls').at(place)
    }
  }

  leave(): void {
    this.depth--
  }

  /** Checks a text that grows: the output, or a capture. */
  outputTooLong(): TwigError {
    return this.exhausted('printed more than', 'outputLength', 'characters')
  }

  private refuel(place: Place | undefined): void {
    this.stepsLeft += this.fuel
    if (!(this.stepsLeft >= 0))
      throw placed(this.exhausted('took more than', 'steps', 'steps'), place)
    if (this.isOutOfTime()) {
      throw placed(this.exhausted('took longer than', 'timeMs', 'ms'), place)
    }
    this.fuel = Math.min(slice, this.stepsLeft)
    this.stepsLeft -= this.fuel
  }

  /** Waiting for the machine is no fault of the template: where the wall says so, its work is counted. */
  private isOutOfTime(): boolean {
    const wallMs = performance.now()
    this.started ??= { wallMs, work: process.threadCpuUsage() }
    if (wallMs - this.started.wallMs <= this.limits.timeMs) return false
    const { user, system } = process.threadCpuUsage(this.started.work)
    return (user + system) / 1_000 > this.limits.timeMs
  }

  private exhausted(deed: string, limit: keyof Limits, unit: string): TwigError {
    return new TwigError('limit', `The template ${deed} ${this.limits[limit]} ${unit}.`)
  }
}

function placed(error: TwigError, place: Place | undefined): TwigError {
  return place === undefined ? error : error.at(place)
}
