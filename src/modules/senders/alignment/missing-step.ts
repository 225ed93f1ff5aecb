import { isIPv6 } from 'node:net'
import { noBrand } from '../../../kit/caller.ts'
import type { DnsRecordItem, MissingStep, Verdict } from '../schema.ts'
import { type MemberFacts, serverOf } from './collect-facts.ts'

/** Finds the one record or step that is missing; null where nothing is, or DNS did not answer. */
export function findMissing(facts: MemberFacts, verdict: Verdict): MissingStep | null {
  if (facts.dmarc.state === 'failed') return null
  if (verdict === 'aligned' || verdict === 'likely') return missingPolicy(facts)
  return facts.leaf.domains === null ? missingOfServer(facts) : missingOfProvider(facts)
}

const publish = (sentence: string, record: DnsRecordItem): MissingStep => {
  return { step: 'publishRecord', sentence, record, link: null }
}
const other = (
  step: MissingStep['step'],
  sentence: string,
  link: string | null = null,
): MissingStep => {
  return { step, sentence, record: null, link }
}

/** Gmail, Yahoo and Outlook.com ask senders of many messages for a DMARC record. */
function missingPolicy({ dmarc }: MemberFacts): MissingStep | null {
  if (dmarc.state !== 'absent') return null
  const [problem] = dmarc.problems
  // A second record beside one that receivers do not read would help nothing.
  if (problem !== undefined) return other('correctRecord', problem)
  const name = `_dmarc.${dmarc.organizationalDomain}`
  return publish('Publish a DMARC record.', { type: 'TXT', name, value: 'v=DMARC1; p=none' })
}

function missingOfServer(facts: MemberFacts): MissingStep {
  const { ownKey, brand, unsigned, from, leaf } = facts
  if (unsigned !== null) return missingOfUnsigned(facts)
  if (ownKey === undefined || ownKey.algorithm === 'ed25519') {
    const ofBrand = brand === noBrand ? '' : ` that belongs to brand ${brand}`
    const sentence = `Create an RSA key of Mailyard for ${from}${ofBrand}, and publish its record.`
    return other('createKey', sentence)
  }
  const { record, state, isActive } = ownKey
  if (state === 'equal' && isActive) return operatorStep(facts)
  if (state === 'equal')
    return other('publishKey', `Publish the DKIM key of ${from} in Mailyard: its record is in DNS.`)
  const { type, name, value } = record
  const through = serverOf(leaf)
  const sentence = `Publish the record of the DKIM key, with which Mailyard signs messages through ${through}.`
  return publish(sentence, { type, name, value })
}

/** Of a server whose messages Mailyard does not sign, SPF can be certain. */
function missingOfUnsigned(facts: MemberFacts): MissingStep {
  const { spf, signer, leaf } = facts
  const { host } = leaf
  if (host === null || spf?.state !== 'fails') return operatorStep(facts)
  if (spf.isInvalid) return other('correctRecord', spf.detail)
  const value = mergeTerm(spf.record, termOf(host))
  const record = { type: 'TXT', name: signer, value }
  return publish(`List ${host} in the SPF record of ${signer}.`, record)
}

function operatorStep({ leaf, from }: MemberFacts): MissingStep {
  return other('setUp', `Let ${serverOf(leaf)} sign its messages with ${from}.`)
}

function termOf(host: string): string {
  if (isIPv6(host)) return `ip6:${host}`
  return /^[\d.]+$/.test(host) ? `ip4:${host}` : `a:${host}`
}

function missingOfProvider(facts: MemberFacts): MissingStep {
  const { leaf, signer, isSignerAligned, from, spf } = facts
  const link = leaf.domains?.link ?? null
  if (isSignerAligned === false)
    return other(
      'changeTransport',
      `Use an account of ${leaf.title} whose domain is ${from}.`,
      link,
    )
  const lacked = findLackedRecord(facts)
  if (lacked !== undefined)
    return { ...publish(`Publish the record of ${leaf.title}.`, lacked), link }
  const include = leaf.domains?.include
  if (include !== undefined && spf?.state === 'fails') {
    if (spf.isInvalid) return other('correctRecord', spf.detail)
    const value = mergeTerm(spf.record, `include:${include}`)
    const record = { type: 'TXT', name: signer, value }
    return { ...publish(`Add ${leaf.title} to the SPF record of ${signer}.`, record), link }
  }
  const sentence = `Set up ${signer} at ${leaf.title}, and publish the records that it shows.`
  return other('setUp', sentence, link)
}

/** Finds the first record that the provider asks everyone for and DNS lacks. */
export function findLackedRecord({ leaf, signer, names }: MemberFacts): DnsRecordItem | undefined {
  const records = Object.entries(leaf.domains?.cnames ?? {}).map(([labels, value]) => ({
    type: 'CNAME',
    name: `${labels}.${signer}`,
    value,
  }))
  const isLacked = ({ name }: DnsRecordItem) =>
    names.some((each) => each.name === name && each.state === 'other')
  return records.find(isLacked)
}

/**
 * Adds a term to an SPF record, before the mechanisms that match every sender; creates a record where there is none.
 *
 * @see RFC 7208, section 5: mechanisms are evaluated from left to right.
 */
export function mergeTerm(record: string | null, term: string): string {
  if (record === null) return `v=spf1 ${term} ~all`
  const terms = record.trim().split(/\s+/)
  const end = terms.findIndex((each) => /^([-~+?]?all|redirect=.*)$/i.test(each))
  const at = end === -1 ? terms.length : end
  return [...terms.slice(0, at), term, ...terms.slice(at)].join(' ')
}
