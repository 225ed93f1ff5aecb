import { type DnsCheck, findDkimKey } from '../dns/index.ts'
import type { Storage } from '../storage/index.ts'
import { type PublishedRecord, recordOf } from './dns-record.ts'
import { judgeRecord } from './judge-record.ts'
import { readRemovable } from './state-after.ts'
import type { DkimTables } from './table.ts'

/** The key of a domain, and what DNS has at its name now. */
export interface DomainKey {
  selector: string
  algorithm: 'rsa' | 'ed25519'
  /** Selectors that signed before, and whose records may still be in DNS. */
  oldSelectors: readonly string[]
  /** Whether messages are signed with it: it is published here, and its record was found. */
  isActive: boolean
  record: PublishedRecord
  /** `equal`: receivers can verify with what DNS has. `failed`: DNS did not answer. */
  state: 'equal' | 'other' | 'absent' | 'failed'
  /** What was found instead, as a sentence; null for nothing. */
  problem: string | null
}

/** Finds the key of a domain and looks its record up; undefined if there is none. */
export async function findDomainKey(
  storage: Storage,
  domain: string,
  check: DnsCheck,
): Promise<DomainKey | undefined> {
  const row = await storage
    .tables<DkimTables>()
    .selectFrom('dkim_keys')
    .select(['selector', 'algorithm', 'public_key', 'state', 'is_published', 'removable'])
    .where('domain', '=', domain)
    .executeTakeFirst()
  if (row === undefined) return undefined
  const { selector, algorithm, public_key: publicKey } = row
  const record = recordOf({ domain, selector, algorithm, publicKey })
  const found = await findDkimKey(check, selector, domain)
  const { state, problem } = judgeRecord(found, { name: record.name, publicKey })
  return {
    selector,
    algorithm,
    oldSelectors: readRemovable(row).map((removed) => removed.selector),
    isActive: row.state === 'active' && Boolean(row.is_published),
    record,
    state: stateOf(found.state, state, problem),
    problem,
  }
}

function stateOf(
  found: Awaited<ReturnType<typeof findDkimKey>>['state'],
  judged: 'usable' | 'unusable' | 'failed',
  problem: string | null,
): DomainKey['state'] {
  if (judged === 'failed') return 'failed'
  // With a problem, receivers may not count its signatures.
  if (judged === 'usable' && problem === null) return 'equal'
  return found === 'absent' ? 'absent' : 'other'
}
