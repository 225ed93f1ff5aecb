import type { MovedQuestion, MovedSender } from '../../core/sending/index.ts'
import type { OfBrand } from '../../kit/caller.ts'
import { findWorst, rankOf } from './alignment/judge.ts'
import type { Verdict } from './schema.ts'
import { pairKey, SenderChecks, type StoredCheck } from './sender-checks.ts'
import { brandsThrough, SenderDirectory, type SenderDirectoryOptions } from './sender-directory.ts'

/** A From domain that is not believed through a transport that sends it. */
export interface UnalignedSender extends OfBrand {
  domain: string
  /** See `defaultTransportId`. */
  transportId: number
  transportName: string
  sentence: string
  /** What its DMARC record asks receivers to do; null without one. */
  policy: string | null
}

interface Parts {
  directory: SenderDirectory
  checks: SenderChecks
}

/** How many domains of a list that is down are listed with its members. */
const listedDomainsMax = 200

/** Lists the From domains of stored checks that are not believed through a transport that they are used with. */
export async function listUnaligned({ directory, checks }: Parts): Promise<UnalignedSender[]> {
  const senders = await directory.list('all')
  const summaries = await checks.findSummaries(
    senders.map(({ domain }) => domain),
    'all',
  )
  const unaligned: UnalignedSender[] = []
  for (const sender of senders)
    for (const row of sender.transports.values())
      for (const brand_id of brandsThrough(sender, row)) {
        const check = summaries.get(pairKey(sender.domain, row.id, brand_id))
        if (check?.verdict !== 'notAligned') continue
        const { domain, transportId, sentence, policy } = check
        const transportName = row.name
        unaligned.push({ domain, transportId, transportName, brand_id, sentence, policy })
      }
  return unaligned
}

/** Lists the same where no service is open. */
export function listStoredUnaligned(options: SenderDirectoryOptions): Promise<UnalignedSender[]> {
  const directory = new SenderDirectory(options)
  const checks = new SenderChecks(options.storage)
  return listUnaligned({ directory, checks })
}

/**
 * Finds the From domains that are used with transports that are down, and would not be believed through what takes over.
 *
 * @param oldest Checks from before count as none.
 */
export async function findMoved(
  { directory, checks }: Parts,
  { down, targets, brands }: MovedQuestion,
  oldest: number,
): Promise<MovedSender[]> {
  const senders = (await directory.list(brands)).filter(({ transports }) =>
    down.some((id) => transports.has(id)),
  )
  const summaries = await checks.findSummaries(
    senders.map(({ domain }) => domain),
    brands,
  )
  const moved: MovedSender[] = []
  const rows = (await directory.listPublished('all')).filter(({ id }) => targets.includes(id))
  for (const sender of senders)
    for (const row of rows) {
      const { domain } = sender
      const worst = findWorst(
        brandsThrough(sender, row).map((brand) => {
          const stored = summaries.get(pairKey(domain, row.id, brand))
          return stored !== undefined && stored.checkedAt > oldest ? stored : unchecked
        }),
      )
      const { verdict, sentence } = worst ?? unchecked
      if (isBelieved(verdict)) continue
      moved.push({ domain, transportId: row.id, member: null, verdict, sentence })
    }
  const listed = new Map(senders.slice(0, listedDomainsMax).map((each) => [each.domain, each]))
  for (const each of await checks.find([...listed.keys()], brands, down)) {
    const sender = listed.get(each.domain)
    const row = sender?.transports.get(each.transportId)
    if (row && brandsThrough(sender, row).includes(each.brand)) moved.push(...findDoubtful(each))
  }
  return moved.sort((one, other) => rankOf(one.verdict) - rankOf(other.verdict))
}

const unchecked = { verdict: null, sentence: null }

/** The members of a list that are not known to be believed: one of them may remain. */
function findDoubtful({ domain, transportId, members }: StoredCheck): MovedSender[] {
  if (members.length < 2) return []
  return members.flatMap(({ member, verdict, sentence }) =>
    isBelieved(verdict) ? [] : [{ domain, transportId, member, verdict, sentence }],
  )
}

function isBelieved(verdict: Verdict | null): verdict is 'aligned' | 'likely' {
  return verdict === 'aligned' || verdict === 'likely'
}
