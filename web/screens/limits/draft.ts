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
export interface Draft {
  name: string
  description: string
  transports: readonly number[]
  perSecond: string
  perMinute: string
  perHour: string
  perDay: string
  perMonth: string
  connectionsMax: string
  hasWarmUp: boolean
  startDate: string
  firstDay: string
  growthPercent: string
  overflow: Limit['overflow']
  isPublished: boolean
}

export function emptyDraft(): Draft {
  return {
    name: '',
    description: '',
    transports: [],
    perSecond: '',
    perMinute: '',
    perHour: '',
    perDay: '',
    perMonth: '',
    connectionsMax: '',
    hasWarmUp: false,
    startDate: new Date().toISOString().slice(0, 10),
    firstDay: '200',
    growthPercent: '50',
    overflow: 'queue',
    isPublished: true,
  }
}

export function draftOf(limit: Limit): Draft {
  const { name, description, transports, warmUp, overflow, isPublished } = limit
  const empty = emptyDraft()
  const numbers = rates.map((rate) => [rate, limit[rate] === null ? '' : String(limit[rate])])
  return {
    ...empty,
    ...(Object.fromEntries(numbers) as Pick<Draft, (typeof rates)[number]>),
    ...{ name, description: description ?? '', transports, overflow, isPublished },
    hasWarmUp: warmUp !== null,
    startDate: warmUp?.startDate ?? empty.startDate,
    firstDay: warmUp === null ? empty.firstDay : String(warmUp.firstDay),
    growthPercent: warmUp === null ? empty.growthPercent : String(warmUp.growthPercent),
  }
}

export const readNumber = (text: string) => (text.trim() === '' ? null : Number(text))

/** The warm-up of a draft; undefined unless all of its values are numbers. */
export function warmUpOf({ startDate, firstDay, growthPercent }: Draft) {
  const [first, growth] = [readNumber(firstDay), readNumber(growthPercent)]
  if (first === null || growth === null || Number.isNaN(first + growth)) return undefined
  return { startDate, firstDay: first, growthPercent: growth }
}

export function inputOf(draft: Draft) {
  const { name, description, transports, overflow, isPublished, hasWarmUp } = draft
  return {
    ...{ name, description: description || null, overflow, isPublished },
    transports: [...transports],
    perSecond: readNumber(draft.perSecond),
    perMinute: readNumber(draft.perMinute),
    perHour: readNumber(draft.perHour),
    perDay: readNumber(draft.perDay),
    perMonth: readNumber(draft.perMonth),
    connectionsMax: readNumber(draft.connectionsMax),
    warmUp: hasWarmUp ? (warmUpOf(draft) ?? null) : null,
  }
}
