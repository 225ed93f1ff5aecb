import { noBrand } from '../../../kit/caller.ts'
import { oneLine } from '../../../kit/one-line.ts'
import type { DnsRecordItem, MissingStep, SenderMember, Verdict } from '../schema.ts'
import { type MemberFacts, serverOf } from './collect-facts.ts'
import { findLackedRecord, findMissing } from './missing-step.ts'

/** What is said of one From domain through a whole transport. */
export interface TransportVerdict {
  verdict: Verdict
  sentence: string
  missing: MissingStep | null
  members: SenderMember[]
}

/** A row of the table: the verdict of the first one that applies counts. */
interface Row {
  verdict: Verdict
  applies: (facts: MemberFacts) => boolean
  /** The reason, as a clause. */
  reason: (facts: MemberFacts) => string
}

/** `aligned` is certain, and DNS that does not answer never leads to `notAligned`. */
const table: readonly Row[] = [
  {
    verdict: 'cannotTell',
    applies: ({ dmarc }) => dmarc.state === 'failed',
    reason: ({ from }) => `DNS did not answer for the DMARC record of ${from}`,
  },
  {
    verdict: 'aligned',
    applies: (facts) => facts.leaf.isPlain && isSigned(facts) && facts.ownKey?.algorithm === 'rsa',
    reason: ({ from }) => `Mailyard signs with ${from}`,
  },
  {
    verdict: 'aligned',
    applies: ({ leaf, spf, otherEnvelope }) =>
      leaf.isPlain && spf?.state === 'passes' && otherEnvelope === null,
    reason: ({ signer, leaf }) => `the SPF record of ${signer} lists ${serverOf(leaf)}`,
  },
  {
    verdict: 'likely',
    applies: (facts) =>
      facts.isSignerAligned === true &&
      facts.names.some(({ state }) => state === 'set') &&
      findLackedRecord(facts) === undefined,
    reason: ({ names, leaf }) =>
      `${names.find(({ state }) => state === 'set')?.name} has the record of ${leaf.title}`,
  },
  {
    verdict: 'likely',
    applies: ({ leaf, spf }) => leaf.domains !== null && spf?.state === 'passes',
    reason: ({ signer, leaf }) => `the SPF record of ${signer} includes ${leaf.title}`,
  },
  {
    verdict: 'cannotTell',
    applies: (facts) => findFailed(facts) !== undefined,
    reason: (facts) => `DNS did not answer for ${findFailed(facts)}`,
  },
  {
    verdict: 'cannotTell',
    applies: isSigned,
    reason: ({ leaf, from, ownKey }) =>
      leaf.isPlain && ownKey?.algorithm === 'ed25519'
        ? `Mailyard signs with ${from} and an Ed25519 key, which Gmail and Outlook.com do not verify`
        : `Mailyard signs with ${from}, but ${serverOf(leaf)} may change messages, which breaks the signature`,
  },
  {
    verdict: 'notAligned',
    applies: ({ leaf, isSignerAligned }) => leaf.domains !== null && isSignerAligned === false,
    reason: ({ from, signer, leaf }) =>
      `${leaf.title} signs with ${signer}, which is not aligned with ${from}`,
  },
  {
    verdict: 'notAligned',
    applies: ({ leaf, names }) =>
      leaf.domains?.isComplete === true && names.every(({ state }) => state === 'other'),
    reason: ({ from, leaf, names }) =>
      `${from} is not set up at ${leaf.title}: ${names[0]?.name} lacks its record`,
  },
  {
    verdict: 'cannotTell',
    applies: ({ leaf }) => leaf.domains !== null,
    reason: ({ signer, leaf }) =>
      `only the account at ${leaf.title} knows whether it signs with ${signer}`,
  },
  {
    verdict: 'cannotTell',
    applies: ({ otherEnvelope }) => otherEnvelope !== null,
    reason: ({ leaf, from, otherEnvelope }) =>
      `${serverOf(leaf)} may sign with ${from}, and some envelope senders are of ${otherEnvelope}`,
  },
  {
    verdict: 'cannotTell',
    applies: () => true,
    reason: ({ leaf, from, brand }) =>
      `only the operator of ${serverOf(leaf)} knows whether it signs ${brand === noBrand ? '' : `messages of brand ${brand} `}with ${from}, and from which address it sends`,
  },
]

