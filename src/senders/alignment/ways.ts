import type { MemberFacts, NameFacts, ProviderFacts, ProviderRules } from './facts.ts'

/** One of the ways in which a message can pass DMARC. */
export interface Way {
  method: 'DKIM' | 'SPF'
  /** `certain`: it passes and is aligned. `excluded`: it is not used, fails, or is not aligned. */
  state: 'certain' | 'excluded' | 'unknown'
  /** The rest of a sentence that begins with the method. */
  reason: string
  /** A short clause for the sentence of the verdict. */
  clause: string
}

/** Returns every way in which messages of a From domain through a server or an API can pass DMARC. There is at least one of DKIM and of SPF. */
export function findWays(facts: MemberFacts): Way[] {
  return [...ownKeyWays(facts), providerDkim(facts), spfWay(facts)]
}

/** The signature of Mailyard. */
function ownKeyWays(facts: MemberFacts): Way[] {
  const { ownKey, from, kind, isPlain, unsigned } = facts
  if (kind === 'api') return []
  if (ownKey === undefined) return []
  const name = `${ownKey.selector}._domainkey.${from}`
  const dkim = (state: Way['state'], reason: string, clause: string): Way => {
    return { method: 'DKIM', state, reason, clause }
  }
  if (unsigned !== null) {
    return [dkim('excluded', `Mailyard does not sign these messages: ${unsigned}`, notSignedByUs)]
  }
  if (!ownKey.isActive) {
    const reason = `Mailyard has a key for ${from} and does not sign with it yet: ${ownKey.detail}`
    return [dkim('excluded', reason, notSignedByUs)]
  }
  if (ownKey.state === 'failed') {
    const reason = `the record of Mailyard's key at ${name} could not be looked up: ${ownKey.detail}`
    return [dkim('unknown', reason, `DNS did not answer for ${name}`)]
  }
  if (ownKey.state !== 'equal') {
    const reason = `Mailyard signs with the selector "${ownKey.selector}", but its record is not at ${name}: ${ownKey.detail}`
    return [dkim('excluded', reason, `the record of Mailyard's key is not at ${name}`)]
  }
  if (isPlain && ownKey.algorithm === 'ed25519') {
    const reason = `Mailyard signs with ${from} (selector "${ownKey.selector}") and an Ed25519 key, which Gmail and Outlook.com do not verify.`
    return [dkim('unknown', reason, 'Gmail and Outlook.com do not verify Ed25519 keys')]
  }
  if (isPlain) {
    const reason = `Mailyard signs with ${from} (selector "${ownKey.selector}"), and its record is at ${name}.`
    return [dkim('certain', reason, `Mailyard signs with ${from}`)]
  }
  const through = titleOf(facts)
  const reason = `Mailyard signs with ${from} (selector "${ownKey.selector}"), but ${through} may change messages, which breaks the signature.`
  return [dkim('unknown', reason, `${through} may break the signature of Mailyard`)]
}

const notSignedByUs = 'Mailyard does not sign'

/** The signature of the provider, or of the server. */
function providerDkim(facts: MemberFacts): Way {
  const { provider, asked } = facts
  const dkim = (state: Way['state'], reason: string, clause: string): Way => {
    return { method: 'DKIM', state, reason, clause }
  }
  if (provider === undefined) {
    const server = serverOf(facts)
    const reason = `${server} may sign messages itself. Only a message that was received shows it.`
    return dkim('unknown', reason, `${server} may sign with ${facts.from}`)
  }
  if (asked === undefined || asked.state === 'unknown') return dkimByDns(facts, provider)
  return dkimByApi(facts, provider, asked)
}

