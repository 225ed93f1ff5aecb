import { signal } from '@preact/signals'
import { ask, type Schema } from '../lib/api.ts'
import { capitalize } from '../words/records.ts'
import { brandName } from './brands.tsx'

type Report = Schema<'HealthReport'>

/** The severities of findings, the worst first. */
export const severities = {
  problem: { label: 'Problem', tone: 'bad' },
  warning: { label: 'Warning', tone: 'warn' },
  ok: { label: 'Good', tone: 'good' },
} as const

/** What a finding is about, and whose it is. */
export function titleOfFinding({ check, brand }: Report['findings'][number]): string {
  return brand === undefined ? capitalize(check) : `${capitalize(check)} · ${brandName(brand)}`
}

/** The findings of the last examination that are not in order. Undefined until one was made. */
export const openFindings = signal<Report['findings'] | undefined>()

const keptMs = 5 * 60_000
let readAt = Number.NEGATIVE_INFINITY

/** Examines the running Mailyard; the menu and the overview then show what was found. */
export async function examine(options: {
  signal?: AbortSignal
  isBackground?: boolean
}): Promise<Report> {
  const { body } = await ask('GET', '/api/health/findings', options)
  readAt = performance.now()
  const { problem = [], warning = [] } = Object.groupBy(body.findings, ({ severity }) => severity)
  openFindings.value = [...problem, ...warning]
  return body
}

/** Examines it unless that was done in the last minutes: it is work for the server. */
export async function readFindings(): Promise<void> {
  if (performance.now() - readAt >= keptMs) await examine({ isBackground: true })
}
