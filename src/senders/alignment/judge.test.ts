import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { DmarcFacts, MemberFacts, NameFacts, ProviderFacts, ProviderRules } from './facts.ts'
import { judgeMember, judgeTransport } from './judge.ts'
import { mergeInclude } from './records.ts'
import { findWays } from './ways.ts'

const from = 'brand.example'

const dmarc: DmarcFacts = {
  state: 'found',
  record: 'v=DMARC1; p=reject',
  foundAt: `_dmarc.${from}`,
  organizationalDomain: from,
  policy: 'reject',
  adkim: 'r',
  aspf: 'r',
  problems: [],
}

const sendgrid: ProviderRules = {
  title: 'SendGrid',
  isComplete: false,
  refusesOthers: false,
  includes: ['sendgrid.net'],
  envelope: 'own',
  isEnvelopeComplete: true,
  link: 'https://sendgrid.example/domains',
  setUp: [],
}

const microsoft: ProviderRules = {
  title: 'Microsoft 365',
  isComplete: true,
  refusesOthers: false,
  includes: ['spf.protection.outlook.com'],
  envelope: 'kept',
  isEnvelopeComplete: true,
  link: 'https://microsoft.example/dkim',
  setUp: [],
}

const plain: MemberFacts = {
  from,
  dmarc,
  label: 'smtp://mail.example.net:587',
  kind: 'smtp',
  host: 'mail.example.net',
  isPlain: true,
  unsigned: null,
  provider: undefined,
  accountDomain: null,
  isAccountAligned: undefined,
  ownKey: undefined,
  asked: undefined,
  selectors: [],
  returnPaths: [],
  envelopeDomain: from,
  isEnvelopeAligned: true,
  otherEnvelope: null,
  spf: undefined,
}

const ownKey = {
  selector: 'mailyard1',
  algorithm: 'rsa' as const,
  oldSelectors: [],
  isActive: true,
  state: 'equal' as const,
  detail: '',
  record: { type: 'TXT', name: `mailyard1._domainkey.${from}`, value: 'v=DKIM1; k=rsa; p=AAAA' },
}

const throughSendgrid: MemberFacts = {
  ...plain,
  label: 'sendgrid+api://default',
  kind: 'api',
  isPlain: false,
  unsigned: 'an API builds the message.',
  provider: sendgrid,
}

const throughMicrosoft: MemberFacts = {
  ...plain,
  label: 'smtp://smtp.office365.com:587',
  host: 'smtp.office365.com',
  isPlain: false,
  provider: microsoft,
}

const absent = (selector: string): NameFacts => ({
  name: `${selector}._domainkey.${from}`,
  domain: from,
  state: 'absent',
  detail: '',
})

test('an active key of Mailyard whose record is in DNS is certain through a plain server, and only there', () => {
  const { verdict, sentence, records } = judgeMember({ ...plain, ownKey })
  assert.equal(verdict, 'aligned')
  assert.equal(sentence, 'DMARC passes: Mailyard signs with brand.example.')
  assert.deepEqual(records, [])
  assert.equal(judgeMember({ ...throughMicrosoft, ownKey }).verdict, 'cannotTell')
  assert.equal(
    judgeMember({ ...plain, ownKey, unsigned: 'its DSN has dkim=off.' }).verdict,
    'cannotTell',
  )
  assert.equal(
    judgeMember({ ...plain, ownKey: { ...ownKey, isActive: false } }).verdict,
    'cannotTell',
  )
  for (const state of ['other', 'absent', 'failed'] as const)
    assert.equal(
      judgeMember({ ...plain, ownKey: { ...ownKey, state } }).verdict,
      'cannotTell',
      state,
    )
})

test('a key whose record is missing has its record ready to paste', () => {
  const detail = 'No TXT record was found.'
  const { records, reasons } = judgeMember({
    ...plain,
    ownKey: { ...ownKey, state: 'absent', detail },
  })
  assert.deepEqual(records, [ownKey.record])
  assert.match(
    reasons.join('\n'),
    /its record is not at mailyard1\._domainkey\.brand\.example: No TXT record/,
  )
})