/** How the sentence of a verdict begins, with a DMARC record and without one. */
const beginnings: Readonly<Record<Verdict, readonly [string, string]>> = {
  aligned: ['DMARC passes', 'DMARC would pass'],
  likely: ['DMARC passes, very likely', 'DMARC would pass, very likely'],
  notAligned: ['DMARC fails', 'DMARC would fail'],
  cannotTell: ['Whether DMARC passes is not known', 'Whether DMARC passes is not known'],
}

/**
 * Judges one From domain through one server or API.
 *
 * @see RFC 9989, section 4.4: identifier alignment.
 */
export function judgeMember(facts: MemberFacts): SenderMember {
  const { leaf, dmarc } = facts
  const member = { member: leaf.label, provider: leaf.title }
  if (leaf.kind === 'null' || leaf.kind === 'inbox') {
    const what = leaf.kind === 'null' ? 'discarded' : 'captured'
    const sentence = `Messages are ${what}, not sent, so no receiver checks them.`
    return { ...member, verdict: 'cannotTell', sentence, missing: null }
  }
  const row = table.find(({ applies }) => applies(facts))
  const verdict = row?.verdict ?? 'cannotTell'
  const beginning = beginnings[verdict][dmarc.state === 'absent' ? 1 : 0]
  const ending = verdict === 'notAligned' ? consequence(facts) : ''
  const sentence = `${beginning}: ${row?.reason(facts)}.${ending}`
  const missing = findMissing(facts, verdict)
  return {
    ...member,
    verdict,
    sentence: oneLine(sentence, textMax),
    missing: missing && {
      ...missing,
      sentence: oneLine(missing.sentence, textMax),
      record: missing.record && shortRecord(missing.record),
    },
  }
}

/** What stands in DNS may be long, and have any characters. */
const textMax = 1_500
const recordMax = 4_000
const nameMax = 255

function shortRecord({ type, name, value }: DnsRecordItem): DnsRecordItem {
  return { type, name: oneLine(name, nameMax), value: oneLine(value, recordMax) }
}

/** What receivers are asked to do with messages that fail. */
function consequence({ dmarc }: MemberFacts): string {
  const policy = dmarc.state === 'found' ? dmarc.policy : 'none'
  if (policy === 'reject') return ' Its policy asks receivers to reject the message.'
  return policy === 'quarantine' ? ' Its policy asks receivers to treat the message as spam.' : ''
}

/** Whether Mailyard signs with a key whose record is in DNS now. */
function isSigned({ ownKey, unsigned }: MemberFacts): boolean {
  return unsigned === null && ownKey?.isActive === true && ownKey.state === 'equal'
}

/** What a look-up failed for that the verdict depends on. */
function findFailed({ names, spf, ownKey, unsigned, signer }: MemberFacts) {
  const failed = names.find(({ state }) => state === 'failed')
  if (failed !== undefined) return failed.name
  if (unsigned === null && ownKey?.isActive && ownKey.state === 'failed') return ownKey.record.name
  return spf?.state === 'unknown' && spf.record === null ? signer : undefined
}

/** What was not checked yet may not be aligned. */
const order: readonly (Verdict | null)[] = ['notAligned', 'cannotTell', null, 'likely', 'aligned']

/** The place of a verdict among all, the worst first. */
export const rankOf = (verdict: Verdict | null) => order.indexOf(verdict)

/** Returns the worst of some checks; undefined for none. */
export function findWorst<Check extends { verdict: Verdict | null }>(
  checks: readonly Check[],
): Check | undefined {
  return checks.toSorted((one, other) => rankOf(one.verdict) - rankOf(other.verdict))[0]
}

/** The verdict of a transport: that of its worst member, because any of them may be the one that sends. */
export function judgeTransport(members: readonly SenderMember[]): TransportVerdict {
  const worst = findWorst(members)
  if (worst === undefined) return { ...unreadable, members: [] }
  const { verdict, sentence, missing, member } = worst
  const named = members.length > 1 ? `${member}: ${sentence}` : sentence
  return { verdict, sentence: named, missing, members: [...members] }
}

const unreadable = {
  verdict: 'cannotTell',
  sentence: 'The DSN of this transport cannot be read. Save it again.',
  missing: null,
} as const
