import { oneLine } from '../../kit/one-line.ts'
import type { DnsRecordItem, SenderMember, Verdict } from '../schema.ts'
import type { DmarcFacts, MemberFacts } from './facts.ts'
import { findRecords, firstPolicy } from './records.ts'
import { findWays, type Way } from './ways.ts'

/** What is said of one From domain through a whole transport. */
export interface TransportVerdict {
  verdict: Verdict
  sentence: string
  reasons: string[]
  records: DnsRecordItem[]
  members: SenderMember[]
}

/**
 * Judges one From domain through one server or API. `aligned` needs a way that is certain, `notAligned` that every way is excluded;
 * everything else is `cannotTell`.
 *
 * @see RFC 9989, section 4.4: identifier alignment.
 */
export function judgeMember(facts: MemberFacts): SenderMember {
  const { label, provider, kind } = facts
  const member = { member: label, provider: provider?.title ?? null }
  if (kind === 'null' || kind === 'inbox') return { ...member, ...notSent(kind) }
  const ways = findWays(facts)
  const { verdict, sentence } = judge(facts, ways)
  const reasons = [
    ...ways.map(({ method, reason: why }) => `${method}: ${why}`),
    ...dmarcReasons(facts),
  ]
  return {
    ...member,
    verdict,
    sentence: oneLine(sentence, textMax),
    reasons: reasons.map((each) => oneLine(each, textMax)),
    records: findRecords(facts, ways).map(shortRecord),
  }
}

/** Answers of DNS and of APIs may be long, and have any characters. */
const textMax = 1_500
const recordMax = 4_000
const nameMax = 255

function shortRecord({ type, name, value }: DnsRecordItem): DnsRecordItem {
  return { type, name: oneLine(name, nameMax), value: oneLine(value, recordMax) }
}

function notSent(kind: 'null' | 'inbox'): Omit<SenderMember, 'member' | 'provider'> {
  const sentence =
    kind === 'null'
      ? 'Messages are discarded, not sent, so no receiver checks them.'
      : 'Messages are captured, not sent, so no receiver checks them.'
  return { verdict: 'cannotTell', sentence, reasons: [sentence], records: [] }
}

interface Judgement {
  verdict: Verdict
  sentence: string
}

function judge(facts: MemberFacts, ways: readonly Way[]): Judgement {
  const { dmarc, from } = facts
  if (dmarc.state === 'failed') {
    const sentence = `Whether DMARC passes is not known: DNS did not answer for the DMARC record of ${from}.`
    return { verdict: 'cannotTell', sentence }
  }
  const hasRecord = dmarc.state === 'found'
  const ending = hasRecord ? 'DMARC passes' : 'DMARC would pass'
  const failure = hasRecord ? 'DMARC fails' : 'DMARC would fail'
  const certain = ways.find(({ state }) => state === 'certain')
  if (certain !== undefined)
    return { verdict: 'aligned', sentence: `${ending}: ${certain.clause}.` }
  const unknown = ways.filter(({ state }) => state === 'unknown')
  if (unknown.length === 0) {
    const clauses = ways.map(({ clause }) => clause)
    const sentence = `${failure}: ${joinClauses(clauses)}.${consequence(dmarc)}`
    return { verdict: 'notAligned', sentence }
  }
  const sentence = `Whether DMARC passes is not known before a message is received: ${joinClauses(unknown.map(({ clause }) => clause))}.`
  return { verdict: 'cannotTell', sentence }
}

function joinClauses(clauses: readonly string[]): string {
  return [...new Set(clauses)].join(', and ')
}

/** What receivers are asked to do with messages that fail. */
function consequence({ policy }: DmarcFacts): string {
  if (policy === 'reject') return ' Its policy asks receivers to reject the message.'
  return policy === 'quarantine' ? ' Its policy asks receivers to treat the message as spam.' : ''
}

function dmarcReasons({ dmarc, from }: MemberFacts): string[] {
  const problems = dmarc.problems.map((problem) => `DMARC: ${problem}`)
  if (dmarc.state === 'failed')
    return [`DMARC: DNS did not answer for ${from}.`, ...new Set(problems)]
  if (dmarc.state === 'found') return problems
  const name = `_dmarc.${dmarc.organizationalDomain ?? from}`
  return [
    `DMARC: ${from} has no record. Gmail, Yahoo and Outlook.com ask senders of many messages for one: publish "${firstPolicy}" at ${name}.`,
    ...problems,
  ]
}

const badness: Record<Verdict, number> = { notAligned: 2, cannotTell: 1, aligned: 0 }

/** The verdict of a transport: that of its worst member, because any of them may be the one that sends. */
export function judgeTransport(members: readonly SenderMember[]): TransportVerdict {
  const [first] = members
  if (first === undefined) return unreadable
  const worst = members.reduce((one, other) =>
    badness[other.verdict] > badness[one.verdict] ? other : one,
  )
  const isList = members.length > 1
  const prefix = ({ member }: SenderMember) => (isList ? `${member}: ` : '')
  return {
    verdict: worst.verdict,
    sentence: `${prefix(worst)}${worst.sentence}`,
    reasons: [
      ...new Set(
        members.flatMap((each) => each.reasons.map((why) => withMember(each, why, isList))),
      ),
    ],
    records: distinctRecords(members.flatMap(({ records }) => records)),
    members: [...members],
  }
}

/** What DMARC says is the same for all members. */
function withMember({ member }: SenderMember, reason: string, isList: boolean): string {
  return isList && !reason.startsWith('DMARC:') ? `${member}: ${reason}` : reason
}

function distinctRecords(records: readonly DnsRecordItem[]): DnsRecordItem[] {
  const byText = new Map(records.map((record) => [JSON.stringify(record), record]))
  return [...byText.values()]
}

const unreadableSentence = 'The DSN of this transport cannot be read. Save it again.'

const unreadable: TransportVerdict = {
  verdict: 'cannotTell',
  sentence: unreadableSentence,
  reasons: [unreadableSentence],
  records: [],
  members: [],
}
