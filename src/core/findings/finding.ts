import { type Caller, noBrand, type OfBrand, owns } from '../../kit/caller.ts'
import { within } from '../../kit/within.ts'
import { brandData } from '../published/index.ts'
import type { Finding, FindingAction, ShownFinding } from './finding-schema.ts'

/** What is wrong, and what helps. */
interface Advice {
  detail: string
  shared?: string
  fix: string
  command?: string
  actions?: FindingAction[]
  since?: string | null
  until?: string | null
}

const none = { command: null, actions: [], since: null, until: null }

export function good(check: string, detail: string): Finding {
  return { check, severity: 'ok', detail, fix: null, ...none }
}

export function doubtful(check: string, advice: Advice): Finding {
  return { check, severity: 'warning', ...none, ...advice }
}

export function bad(check: string, advice: Advice): Finding {
  return { check, severity: 'problem', ...none, ...advice }
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

/** Makes a finding of each of the first items of each brand; the last one says how many others there are. */
export function findEach<Item>(
  items: readonly Item[],
  describe: (item: Item) => Finding,
): Finding[] {
  const byBrand = Map.groupBy(items.map(describe), ({ brand }) => brand)
  return [...byBrand.values()].flatMap((all) => {
    const more = all.length - namedMax
    const last = all[namedMax - 1]
    if (last === undefined || more <= 0) return all
    const detail = `${last.detail} And ${formatCount(more)} more.`
    return [...all.slice(0, namedMax - 1), { ...last, detail }]
  })
}

/** Makes a finding of the rows of each brand. */
export function findByBrand<Row extends OfBrand>(
  rows: readonly Row[],
  describe: (rows: readonly Row[]) => Finding,
): Finding[] {
  const byBrand = Map.groupBy(rows, ({ brand_id: brand }) => brand)
  return [...byBrand].map(([brand, own]) => ({ ...describe(own), ...brandData(brand) }))
}

/** Returns what a caller is shown: with brands, what is about these, and what all brands may know. */
export function findingsFor(
  findings: readonly Finding[],
  caller: Pick<Caller, 'brands'>,
): ShownFinding[] {
  return findings.flatMap(({ shared, ...each }) => {
    if (owns(caller, each.brand ?? noBrand)) return [each]
    return each.brand === undefined && shared !== undefined ? [{ ...each, detail: shared }] : []
  })
}

/** An action that is not about one record. */
export function actionOf(action: FindingAction['action']): FindingAction[] {
  return [{ action, id: null, name: null }]
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
