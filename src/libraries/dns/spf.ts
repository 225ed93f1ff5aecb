import type { DnsCheck } from './dns.ts'

/** Whether messages of an envelope domain pass SPF from some servers. */
export interface SpfResult {
  /** `unknown`: a look-up failed, or it depends on more than can be known. */
  state: 'passes' | 'fails' | 'unknown'
  /** Null where there is none, or it could not be looked up. */
  record: string | null
  /** Whether receivers ignore what is there: several records, a fault, or more look-ups than they make. */
  isInvalid: boolean
  /** A sentence about what was found. */
  detail: string
}

/** Servers that an `include:` of a provider stands for, or the addresses of a server. Each address has to pass. */
export type SpfSenders = { include: string } | { addresses: readonly string[] }

/** No sender has it (RFC 2544): a record is read up to its end, unless it lets every server pass. */
const unusedAddress = '198.18.0.1'
const addressesMax = 20
/** The most characters of what stands in DNS that a sentence quotes. */
const quotedMax = 200

/**
 * Checks whether messages of an envelope domain pass SPF. Which addresses the servers of a provider have is not known: they pass
 * where receivers get as far as its include.
 * @param domain In lower-case ASCII.
 * @see RFC 7208
 */
export async function checkSpf(
  check: DnsCheck,
  domain: string,
  senders: SpfSenders,
): Promise<SpfResult> {
  const answer = await check.lookUp(domain, 'TXT')
  if (answer.state === 'failed') return spfResult('unknown', answer.problem)
  const records = answer.state === 'found' ? answer.records.filter(isSpfRecord) : []
  const [record] = records
  if (record === undefined) return spfResult('fails', `${domain} has no SPF record.`)
  if (records.length > 1) {
    const detail = `There are ${records.length} SPF records at ${domain}, so receivers read none. Leave one.`
    return { ...spfResult('fails', detail), record: records.join('\n'), isInvalid: true }
  }
  return { ...(await judgeRecord(check, domain, senders)), record }
}

function spfResult(state: SpfResult['state'], detail: string): SpfResult {
  return { state, record: null, isInvalid: false, detail }
}

async function judgeRecord(
  check: DnsCheck,
  domain: string,
  senders: SpfSenders,
): Promise<SpfResult> {
  const addresses = 'include' in senders ? [unusedAddress] : senders.addresses
  if (addresses.length === 0 || addresses.length > addressesMax)
    return spfResult('unknown', `The server has ${addresses.length} addresses.`)
  const results = await Promise.all(addresses.map((each) => evaluate(check, domain, each)))
  if (results.some(({ dependsOnSender }) => dependsOnSender))
    return spfResult('unknown', `The SPF record of ${domain} depends on the address of the sender.`)
  const invalid = results.find(({ result }) => result === 'permerror')
  if (invalid !== undefined) {
    const detail = `Receivers ignore the SPF record of ${domain}: ${invalid.reason}.`
    return { ...spfResult('fails', detail), isInvalid: true }
  }
  const passing = results.filter(
    ({ result, names }) =>
      result === 'pass' || ('include' in senders && names.has(senders.include)),
  )
  if (passing.length === results.length)
    return spfResult('passes', `The SPF record of ${domain} lets the servers pass.`)
  const failed = results.find(({ result }) => result === 'temperror')
  if (failed !== undefined) return spfResult('unknown', `${failed.reason}.`)
  const what = 'include' in senders ? `"include:${senders.include}"` : addresses.join(', ')
  const detail = `The SPF record of ${domain} does not let ${what} pass.`
  // Which of the addresses is used for a message is not known.
  return spfResult(passing.length > 0 ? 'unknown' : 'fails', detail)
}

/** A record starts with its version, and a space where more follows (RFC 7208, section 4.5). */
function isSpfRecord(text: string): boolean {
  return /^v=spf1(?: |$)/i.test(text)
}

interface Evaluated {
  result: string
  /** Why there is no result. */
  reason: string
  /** The names whose TXT records were read. */
  names: ReadonlySet<string>
  /** Whether a record has the address of the sender in a macro. */
  dependsOnSender: boolean
}

/** Evaluates a record as receivers do, with at most ten look-ups. */
async function evaluate(check: DnsCheck, domain: string, address: string): Promise<Evaluated> {
  // Loaded for a check only, because loading it takes long.
  const { spf } = await import('mailauth/lib/spf/index.js')
  const names = new Set<string>()
  let dependsOnSender = false
  const { status } = await spf({
    ip: address,
    sender: `postmaster@${domain}`,
    helo: domain,
    mta: 'localhost',
    strict: true,
    maxResolveCount: 10,
    maxVoidCount: 2,
    resolver: async (name: string, type: string) => {
      if (type === 'TXT') names.add(name.toLowerCase())
      const records = (await check.resolver(name, type)) as string[][]
      if (type === 'TXT') dependsOnSender ||= records.some(([text = '']) => /%\{[slh]/i.test(text))
      return records
    },
  })
  const comment = typeof status.comment === 'string' ? status.comment : ''
  const reason = comment.split(`postmaster@${domain}: `)[1] ?? 'it cannot be evaluated'
  const shortReason = reason.slice(0, quotedMax).replace(/\.$/, '')
  return { result: status.result, reason: shortReason, names, dependsOnSender }
}
