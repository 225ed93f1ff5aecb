import type { DnsRecordItem } from '../schema.ts'
import type { MemberFacts } from './facts.ts'
import type { Way } from './ways.ts'

/** The policy of a domain that begins with DMARC. */
export const firstPolicy = 'v=DMARC1; p=none'

/** Returns the records that are to be published so that messages are believed, ready to paste. */
export function findRecords(facts: MemberFacts, ways: readonly Way[]): DnsRecordItem[] {
  const isCertain = ways.some(({ state }) => state === 'certain')
  return [...(isCertain ? [] : wayRecords(facts)), ...dmarcRecords(facts)]
}

function wayRecords(facts: MemberFacts): DnsRecordItem[] {
  return [...ownKeyRecords(facts), ...providerRecords(facts), ...spfRecords(facts)]
}

function ownKeyRecords({ ownKey, unsigned, kind }: MemberFacts): DnsRecordItem[] {
  if (ownKey === undefined || unsigned !== null || kind === 'api') return []
  return ownKey.state === 'equal' || ownKey.state === 'failed' ? [] : [ownKey.record]
}

function providerRecords({ provider, asked, selectors }: MemberFacts): DnsRecordItem[] {
  if (provider === undefined || asked?.state === 'verified') return []
  if (asked?.state === 'unverified' && asked.records.length > 0) return [...asked.records]
  const published = new Set(
    selectors.filter(({ state }) => state === 'set').map(({ name }) => name),
  )
  return provider.setUp.filter(({ name }) => !published.has(name))
}

function spfRecords({
  provider,
  spf,
  envelopeDomain,
  isEnvelopeAligned,
  accountDomain,
}: MemberFacts): DnsRecordItem[] {
  // The envelope sender of other providers has another domain.
  if (provider?.envelope !== 'kept' && accountDomain === null) return []
  const include = provider?.includes[0]
  if (include === undefined || spf?.state !== 'fails' || isEnvelopeAligned !== true) return []
  if (!spf.isValid) return []
  return [{ type: 'TXT', name: envelopeDomain, value: mergeInclude(spf.record, include) }]
}

/**
 * Adds an include to an SPF record, before the mechanisms that match every sender; creates a record where there is none.
 *
 * @see RFC 7208, section 5: mechanisms are evaluated from left to right.
 */
export function mergeInclude(record: string | null, include: string): string {
  const term = `include:${include}`
  if (record === null) return `v=spf1 ${term} ~all`
  const terms = record.trim().split(/\s+/)
  if (terms.some((each) => each.toLowerCase() === term || each.toLowerCase() === `+${term}`))
    return record
  const end = terms.findIndex((each) => /^([-~?+]?all|redirect=.*)$/i.test(each))
  const at = end === -1 ? terms.length : end
  return [...terms.slice(0, at), term, ...terms.slice(at)].join(' ')
}

function dmarcRecords({ dmarc, from }: MemberFacts): DnsRecordItem[] {
  if (dmarc.state !== 'absent') return []
  const name = `_dmarc.${dmarc.organizationalDomain ?? from}`
  return [{ type: 'TXT', name, value: firstPolicy }]
}
