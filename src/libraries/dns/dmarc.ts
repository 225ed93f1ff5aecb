import type { DnsCheck } from './dns.ts'
import { parseTags, type TagList } from './tag-list.ts'

/** What a domain asks receivers to do with messages that fail. */
export type DmarcPolicy = 'none' | 'quarantine' | 'reject'

/** How alike the domains have to be: relaxed (the same organization) or strict (equal). */
export type AlignmentMode = 'r' | 's'

/** The DMARC record that applies to a domain. */
export type DmarcResult =
  | {
      state: 'found'
      record: string
      /** The domain whose record it is: the domain itself, or one above it. */
      foundAt: string
      /** The one of `p`, `sp` and `np` that applies to messages of the domain. */
      policy: DmarcPolicy
      adkim: AlignmentMode
      aspf: AlignmentMode
      /** Sentences. */
      problems: string[]
      organizationalDomain: string
    }
  | { state: 'absent'; organizationalDomain: string; problems: string[] }
  | { state: 'failed'; problem: string }

interface FoundRecord {
  domain: string
  text: string
  tags: TagList
}

type Walk =
  | { state: 'walked'; records: FoundRecord[]; problems: string[] }
  | { state: 'failed'; problem: string }

/** A name with more labels is shortened to so many after the first query (RFC 9989, section 4.10, step 4). */
const walkedLabelsMax = 7

/** A record begins with its version: the name in any case, the value exactly so (RFC 9989, section 4.7). */
const version = /^[vV][ \t]*=[ \t]*DMARC1[ \t]*(?:;|$)/

/** The most characters of a record that a problem quotes. */
const quotedMax = 200

const policies = ['none', 'quarantine', 'reject'] as const
const removedTags = ['pct', 'rf', 'ri']
/** The tags that have one of a few values. */
const knownValues: Readonly<Record<string, readonly string[]>> = {
  p: policies,
  sp: policies,
  np: policies,
  adkim: ['r', 's'],
  aspf: ['r', 's'],
  t: ['y', 'n'],
}
const orList = new Intl.ListFormat('en-GB', { type: 'disjunction' })

/**
 * Finds the DMARC record of a domain by the tree walk, which makes at most eight queries.
 * @param domain In lower-case ASCII.
 * @see RFC 9989, section 4.10
 */
export async function findDmarc(check: DnsCheck, domain: string): Promise<DmarcResult> {
  const walk = await walkTree(check, domain)
  if (walk.state === 'failed') return walk
  const { records, problems } = walk
  const organizationalDomain = selectOrganizationalDomain(domain, records)
  const applied =
    records.find((record) => record.domain === domain) ??
    records.find((record) => record.domain === organizationalDomain) ??
    records.find((record) => tagOf(record, 'psd') === 'y')
  if (applied === undefined) return { state: 'absent', organizationalDomain, problems }
  const found = readPolicies(applied)
  problems.push(...findProblems(applied))
  if (found === undefined) return { state: 'absent', organizationalDomain, problems }
  const policy = await findAppliedPolicy(check, { domain, foundAt: applied.domain, found })
  if (policy === undefined) {
    return { state: 'failed', problem: `Whether ${domain} exists could not be looked up.` }
  }
  return {
    state: 'found',
    record: applied.text,
    foundAt: applied.domain,
    policy,
    adkim: tagOf(applied, 'adkim') === 's' ? 's' : 'r',
    aspf: tagOf(applied, 'aspf') === 's' ? 's' : 'r',
    problems,
    organizationalDomain,
  }
}

/**
 * Whether a domain that authenticated a message is aligned with the one in From. Both in lower-case ASCII.
 * @returns Undefined where it cannot be known: a look-up failed, or the only domain that both have in common is a
 * top-level domain, which few receivers take for an organization.
 * @see RFC 9989, section 4.10.2
 */
export async function areAligned(
  check: DnsCheck,
  one: string,
  other: string,
  mode: AlignmentMode,
): Promise<boolean | undefined> {
  if (one === other) return true
  const isInOneTree = one.split('.').at(-1) === other.split('.').at(-1)
  if (mode === 's' || !isInOneTree) return false
  const walks = await Promise.all([walkTree(check, one), walkTree(check, other)])
  const [organization, otherOrganization] = walks.map((walk, index) =>
    walk.state === 'failed'
      ? undefined
      : selectOrganizationalDomain(index === 0 ? one : other, walk.records),
  )
  if (organization === undefined || otherOrganization === undefined) return undefined
  if (organization !== otherOrganization) return false
  return organization.includes('.') ? true : undefined
}

/** Asks for the records of a domain and of those above it. */
async function walkTree(check: DnsCheck, domain: string): Promise<Walk> {
  const domains = listWalkedDomains(domain)
  const answers = await Promise.all(domains.map((each) => check.lookUp(`_dmarc.${each}`, 'TXT')))
  const records: FoundRecord[] = []
  const problems: string[] = []
  for (const [index, answer] of answers.entries()) {
    const name = domains[index] ?? ''
    if (answer.state === 'failed') return { state: 'failed', problem: answer.problem }
    if (answer.state === 'absent') continue
    const record = selectRecord(name, { texts: answer.records, problems })
    if (record === undefined) continue
    records.push(record)
    if (['y', 'n'].includes(tagOf(record, 'psd') ?? '')) break
  }
  return { state: 'walked', records, problems }
}

