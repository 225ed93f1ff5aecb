import type { Schema } from '../../lib/api.ts'
import { brandDraft, brandInput } from '../../lib/brand.ts'

export type Limit = Schema<'Limit'>

export const rates = [
  'perSecond',
  'perMinute',
  'perHour',
  'perDay',
  'perMonth',
  'connectionsMax',
] as const

export type Draft = ReturnType<typeof draftOf>

/** Numbers are texts in the form. */
export function draftOf(limit: Limit | undefined) {
  const numbers = rates.map((rate) => [rate, String(limit?.[rate] ?? '')])
  const transports: readonly number[] = limit?.transports ?? []
  return {
    name: limit?.name ?? '',
    description: limit?.description ?? '',
    transports,
    brand: brandDraft(limit),
    ...(Object.fromEntries(numbers) as Record<(typeof rates)[number], string>),
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
  const { name, description, transports, brand, overflow, isPublished } = draft
  return {
    name,
    description: description || null,
    transports: [...transports],
    ...brandInput(brand),
    ...Object.fromEntries(rates.map((rate) => [rate, readNumber(draft[rate])])),
    warmUp: warmUpOf(draft),
    overflow,
    isPublished,
  }
}
