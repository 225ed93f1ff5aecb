import { formatDate, formatOptionalDate } from '../../kit/iso-date.ts'
import { findWorst, rankOf } from './alignment/judge.ts'
import type { ListedSender, ListedTransport, Verdict } from './schema.ts'
import { type CheckSummaries, type CheckSummary, pairKey } from './sender-checks.ts'
import { brandsThrough, type KnownSender } from './sender-directory.ts'
import { defaultTransportId } from './table.ts'

interface NamedTransport {
  /** See `defaultTransportId`. */
  id: number
  name: string
}

const unchecked = { verdict: null, sentence: null, missing: null, dateChecked: null }

/**
 * Describes From domains by their last checks: the worst first, then by name, and the transports of each in the same order.
 *
 * @param transport Only this transport is shown of each; see `defaultTransportId`.
 */
export function listSenders(
  senders: readonly KnownSender[],
  summaries: CheckSummaries,
  transport: number | undefined,
): ListedSender[] {
  const policies = newestPolicies([...summaries.values()])
  return senders
    .map((sender): ListedSender => {
      const { domain, sources, lastUsedAt, transports } = sender
      const shown = [...transports.values()].filter(
        ({ id }) => transport === undefined || id === transport,
      )
      return {
        domain,
        lastUsed: formatOptionalDate(lastUsedAt),
        sources: [...sources].sort(),
        policy: policies.get(domain) ?? null,
        transports: shown
          .map((row): ListedTransport => {
            const checks = brandsThrough(sender, row).flatMap(
              (brand) => summaries.get(pairKey(domain, row.id, brand)) ?? [],
            )
            const check = findWorst(checks)
            if (check !== undefined) return presentTransport(row, check)
            return { ...presentName(row), ...unchecked }
          })
          .sort(worstFirst),
      }
    })
    .sort(
      (one, other) =>
        rankOf(worstOf(one)) - rankOf(worstOf(other)) || compare(one.domain, other.domain),
    )
}

/** Orders transports: what is not aligned first, then by name. */
export function worstFirst(
  one: Pick<ListedTransport, 'verdict' | 'name'>,
  other: Pick<ListedTransport, 'verdict' | 'name'>,
): number {
  return rankOf(one.verdict) - rankOf(other.verdict) || compare(one.name, other.name)
}

/** The verdict of the first transport, which is the worst; null where nothing was checked. */
export function worstOf({ transports }: ListedSender): Verdict | null {
  return transports[0]?.verdict ?? null
}

/** Describes a transport by its last check. */
export function presentTransport(
  transport: NamedTransport,
  { verdict, sentence, missing, checkedAt }: Omit<CheckSummary, 'policy'>,
) {
  return {
    ...presentName(transport),
    verdict,
    sentence,
    missing,
    dateChecked: formatDate(checkedAt),
  }
}

function presentName({ id, name }: NamedTransport) {
  return { id: id === defaultTransportId ? null : id, name }
}

function compare(one: string, other: string): number {
  if (one === other) return 0
  return one < other ? -1 : 1
}

/** The policy of each domain, as its newest check found it. */
function newestPolicies(summaries: readonly CheckSummary[]): Map<string, string | null> {
  const sorted = summaries.toSorted((one, other) => one.checkedAt - other.checkedAt)
  return new Map(sorted.map(({ domain, policy }) => [domain, policy]))
}
