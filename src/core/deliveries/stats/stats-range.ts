import type { CountRange } from './read-counts.ts'

/** The lengths of a step. Each divides the next, and 1d is a day in UTC. */
export const steps = {
  '1m': 60_000,
  '5m': 300_000,
  '15m': 900_000,
  '1h': 3_600_000,
  '6h': 21_600_000,
  '1d': 86_400_000,
} as const

export type Step = keyof typeof steps
export const stepNames = Object.keys(steps) as Step[]

/** The most points of a series. */
export const pointsMax = 1_000
/** The most points of a step that was not asked for: as many as a small chart can show. */
const goodPointsMax = 200

/** The step of some statistics, and the range that it divides. */
export interface StatsRange extends CountRange {
  step: Step
}

/** Extends a time to whole steps. Without a step, it is the shortest that makes a chart of at most 200 points. */
export function chooseRange(from: number, to: number, wanted: Step | undefined): StatsRange {
  const fits = (step: Step) => pointsOf(extend(from, to, step)) <= goodPointsMax
  return extend(from, to, wanted ?? stepNames.find(fits) ?? '1d')
}

/** The number of points of a range. */
export function pointsOf({ from, to, stepMs }: CountRange): number {
  return (to - from) / stepMs
}

/** Finds the shortest step that divides a range into few enough points; undefined if none does. */
export function findPossibleStep({ from, to }: CountRange): Step | undefined {
  return stepNames.find((step) => pointsOf(extend(from, to, step)) <= pointsMax)
}

function extend(from: number, to: number, step: Step): StatsRange {
  const stepMs = steps[step]
  return {
    step,
    stepMs,
    from: Math.floor(from / stepMs) * stepMs,
    to: Math.ceil(to / stepMs) * stepMs,
  }
}
