import { within } from '../kit/within.ts'
import type { Finding, FindingAction } from './schema.ts'

/** What is wrong, and what helps. */
interface Advice {
  detail: string
  fix: string
  command?: string
  actions?: FindingAction[]
}

export function good(check: string, detail: string): Finding {
  return { check, severity: 'ok', detail, fix: null, command: null, actions: [] }
}

export function doubtful(check: string, advice: Advice): Finding {
  return { check, severity: 'warning', command: null, actions: [], ...advice }
}

export function bad(check: string, advice: Advice): Finding {
  return { check, severity: 'problem', command: null, actions: [], ...advice }
}

/** A check that takes longer is left out, with a finding that says so. */
const checkMs = 5_000

export async function atMost(check: string, findings: Promise<Finding[]>): Promise<Finding[]> {
  const detail = `It was not finished after ${checkMs / 1_000} s.`
  return (
    (await within(checkMs, findings)) ?? [
      doubtful(check, { detail, fix: 'Read the report again later.' }),
    ]
  )
}

/** How many records a finding names. */
export const namedMax = 10

/** Returns an action for each record that a finding names. */
export function actionsOn(
  action: FindingAction['action'],
  records: readonly { id: number; name: string | null }[],
): FindingAction[] {
  return records.slice(0, namedMax).map(({ id, name }) => ({ action, id, name }))
}

/** An action that is not about one record. */
export function actionOf(action: FindingAction['action']): FindingAction[] {
  return [{ action, id: null, name: null }]
}

/** Writes an ISO 8601 time for people: `2026-01-31 15:54 UTC`. */
export function minuteOf(iso: string): string {
  return `${iso.slice(0, 16).replace('T', ' ')} UTC`
}

/** Writes since when something goes on, after a blank; nothing for null. */
export function since(iso: string | null): string {
  return iso === null ? '' : ` since ${minuteOf(iso)}`
}

/** Writes a count with thousands separated: `12,345`. */
export function formatCount(count: number): string {
  return count.toLocaleString('en-US')
}

/** Lists parts of a sentence, a line for each: the last one says how many more there are. */
export function listed(parts: readonly string[], separator = ';\n'): string {
  const more = parts.length - namedMax
  return [...parts.slice(0, namedMax), ...(more > 0 ? [`${more} more`] : [])].join(separator)
}

/** Joins sentences, a line for each: the last one says how many others there are. */
export function joined(sentences: readonly string[]): string {
  const more = sentences.length - namedMax
  const others = more > 0 ? [`${more} ${more === 1 ? 'other' : 'others'} too.`] : []
  return [...sentences.slice(0, namedMax), ...others].join('\n')
}
