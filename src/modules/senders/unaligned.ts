import type { MovedQuestion, MovedSender } from '../../core/sending/index.ts'
import { rankOf } from './alignment/judge.ts'
import type { Verdict } from './schema.ts'
import { pairKey, SenderChecks, type StoredCheck } from './sender-checks.ts'
import { SenderDirectory, type SenderDirectoryOptions } from './sender-directory.ts'

/** A From domain that is not believed through a transport that sends it. */
export interface UnalignedSender {
  domain: string
  /** See `defaultTransportId`. */
  transportId: number
  transportName: string
  /** Whose messages are sent so. */
  brands: readonly number[]
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
  const summaries = await checks.findSummaries(senders.map(({ domain }) => domain))
  const unaligned: UnalignedSender[] = []
  for (const { domain, transports } of senders)
    for (const { id, name } of transports.values()) {
      const check = summaries.get(pairKey(domain, id))
      if (check?.verdict !== 'notAligned') continue
      const { sentence, policy } = check
      const brands = await directory.findBrands(domain, id)
      unaligned.push({ domain, transportId: id, transportName: name, brands, sentence, policy })
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
  const summaries = await checks.findSummaries(senders.map(({ domain }) => domain))
  const moved: MovedSender[] = []
  for (const { domain } of senders)
    for (const transportId of targets) {
      const stored = summaries.get(pairKey(domain, transportId))
      const check = stored !== undefined && stored.checkedAt > oldest ? stored : undefined
      const verdict = check?.verdict ?? null
      if (isBelieved(verdict)) continue
      moved.push({ domain, transportId, member: null, verdict, sentence: check?.sentence ?? null })
    }
  const listed = new Map(senders.slice(0, listedDomainsMax).map((each) => [each.domain, each]))
  for (const each of await checks.find([...listed.keys()], down))
    if (listed.get(each.domain)?.transports.has(each.transportId)) moved.push(...findDoubtful(each))
  return moved.sort((one, other) => rankOf(one.verdict) - rankOf(other.verdict))
}

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