test('what the API of a provider says counts more than DNS', () => {
  const set: NameFacts = {
    ...absent('s1'),
    state: 'set',
    detail: 'CNAME s1.domainkey.u1.wl1.sendgrid.net.',
  }
  const asked: ProviderFacts = { state: 'missing', detail: 'The account has no such domain.' }
  const { verdict, sentence } = judgeMember({ ...throughSendgrid, selectors: [set], asked })
  assert.equal(verdict, 'notAligned')
  assert.equal(
    sentence,
    'DMARC fails: SendGrid does not sign with brand.example, and its envelope sender is of its own domain. Its policy asks receivers to reject the message.',
  )
  const verified: ProviderFacts = {
    state: 'verified',
    signingDomain: from,
    isAligned: true,
    hasRecords: true,
    returnPath: null,
    detail: 'The domain is valid.',
  }
  assert.equal(judgeMember({ ...throughSendgrid, asked: verified }).verdict, 'aligned')
  const unaligned = { ...verified, signingDomain: 'other.example', isAligned: false }
  assert.equal(judgeMember({ ...throughSendgrid, asked: unaligned }).verdict, 'notAligned')
  const unknown = { ...verified, isAligned: undefined }
  assert.equal(judgeMember({ ...throughSendgrid, asked: unknown }).verdict, 'cannotTell')
})

test('a provider that says verified is not believed while DNS lacks its record, or does not answer', () => {
  const verified = {
    state: 'verified' as const,
    signingDomain: from,
    isAligned: true,
    returnPath: null,
    detail: 'The domain is valid.',
  }
  for (const hasRecords of [false, undefined]) {
    const asked: ProviderFacts = { ...verified, hasRecords }
    assert.equal(judgeMember({ ...throughSendgrid, asked }).verdict, 'cannotTell')
  }
})

test('a domain that is not verified may pass by the custom envelope domain of its account', () => {
  const returnPath = { domain: `bounces.${from}`, isAligned: true, passes: true }
  const asked: ProviderFacts = { state: 'unverified', detail: 'Pending.', records: [], returnPath }
  assert.equal(judgeMember({ ...throughSendgrid, asked }).verdict, 'cannotTell')
  const unaligned = { ...asked, returnPath: { ...returnPath, isAligned: false } }
  assert.equal(judgeMember({ ...throughSendgrid, asked: unaligned }).verdict, 'notAligned')
})

test('a selector in DNS shows the set-up of a domain, not of the account, unless the provider refuses all others', () => {
  const set: NameFacts = {
    ...absent('s1'),
    state: 'set',
    detail: 'CNAME s1.domainkey.u1.wl1.sendgrid.net.',
  }
  const found = judgeMember({ ...throughSendgrid, selectors: [set] })
  assert.equal(found.verdict, 'cannotTell')
  assert.match(
    found.reasons.join('\n'),
    /was set up at SendGrid; whether in the account of this transport/,
  )
  const strict = { ...sendgrid, refusesOthers: true }
  assert.equal(
    judgeMember({ ...throughSendgrid, provider: strict, selectors: [set] }).verdict,
    'aligned',
  )
  const parent = { ...set, domain: 'example' }
  assert.equal(
    judgeMember({ ...throughSendgrid, provider: strict, selectors: [parent] }).verdict,
    'cannotTell',
  )
})

