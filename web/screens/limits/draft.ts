import type { Schema } from '../../lib/api.ts'

export type Limit = Schema<'Limit'>

export const rates = [
  'perSecond',
  'perMinute',
  'perHour',
  'perDay',
  'perMonth',
  'connectionsMax',
] as const

/** A limit as its form has it: numbers are texts. */
export interface Draft extends Record<(typeof rates)[number], string> {
  name: string
  description: string
  transports: readonly number[]
  hasWarmUp: boolean
  startDate: string
  firstDay: string
  growthPercent: string
  overflow: Limit['overflow']
  isPublished: boolean
}

export function draftOf(limit: Limit | undefined): Draft {
  const numbers = rates.map((rate) => [rate, String(limit?.[rate] ?? '')])
  return {
    name: limit?.name ?? '',
    description: limit?.description ?? '',
    transports: limit?.transports ?? [],
    ...(Object.fromEntries(numbers) as Pick<Draft, (typeof rates)[number]>),
    hasWarmUp: limit !== undefined && limit.warmUp !== null,
    startDate: limit?.warmUp?.startDate ?? new Date().toISOString().slice(0, 10),
    firstDay: String(limit?.warmUp?.firstDay ?? 200),
    growthPercent: String(limit?.warmUp?.growthPercent ?? 50),
    overflow: limit?.overflow ?? 'queue',
    isPublished: limit?.isPublished ?? true,
  }
}

export const readNumber = (text: string) => (text.trim() === '' ? null : Number(text))

/** The warm-up of a draft; null unless it has one, and all of its values are numbers. */
export function warmUpOf({ hasWarmUp, startDate, firstDay, growthPercent }: Draft) {
  const [first, growth] = [readNumber(firstDay), readNumber(growthPercent)]
  if (!hasWarmUp || first === null || growth === null || Number.isNaN(first + growth)) return null
  return { startDate, firstDay: first, growthPercent: growth }
}

export function inputOf(draft: Draft) {
  const { name, description, transports, overflow, isPublished } = draft
  return {
    name,
    description: description || null,
    transports: [...transports],
    ...Object.fromEntries(rates.map((rate) => [rate, readNumber(draft[rate])])),
    warmUp: warmUpOf(draft),
    overflow,
    isPublished,
  }
}
