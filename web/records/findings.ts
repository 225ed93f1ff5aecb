import { signal } from '@preact/signals'
import { ask, type Schema } from '../lib/api.ts'

type Finding = Schema<'HealthReport'>['findings'][number]

/** What is kept in mind of the last examination: what is not in order. Undefined until it was read. */
export const openFindings = signal<readonly Finding[] | undefined>()

const keptMs = 5 * 60_000
let readAt = Number.NEGATIVE_INFINITY

/** Examines the running Mailyard, unless that was done in the last minutes: it is work for the server. */
export async function readFindings(): Promise<void> {
  if (performance.now() - readAt < keptMs) return
  readAt = performance.now()
  const { findings } = (await ask('GET', '/api/health/findings', { isBackground: true })).body
  openFindings.value = findings.filter(({ severity }) => severity !== 'ok')
}