/** What the API of the provider says counts more than DNS. */
function dkimByApi(
  facts: MemberFacts,
  { title }: ProviderRules,
  asked: Exclude<ProviderFacts, { state: 'unknown' }>,
): Way {
  const { from, dmarc } = facts
  if (asked.state !== 'verified') {
    const reason = `${title} says that it does not sign with ${from} in this account: ${asked.detail}`
    const clause = `${title} does not sign with ${from}`
    return { method: 'DKIM', state: 'excluded', reason, clause }
  }
  const { signingDomain, isAligned, detail } = asked
  const says = `${title} says that it signs with ${signingDomain} in this account: ${detail}`
  if (isAligned === true && asked.hasRecords === undefined) {
    const clause = `DNS did not answer for the record of ${title}`
    return { method: 'DKIM', state: 'unknown', reason: `${says} ${clause}.`, clause }
  }
  if (isAligned === true && (!asked.hasRecords || isContradicted(facts, signingDomain))) {
    const clause = `the record of ${title} is not in the DNS of ${signingDomain} now`
    return { method: 'DKIM', state: 'unknown', reason: `${says} But ${clause}.`, clause }
  }
  if (isAligned === true) {
    const clause = `${title} signs with ${signingDomain}`
    return { method: 'DKIM', state: 'certain', reason: says, clause }
  }
  if (isAligned === undefined) {
    const clause = `it is not known whether ${signingDomain} is aligned with ${from}`
    return { method: 'DKIM', state: 'unknown', reason: `${says} ${upperFirst(clause)}.`, clause }
  }
  const mode = dmarc.adkim === 's' ? `adkim=s asks for exactly ${from}` : notSameDomain(from)
  const reason = `${says} That is not aligned with ${from}: ${mode}.`
  const clause = `${title} signs with ${signingDomain}, which is not aligned with ${from}`
  return { method: 'DKIM', state: 'excluded', reason, clause }
}

/** Whether DNS has none of the records that the provider needs to sign with a domain: it was verified before they were removed. */
function isContradicted({ selectors, provider }: MemberFacts, signingDomain: string): boolean {
  const own = selectors.filter(({ domain }) => domain === signingDomain)
  return (
    provider?.isComplete === true && own.length > 0 && own.every(({ state }) => state !== 'set')
  )
}

function dkimByDns(facts: MemberFacts, provider: ProviderRules): Way {
  const { from, selectors, asked, accountDomain, isAccountAligned } = facts
  const { title, refusesOthers, isComplete, link } = provider
  const howTo = ` How to set it up: ${link}`
  const unasked = asked === undefined ? '' : ` ${asked.state === 'unknown' ? asked.problem : ''}`
  const dkim = (state: Way['state'], reason: string, clause: string): Way => {
    return { method: 'DKIM', state, reason: `${reason}${unasked}`.trim(), clause }
  }
  if (accountDomain !== null && accountDomain !== from) {
    if (isAccountAligned === false) {
      const reason = `the account of this transport signs for ${accountDomain}, which is not aligned with ${from}.`
      return dkim('excluded', reason, `${title} signs with ${accountDomain}`)
    }
    if (isAccountAligned === undefined) {
      const clause = `it is not known whether ${accountDomain} is aligned with ${from}`
      return dkim('unknown', `${clause}.`, clause)
    }
  }
  const isSet = selectors.find(({ state }) => state === 'set')
  const signingDomain = accountDomain ?? from
  const own = selectors.filter(({ domain }) => domain === signingDomain)
  const isOwn = own.find(({ state }) => state === 'set')
  // The provider may sign with any of them.
  if (isOwn !== undefined && refusesOthers && own.every(({ state }) => state === 'set')) {
    const reason = `${isOwn.name} has the record of ${title}: ${isOwn.detail} ${title} refuses messages from domains that are not verified in the same account.`
    return dkim('certain', reason, `${title} signs with ${signingDomain}`)
  }
  if (isSet !== undefined) {
    const reason = `${isSet.name} has the record of ${title}: ${isSet.detail} It shows that ${isSet.domain} was set up at ${title}; whether in the account of this transport, only a message that was received shows.`
    const clause = `${isSet.domain} is set up at ${title}, perhaps in another account`
    return dkim('unknown', reason, clause)
  }
  const failed = selectors.find(({ state }) => state === 'failed')
  if (failed !== undefined) {
    const reason = `DNS did not answer for ${failed.name}: ${failed.detail}`
    return dkim('unknown', reason, `DNS did not answer for ${failed.name}`)
  }
  if (isComplete && selectors.length > 0) {
    const reason = `no record of ${title} was found. ${describeNames(selectors)}${howTo}`
    return dkim('excluded', reason, `${from} is not set up at ${title}`)
  }
  const found = selectors.length === 0 ? '' : ` ${describeNames(selectors)}`
  const reason = `${title} signs with selectors that only the account knows.${found}${howTo}`
  return dkim('unknown', reason, `only the account at ${title} knows whether it signs with ${from}`)
}