function listWalkedDomains(domain: string): string[] {
  const labels = domain.split('.')
  const above = labels.slice(Math.max(1, labels.length - walkedLabelsMax))
  return [domain, ...above.map((_, index) => above.slice(index).join('.'))]
}

/** Several records at one name count as none. Each record that is not read is a problem. */
function selectRecord(
  domain: string,
  { texts, problems }: { texts: readonly string[]; problems: string[] },
): FoundRecord | undefined {
  const name = `_dmarc.${domain}`
  const found = texts.map((text) => text.trim()).filter((text) => version.test(text))
  const [text] = found
  const tags = parseTags(text ?? '')
  const wrong = texts.find((each) => /^\s*v\s*=\s*dmarc/i.test(each))
  if (found.length > 1)
    problems.push(
      `There are ${found.length} DMARC records at ${name}, so receivers read none. Leave one.`,
    )
  else if (tags.duplicate !== undefined)
    problems.push(
      `The record at ${name} has "${tags.duplicate.slice(0, quotedMax)}" twice, so receivers may not read it.`,
    )
  else if (text !== undefined) return { domain, text, tags }
  else if (wrong !== undefined)
    problems.push(
      `The record "${wrong.slice(0, quotedMax)}" at ${name} is not read: it must start with "v=DMARC1;".`,
    )
  return undefined
}

/** Selects from the records of a walk, the longest name first (RFC 9989, section 4.10.2). */
function selectOrganizationalDomain(domain: string, records: readonly FoundRecord[]): string {
  for (const record of records) {
    const psd = tagOf(record, 'psd')
    if (psd === 'n') return record.domain
    if (psd === 'y' && record.domain !== domain) {
      const labels = record.domain.split('.').length + 1
      return domain.split('.').slice(-labels).join('.')
    }
  }
  return records.at(-1)?.domain ?? domain
}

interface Policies {
  policy: DmarcPolicy
  subdomainPolicy: DmarcPolicy
  missingPolicy: DmarcPolicy
}

/**
 * Reads the policies. A record with a wrong one counts as `p=none` where it asks for reports, and is not applied
 * otherwise (RFC 9989, section 4.10.1).
 */
function readPolicies(record: FoundRecord): Policies | undefined {
  const [policy, subdomain, missing] = ['p', 'sp', 'np'].map((name) => tagOf(record, name))
  const isRight = [subdomain, missing].every((value) => value === undefined || isPolicy(value))
  if (policy === undefined || !isPolicy(policy) || !isRight) {
    if (!hasReportAddress(record)) return undefined
    return { policy: 'none', subdomainPolicy: 'none', missingPolicy: 'none' }
  }
  const subdomainPolicy = (subdomain as DmarcPolicy | undefined) ?? policy
  const missingPolicy = (missing as DmarcPolicy | undefined) ?? subdomainPolicy
  return { policy, subdomainPolicy, missingPolicy }
}

async function findAppliedPolicy(
  check: DnsCheck,
  { domain, foundAt, found }: { domain: string; foundAt: string; found: Policies },
): Promise<DmarcPolicy | undefined> {
  const { policy, subdomainPolicy, missingPolicy } = found
  if (foundAt === domain) return policy
  if (subdomainPolicy === missingPolicy) return subdomainPolicy
  // A name with an alias exists, also where the alias leads to a missing name.
  for (const type of ['A', 'CNAME'] as const) {
    const answer = await check.lookUp(domain, type)
    if (answer.state === 'failed') return undefined
    if (answer.state === 'found' || !answer.isNameMissing) return subdomainPolicy
  }
  return missingPolicy
}

function findProblems(record: FoundRecord): string[] {
  const name = `_dmarc.${record.domain}`
  const problems: string[] = []
  const policy = tagOf(record, 'p')
  if (policy === undefined) problems.push(`The record at ${name} has no policy ("p=none").`)
  for (const [tag, values] of Object.entries(knownValues)) {
    const value = tagOf(record, tag)
    if (value === undefined || values.includes(value)) continue
    const list = orList.format(values)
    problems.push(`"${tag}=${value.slice(0, quotedMax)}" at ${name} must be ${list}.`)
  }
  const removed = removedTags.filter((tag) => tagOf(record, tag) !== undefined)
  if (removed.length > 0) {
    const list = removed.map((tag) => `"${tag}"`).join(', ')
    problems.push(`The record at ${name} has ${list}, which receivers no longer read (RFC 9989).`)
  }
  return problems
}

function isPolicy(text: string): text is DmarcPolicy {
  return policies.some((policy) => policy === text)
}

function hasReportAddress({ tags }: FoundRecord): boolean {
  const addresses = (tags.values.get('rua') ?? '').split(',')
  return addresses.some((address) => /^[a-z][a-z0-9+.-]*:[^\s!]+/i.test(address.trim()))
}

/** The value of a tag in lower case. */
function tagOf({ tags }: FoundRecord, name: string): string | undefined {
  return tags.values.get(name)?.toLowerCase()
}