test('DNS that does not answer is never a reason for notAligned', () => {
  const complete = { ...sendgrid, isComplete: true }
  const names = [absent('s1'), absent('s2')]
  const facts = { ...throughSendgrid, provider: complete, selectors: names }
  assert.equal(judgeMember(facts).verdict, 'notAligned')
  const failed: NameFacts[] = [
    absent('s1'),
    { ...absent('s2'), state: 'failed', detail: 'Silence.' },
  ]
  assert.equal(judgeMember({ ...facts, selectors: failed }).verdict, 'cannotTell')
  const fails = {
    state: 'fails' as const,
    record: 'v=spf1 -all',
    detail: '',
    isValid: true,
  }
  const kept = { ...throughMicrosoft, selectors: names, spf: fails }
  assert.equal(judgeMember(kept).verdict, 'notAligned')
  assert.equal(judgeMember({ ...kept, spf: { ...fails, state: 'unknown' } }).verdict, 'cannotTell')
})

test('SPF counts for the envelope domain, if the include of the provider is in its record', () => {
  const passes = {
    state: 'passes' as const,
    record: 'v=spf1 include:spf.protection.outlook.com -all',
    detail: '',
    isValid: true,
  }
  const kept = { ...throughMicrosoft, selectors: [absent('selector1')], spf: passes }
  assert.equal(judgeMember(kept).verdict, 'aligned')
  assert.equal(
    judgeMember({ ...kept, isEnvelopeAligned: false, envelopeDomain: 'bounces.example' }).verdict,
    'notAligned',
  )
  const { verdict, reasons } = judgeMember({ ...kept, otherEnvelope: 'bounces.example' })
  assert.equal(verdict, 'cannotTell')
  assert.match(reasons.join('\n'), /also sent with envelope senders of bounces\.example/)
})

test('the include of a provider is merged into the record that exists', () => {
  const spf = {
    state: 'fails' as const,
    record: 'v=spf1 mx include:_spf.google.com ~all',
    detail: '',
    isValid: true,
  }
  const { records } = judgeMember({ ...throughMicrosoft, selectors: [absent('selector1')], spf })
  assert.deepEqual(records, [
    {
      type: 'TXT',
      name: from,
      value: 'v=spf1 mx include:_spf.google.com include:spf.protection.outlook.com ~all',
    },
  ])
  assert.equal(mergeInclude(null, 'a.example'), 'v=spf1 include:a.example ~all')
  assert.equal(
    mergeInclude('v=spf1 redirect=_spf.b.example', 'a.example'),
    'v=spf1 include:a.example redirect=_spf.b.example',
  )
  assert.equal(
    mergeInclude('v=spf1 include:A.example -all', 'a.example'),
    'v=spf1 include:A.example -all',
  )
  assert.equal(mergeInclude('v=spf1 mx', 'a.example'), 'v=spf1 mx include:a.example')
})

test('no SPF record is asked for where the provider uses an envelope sender of its own domain', () => {
  const spf = { state: 'fails' as const, record: null, detail: '', isValid: true }
  assert.deepEqual(judgeMember({ ...throughSendgrid, spf }).records, [])
})

test('a domain without DMARC is judged by relaxed alignment, and gets a record', () => {
  const none: DmarcFacts = { ...dmarc, state: 'absent', record: null, foundAt: null, policy: null }
  const { verdict, sentence, reasons, records } = judgeMember({ ...plain, ownKey, dmarc: none })
  assert.equal(verdict, 'aligned')
  assert.match(sentence, /^DMARC would pass/)
  assert.match(reasons.join('\n'), /brand\.example has no record/)
  assert.deepEqual(records, [
    { type: 'TXT', name: '_dmarc.brand.example', value: 'v=DMARC1; p=none' },
  ])
})

test('a plain server is never notAligned: it may sign', () => {
  const spf = {
    state: 'fails' as const,
    record: 'v=spf1 -all',
    detail: '',
    isValid: true,
  }
  assert.equal(judgeMember({ ...plain, spf }).verdict, 'cannotTell')
})

test('messages that are captured or discarded are not judged', () => {
  for (const kind of ['null', 'inbox'] as const) {
    const { verdict, sentence } = judgeMember({ ...plain, kind, ownKey })
    assert.equal(verdict, 'cannotTell')
    assert.match(sentence, /not sent/)
  }
})