/** `s1._domainkey.brand.example has no record.` for the first names. */
function describeNames(names: readonly NameFacts[]): string {
  const shown = names.slice(0, namesShown).map(({ name, state, detail }) => {
    return state === 'absent' ? `${name} has no record.` : `${name} has something else: ${detail}`
  })
  const more = names.length - shown.length
  return more > 0 ? `${shown.join(' ')} ${more} more names were looked up.` : shown.join(' ')
}
const namesShown = 4

function spfWay(facts: MemberFacts): Way {
  const { provider, from, envelopeDomain, isEnvelopeAligned, otherEnvelope, dmarc } = facts
  const spf = (state: Way['state'], reason: string, clause: string): Way => {
    return { method: 'SPF', state, reason, clause }
  }
  const isAccount = facts.accountDomain !== null
  const hasOwn = provider?.envelope === 'own' || provider?.envelope === 'custom'
  const { asked } = facts
  const isKnown = asked?.state === 'verified' || asked?.state === 'unverified'
  const hasReturnPath = isKnown && asked.returnPath !== null
  if (provider !== undefined && hasOwn && (hasReturnPath || !isAccount))
    return ownEnvelope(facts, provider)
  const isUnknown = provider === undefined ? facts.kind === 'api' : provider.envelope === 'unknown'
  if (isUnknown && !isAccount) {
    return spf(
      'unknown',
      `it is not known which envelope sender ${titleOf(facts)} uses.`,
      'its envelope sender is not known',
    )
  }
  if (isEnvelopeAligned === undefined) {
    const reason = `it is not known whether the envelope domain ${envelopeDomain} is aligned with ${from}.`
    return spf('unknown', reason, `it is not known whether ${envelopeDomain} is aligned`)
  }
  if (otherEnvelope !== null && !isAccount) {
    const reason = `messages from ${from} are also sent with envelope senders of ${otherEnvelope}, whose SPF does not count for ${from} where it is not aligned.`
    return spf('unknown', reason, `some envelope senders are of ${otherEnvelope}`)
  }
  if (!isEnvelopeAligned) {
    const mode = dmarc.aspf === 's' ? `aspf=s asks for exactly ${from}` : notSameDomain(from)
    const reason = `the envelope sender is of ${envelopeDomain}, which is not aligned with ${from}: ${mode}.`
    return spf('excluded', reason, `the envelope sender is of ${envelopeDomain}`)
  }
  if (provider === undefined) return spfOfServer(facts)
  return isAccount ? spfOfAccount(facts, provider) : spfOfInclude(facts, provider)
}

/** The envelope domain of an account is used once the provider has verified it, which SPF alone does not show. */
function spfOfAccount({ asked, envelopeDomain }: MemberFacts, { title }: ProviderRules): Way {
  if (asked !== undefined && asked.state !== 'unknown') {
    const reason = `${title} says that it does not send with envelope senders of ${envelopeDomain}.`
    const clause = `its envelope domain is not ${envelopeDomain}`
    return { method: 'SPF', state: 'excluded', reason, clause }
  }
  const clause = `it is not known whether ${title} has verified ${envelopeDomain}`
  return { method: 'SPF', state: 'unknown', reason: `${clause}.`, clause }
}

function notSameDomain(from: string): string {
  return `its organizational domain is another than that of ${from}`
}

