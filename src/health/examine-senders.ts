import {
  type FailingKey,
  type KeyFailure,
  listFailingKeys,
  type UnsignedCount,
} from '../dkim/index.ts'
import { formatDate } from '../kit/iso-date.ts'
import type { UnalignedSender } from '../senders/index.ts'
import type { Keyring, Storage } from '../storage/index.ts'
import { actionsOn, bad, doubtful, joined, minuteOf, namedMax } from './finding.ts'
import type { Finding, FindingAction } from './schema.ts'

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
    describe: ({ id, domain }) =>
      `Messages of ${domain} are not signed: the private key of DKIM key ${id} cannot be decrypted.`,
    fix: 'Create another key and publish it, or restore the secret key.',
    command: 'mailyard dkim-keys create --domain DOMAIN',
  },
  missing: {
    create: bad,
    describe: (key) =>
      `Receivers cannot verify the signatures of ${key.domain} any more (${nameOf(key)}). ${key.problem ?? notLookedUp}`,
    fix: 'Publish the record again, or unpublish the key.',
    command: 'mailyard dkim-keys check ID',
  },
  waiting: {
    create: doubtful,
    describe: (key) =>
      `Messages of ${key.domain} are not signed yet (${nameOf(key)}). ${key.problem ?? notLookedUp}`,
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
      const keys = byFailure.get(failure as KeyFailure) ?? []
      if (keys.length === 0) return []
      const detail = joined(keys.map(describe))
      const records = keys.map(({ id, domain }) => ({ id, name: domain }))
      return [create(check, { detail, fix, command, actions: actionsOn('openDkimKey', records) })]
    },
  )
  return [...failing, ...describeUnsigned(unsigned)]
}

const naming = 'Create a key that names the Mautic, if it may send as the domain.'
const encoding =
  'Let the application encode its text as quoted-printable or Base64, with lines of at most 76 characters.'

function describeUnsigned(unsigned: readonly UnsignedCount[]): Finding[] {
  if (unsigned.length === 0) return []
  const sorted = unsigned.toSorted((one, other) => other.count - one.count)
  const parts = sorted.slice(0, namedMax).map(({ domain, count, since, reason }) => {
    const start = minuteOf(formatDate(since))
    return `Of ${domain}, ${count} since ${start}, the last one for this reason: ${reason}`
  })
  const detail = ['Messages were sent unsigned although their domain has a key.', ...parts]
  const fixes = new Set(sorted.map(({ cause }) => (cause === 'submitter' ? naming : encoding)))
  const fix = [...fixes, 'See docs/dkim.md.'].join(' ')
  return [doubtful(check, { detail: detail.join(' '), fix })]
}

function nameOf({ id, since }: FailingKey): string {
  const start = since === null ? '' : `, since ${minuteOf(formatDate(since))}`
  return `DKIM key ${id}${start}`
}

/** Finds the From domains that receivers will not believe through a transport that sends them. Returns nothing where there are none. */
export function examineSenders(unaligned: readonly UnalignedSender[]): Finding[] {
  if (unaligned.length === 0) return []
  const asksForMore = ({ policy }: UnalignedSender) =>
    policy === 'reject' || policy === 'quarantine'
  const sorted = unaligned.toSorted(
    (one, other) => Number(asksForMore(other)) - Number(asksForMore(one)),
  )
  const domains = [...new Set(sorted.map(({ domain }) => domain))].slice(0, namedMax)
  const create = sorted.some(asksForMore) ? bad : doubtful
  return [
    create('senders', {
      detail: joined(sorted.map(describeUnaligned)),
      fix: 'Publish the records that the page of the domain shows, or send through another transport; see docs/tasks/be-believed.md.',
      command: 'mailyard senders get DOMAIN',
      actions: domains.map((name): FindingAction => ({ action: 'openSender', id: null, name })),
    }),
  ]
}

function describeUnaligned({
  domain,
  transportId,
  transportName,
  sentence,
}: UnalignedSender): string {
  const transport =
    transportId === 0 ? 'the default transport' : `transport ${transportId} (${transportName})`
  return `${domain} through ${transport}: ${sentence}`
}
