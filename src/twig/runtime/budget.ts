import { TwigError } from '../errors/twig-error.ts'
import type { Place } from '../syntax/place.ts'
import type { Limits } from './limits.ts'

/** After so many steps the clock is read. */
const slice = 20_000
/** So many characters read or copied count as one step. */
const charactersAStep = 64
/** What a value in a collection takes, as V8 lays out a Map. */
const bytesAnElement = 48

/** What one render has left. Whoever is about to work or to take memory asks first. */
export class Budget {
  private readonly limits: Limits
  private readonly deadlineMs: number
  /** Steps left before the clock is read again. */
  private fuel: number
  private stepsLeft: number
  private bytesLeft: number
  private depth = 0

  constructor(limits: Limits) {
    this.limits = limits
    this.fuel = Math.min(slice, limits.steps)
    this.stepsLeft = limits.steps - this.fuel
    this.bytesLeft = limits.allocationBytes
    this.deadlineMs = performance.now() + limits.timeMs
  }

  /** Asks for so many steps of work. */
  spend(steps: number, place?: Place): void {
    this.fuel -= steps
    // Not `< 0`: a count that overflowed to NaN must not slip through.
    if (!(this.fuel >= 0)) this.refuel(place)
  }

  /** Asks for the time to read so many characters. */
  spendOnText(length: number): void {
    this.spend(1 + length / charactersAStep)
  }

  /** Asks for the memory of a text of so many characters, and for the time to write them. */
  allocateText(length: number): void {
    this.allocate(length)
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

  /** Goes one call deeper; `leave` comes back. */
  enter(place: Place): void {
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
    if (performance.now() > this.deadlineMs) {
      throw placed(this.exhausted('took longer than', 'timeMs', 'ms'), place)
    }
    this.fuel = Math.min(slice, this.stepsLeft)
    this.stepsLeft -= this.fuel
  }

  private exhausted(deed: string, limit: keyof Limits, unit: string): TwigError {
    return new TwigError('limit', `The template ${deed} ${this.limits[limit]} ${unit}.`)
  }
}

function placed(error: TwigError, place: Place | undefined): TwigError {
  return place === undefined ? error : error.at(place)
}