/** The provider sends with an envelope sender of its own domain. */
function ownEnvelope({ from, asked, returnPaths }: MemberFacts, provider: ProviderRules): Way {
  const { title, envelope } = provider
  const spf = (state: Way['state'], reason: string, clause: string): Way => {
    return { method: 'SPF', state, reason, clause }
  }
  const own = `${title} sends with an envelope sender of its own domain`
  const isKnown = asked?.state === 'verified' || asked?.state === 'unverified'
  if (isKnown && asked.returnPath !== null) {
    const { domain, isAligned, passes } = asked.returnPath
    const says = `${title} says that the envelope domain is ${domain}`
    if (isAligned === undefined) {
      const reason = `${says}. DNS did not answer whether it is aligned.`
      return spf('unknown', reason, 'DNS did not answer')
    }
    if (!isAligned) {
      const reason = `${says}, which is not aligned with ${from}.`
      return spf('excluded', reason, `its envelope domain is ${domain}`)
    }
    if (asked.state === 'unverified' || !passes) {
      const reason = `${says}. It is not known whether it is in use and its SPF record passes.`
      return spf('unknown', reason, `SPF of ${domain} may not pass`)
    }
    const clause = `the envelope domain ${domain} passes SPF`
    return spf('certain', `${says}, which passes SPF.`, clause)
  }
  const never = spf(
    'excluded',
    `${own}, so SPF does not count for ${from}.`,
    'its envelope sender is of its own domain',
  )
  if (envelope === 'own' || asked?.state === 'missing') return never
  const isSet = returnPaths.find(({ state }) => state === 'set')
  if (isSet !== undefined) {
    const reason = `${isSet.name} shows a custom envelope domain at ${title}: ${isSet.detail} Whether in the account of this transport, only a message that was received shows.`
    return spf('unknown', reason, `${isSet.domain} has a custom envelope domain at ${title}`)
  }
  const failed = returnPaths.find(({ state }) => state === 'failed')
  if (failed !== undefined) {
    return spf(
      'unknown',
      `DNS did not answer for ${failed.name}: ${failed.detail}`,
      'DNS did not answer',
    )
  }
  if (returnPaths.length === 0 || !provider.isEnvelopeComplete) {
    const reason = `${own}, unless a custom one is configured there, which only the account knows.`
    return spf('unknown', reason, 'its envelope domain is not known')
  }
  return { ...never, reason: `${never.reason} ${describeNames(returnPaths)}` }
}

/** SPF for the include of a provider that keeps the envelope sender. */
function spfOfInclude(
  { envelopeDomain, spf: found }: MemberFacts,
  { title, includes }: ProviderRules,
): Way {
  const spf = (state: Way['state'], reason: string, clause: string): Way => {
    return { method: 'SPF', state, reason, clause }
  }
  const include = includes[0]
  if (include === undefined) {
    const reason = `${title} documents no SPF record, so it is not known which servers send.`
    return spf('unknown', reason, 'its servers are not known')
  }
  if (found === undefined || found.state === 'unknown') {
    const detail = found?.detail ?? 'It was not looked up.'
    return spf(
      'unknown',
      `the record of ${envelopeDomain} could not be evaluated: ${detail}`,
      `SPF of ${envelopeDomain} could not be evaluated`,
    )
  }
  if (found.state === 'passes') {
    const reason = `the record of ${envelopeDomain} is "${found.record}"; it includes the servers of ${title}.`
    return spf('certain', reason, `the SPF record of ${envelopeDomain} includes ${title}`)
  }
  const shown = found.record === null ? 'there is no record' : `the record is "${found.record}"`
  const reason = `${shown} at ${envelopeDomain}. It should have include:${include}. ${found.detail}`
  return spf('excluded', reason, `the SPF record of ${envelopeDomain} does not include ${title}`)
}

/** A server may send from another address than the one at which it is reached. */
function spfOfServer(facts: MemberFacts): Way {
  const { envelopeDomain, spf: found } = facts
  const server = serverOf(facts)
  const spf = (reason: string, clause: string): Way => {
    return { method: 'SPF', state: 'unknown', reason, clause }
  }
  if (found === undefined) {
    const reason = `the address from which ${server} sends is not known. Only a message that was received shows it.`
    return spf(reason, `the address from which ${server} sends is not known`)
  }
  const { record, detail } = found
  if (found.state === 'unknown') {
    return spf(
      `the record of ${envelopeDomain} could not be evaluated: ${detail}`,
      `SPF of ${envelopeDomain} could not be evaluated`,
    )
  }
  if (record === null) {
    return spf(
      `${envelopeDomain} has no record, so SPF does not pass unless one is published.`,
      `${envelopeDomain} has no SPF record`,
    )
  }
  const isListed = found.state === 'passes'
  const reason = `the record of ${envelopeDomain} is "${record}". The address of ${server} ${isListed ? 'passes' : 'does not pass'}; whether it sends from that address, only a message that was received shows.`
  const clause = isListed
    ? `${server} may send from another address than its own`
    : `the SPF record of ${envelopeDomain} does not list the address of ${server}`
  return spf(reason, clause)
}

function serverOf({ kind, host, label }: MemberFacts): string {
  return kind === 'command' ? 'the mail command' : (host ?? label)
}

function titleOf({ provider, label }: MemberFacts): string {
  return provider?.title ?? label
}

function upperFirst(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1)
}