test('a list has the verdict of its worst member, and names it', () => {
  const good = judgeMember({ ...plain, ownKey })
  const bad = judgeMember({
    ...throughSendgrid,
    asked: { state: 'missing', detail: 'The account has no such domain.' },
  })
  const unknown = judgeMember(plain)
  assert.equal(judgeTransport([good]).verdict, 'aligned')
  assert.equal(judgeTransport([good]).sentence, good.sentence)
  assert.equal(judgeTransport([good, unknown]).verdict, 'cannotTell')
  const list = judgeTransport([good, unknown, bad])
  assert.equal(list.verdict, 'notAligned')
  assert.match(list.sentence, /^sendgrid\+api:\/\/default: DMARC fails/)
  assert.equal(judgeTransport([]).verdict, 'cannotTell')
})

const domain = fc.constantFrom(from, 'mail.brand.example', 'other.example')
const maybe = fc.constantFrom(true, false, undefined)
const names = fc.array(
  fc.record({
    name: fc.constantFrom('s1._domainkey.brand.example', 's2._domainkey.brand.example'),
    domain,
    state: fc.constantFrom('set', 'other', 'absent', 'failed'),
    detail: fc.constant('Found.'),
  }),
  { maxLength: 4 },
)
const returnPath = fc.option(fc.record({ domain, isAligned: maybe, passes: fc.boolean() }))
const asked: fc.Arbitrary<ProviderFacts | undefined> = fc.oneof(
  fc.constant(undefined),
  fc.record({
    state: fc.constant('verified' as const),
    signingDomain: domain,
    isAligned: maybe,
    hasRecords: maybe,
    returnPath,
    detail: fc.constant('Verified.'),
  }),
  fc.record({
    state: fc.constant('unverified' as const),
    detail: fc.constant('Not yet.'),
    records: fc.constant([]),
    returnPath,
  }),
  fc.record({ state: fc.constant('missing' as const), detail: fc.constant('Missing.') }),
  fc.record({ state: fc.constant('unknown' as const), problem: fc.constant('No answer.') }),
)
const provider: fc.Arbitrary<ProviderRules> = fc.record({
  title: fc.constant('Provider'),
  isComplete: fc.boolean(),
  refusesOthers: fc.boolean(),
  includes: fc.constantFrom([], ['spf.provider.example']),
  envelope: fc.constantFrom('kept', 'own', 'custom', 'unknown'),
  isEnvelopeComplete: fc.boolean(),
  link: fc.constant('https://provider.example'),
  setUp: fc.constant([]),
})
const anyFacts: fc.Arbitrary<MemberFacts> = fc.record({
  from: fc.constant(from),
  dmarc: fc.record({
    state: fc.constantFrom('found', 'absent', 'failed'),
    record: fc.constant(null),
    foundAt: fc.constant(null),
    organizationalDomain: fc.option(fc.constant(from)),
    policy: fc.constantFrom(null, 'none', 'reject', 'quarantine'),
    adkim: fc.constantFrom('r', 's'),
    aspf: fc.constantFrom('r', 's'),
    problems: fc.constant([]),
  }),
  label: fc.constant('smtp://mail.example.net:587'),
  kind: fc.constantFrom('smtp', 'api', 'null', 'inbox', 'command'),
  host: fc.constant('mail.example.net'),
  isPlain: fc.boolean(),
  unsigned: fc.option(fc.constant('its DSN has dkim=off.')),
  provider: fc.option(provider, { nil: undefined }),
  accountDomain: fc.option(domain),
  isAccountAligned: maybe,
  ownKey: fc.option(
    fc.record({
      selector: fc.constant('mailyard1'),
      algorithm: fc.constantFrom('rsa', 'ed25519'),
      oldSelectors: fc.constant([]),
      isActive: fc.boolean(),
      state: fc.constantFrom('equal', 'other', 'absent', 'failed'),
      detail: fc.constant('Found.'),
      record: fc.constant(ownKey.record),
    }),
    { nil: undefined },
  ),
  asked,
  selectors: names,
  returnPaths: names,
  envelopeDomain: domain,
  isEnvelopeAligned: maybe,
  otherEnvelope: fc.option(fc.constant('bounces.example')),
  spf: fc.option(
    fc.record({
      state: fc.constantFrom('passes', 'fails', 'unknown'),
      record: fc.option(fc.constant('v=spf1 -all')),
      isValid: fc.boolean(),
      detail: fc.constant('Evaluated.'),
    }),
    { nil: undefined },
  ),
})

