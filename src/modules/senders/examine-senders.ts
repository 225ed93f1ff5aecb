import type { Finding, FindingAction } from '../../core/findings/index.ts'
import {
  actionsOn,
  bad,
  doubtful,
  findByBrand,
  findEach,
  formatCount,
  joined,
  namedMax,
} from '../../core/findings/index.ts'
import { brandData } from '../../core/published/index.ts'
import { formatDate } from '../../kit/iso-date.ts'
import type { Keyring, Storage } from '../../platform/storage/index.ts'
import type { UnsignedCount } from './dkim/active-keys.ts'
import { type FailingKey, type KeyFailure, listFailingKeys } from './dkim/failing-keys.ts'
import type { UnalignedSender } from './unaligned.ts'

const check = 'DKIM keys'
const notLookedUp = 'Its record was not looked up yet.'

/** What is said of the keys with one failure. */
interface Advice {
  create: typeof bad
  /** What it means for the messages of a key. */
  describe: (key: FailingKey) => string
  fix: string
  command: string
}

/** The worst first. */
const advices: Record<KeyFailure, Advice> = {
  unreadable: {
    create: bad,
    describe: ({ domain }) =>
      `Messages of ${domain} are not signed: the private key cannot be decrypted.`,
    fix: 'Create another key and publish it, or restore the secret key.',
    command: 'mailyard dkim-keys create --domain DOMAIN',
  },
  missing: {
    create: bad,
    describe: ({ domain, problem }) =>
      `Receivers cannot verify the signatures of ${domain} any more. ${problem ?? notLookedUp}`,
    fix: 'Publish the record again, or unpublish the key.',
    command: 'mailyard dkim-keys check ID',
  },
  waiting: {
    create: doubtful,
    describe: ({ domain, problem }) =>
      `Messages of ${domain} are not signed yet. ${problem ?? notLookedUp}`,
    fix: 'Publish the record of the key, or delete the key.',
    command: 'mailyard dkim-keys check ID',
  },
}

/**
 * Finds the keys that cannot be decrypted, those whose record is gone from DNS, and those that wait for a record for more than a
 * day, a finding for each. Returns nothing where all keys sign.
 *
 * @param unsigned What was sent unsigned although there is a key.
 */
export async function examineDkim(
  parts: { storage: Storage; keyring: Keyring },
  now: number,
  unsigned: readonly UnsignedCount[] = [],
): Promise<Finding[]> {
  const byFailure = Map.groupBy(await listFailingKeys(parts, now), ({ failure }) => failure)
  const failing = Object.entries(advices).flatMap(
    ([failure, { create, describe, fix, command }]) => {
      return findEach(byFailure.get(failure as KeyFailure) ?? [], (key) => {
        const actions = actionsOn('openDkimKey', [{ id: key.id, name: key.domain }])
        const since = key.since === null ? null : formatDate(key.since)
        const advice = { detail: describe(key), since, fix, command, actions }
        return { ...create(check, advice), ...brandData(key.brand_id) }
      })
    },
  )
  return [...failing, ...describeUnsigned(unsigned)]
}

const naming = 'Create a key of the brand, if it may send as the domain.'
const encoding =
  'Let the application encode its text as quoted-printable or Base64, with lines of at most 76 characters.'

function describeUnsigned(unsigned: readonly UnsignedCount[]): Finding[] {
  const sorted = unsigned.toSorted((one, other) => other.count - one.count)
  return findEach(sorted, ({ domain, count, since, reason, cause }) => {
    const messages = count === 1 ? '1 message' : `${formatCount(count)} messages`
    const detail = `${messages} of ${domain} were sent unsigned although it has a key, the last one for this reason: ${reason}`
    const fix = `${cause === 'submitter' ? naming : encoding} See docs/dkim.md.`
    return doubtful(check, { detail, since: formatDate(since), fix })
  })
}

/** Finds the From domains that receivers will not believe through a transport that sends them. Returns nothing where there are none. */
export function examineSenders(unaligned: readonly UnalignedSender[]): Finding[] {
  return findByBrand(unaligned, describeSenders)
}

function describeSenders(unaligned: readonly UnalignedSender[]): Finding {
  const asksForMore = ({ policy }: UnalignedSender) =>
    policy === 'reject' || policy === 'quarantine'
  const sorted = unaligned.toSorted(
    (one, other) => Number(asksForMore(other)) - Number(asksForMore(one)),
  )
  const domains = [...new Set(sorted.map(({ domain }) => domain))].slice(0, namedMax)
  const create = sorted.some(asksForMore) ? bad : doubtful
  return create('senders', {
    detail: joined(sorted.map(describeUnaligned)),
    fix: 'Publish the records that the page of the domain shows, or send through another transport; see docs/tasks/be-believed.md.',
    command: 'mailyard senders get DOMAIN',
    actions: domains.map((name): FindingAction => ({ action: 'openSender', id: null, name })),
  })
}

function describeUnaligned(sender: UnalignedSender): string {
  const { domain, transportId, transportName, sentence } = sender
  const transport = transportId === 0 ? 'the default transport' : `"${transportName}"`
  return `${domain} through ${transport}: ${sentence}`
}