/** Whether one of the few things is given that make a message pass, written down without the code that judges. */
function hasCertainty(facts: MemberFacts): boolean {
  const { provider: rules, asked: state, ownKey: key, accountDomain } = facts
  const signs =
    key?.isActive === true &&
    key.algorithm === 'rsa' &&
    key.state === 'equal' &&
    facts.isPlain &&
    facts.unsigned === null
  if (signs && facts.kind !== 'api') return true
  if (rules === undefined) return false
  if (state?.state === 'verified' && state.isAligned === true && state.hasRecords === true) {
    const own = facts.selectors.filter((each) => each.domain === state.signingDomain)
    const isGone = own.length > 0 && own.every((each) => each.state !== 'set')
    if (!rules.isComplete || !isGone) return true
  }
  if (
    state?.state === 'verified' &&
    state.returnPath?.isAligned === true &&
    state.returnPath.passes &&
    (rules.envelope === 'own' || rules.envelope === 'custom')
  )
    return true
  const signer = accountDomain ?? from
  const isOurs = signer === from || facts.isAccountAligned === true
  const own = facts.selectors.filter((each) => each.domain === signer)
  const isSet = own.length > 0 && own.every((each) => each.state === 'set')
  const isAsked = state !== undefined && state.state !== 'unknown'
  if (!isAsked && isSet && rules.refusesOthers && isOurs) return true
  const hasOwn = rules.envelope === 'own' || rules.envelope === 'custom'
  if (hasOwn && state?.state === 'verified' && state.returnPath !== null) return false
  const keeps = rules.envelope === 'kept' && facts.otherEnvelope === null
  return (
    keeps &&
    accountDomain === null &&
    facts.isEnvelopeAligned === true &&
    facts.spf?.state === 'passes' &&
    rules.includes.length > 0
  )
}

test('whatever is known, aligned has something certain, and notAligned has nothing unknown', () => {
  let aligned = 0
  let notAligned = 0
  fc.assert(
    fc.property(anyFacts, (facts) => {
      const { verdict, sentence, reasons } = judgeMember(facts)
      assert.match(sentence, /^[A-Z].*\.$/)
      assert.ok(reasons.length > 0)
      if (facts.kind === 'null' || facts.kind === 'inbox')
        return assert.equal(verdict, 'cannotTell')
      if (verdict === 'aligned') {
        aligned += 1
        return assert.ok(hasCertainty(facts))
      }
      if (verdict !== 'notAligned') return
      notAligned += 1
      assert.ok(!hasCertainty(facts))
      assert.ok(facts.provider !== undefined, 'a plain server may sign')
      assert.ok(findWays(facts).every(({ state }) => state === 'excluded'))
      assert.notEqual(
        facts.ownKey?.state === 'failed' &&
          facts.ownKey.isActive &&
          facts.unsigned === null &&
          facts.kind !== 'api',
        true,
      )
      const isAsked = facts.asked !== undefined && facts.asked.state !== 'unknown'
      const isOtherAccount = facts.accountDomain !== null && facts.isAccountAligned === false
      if (!isAsked && !isOtherAccount)
        assert.ok(facts.selectors.every(({ state }) => state === 'absent' || state === 'other'))
    }),
    { numRuns: 20_000 },
  )
  assert.ok(aligned > 100 && notAligned > 100, `${aligned} aligned, ${notAligned} not`)
})
