import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { listSendingLeaves } from '../../../libraries/mailer/index.ts'
import type { MemberFacts, NameFacts } from './collect-facts.ts'
import { judgeMember, judgeTransport } from './judge.ts'
import { mergeTerm } from './missing-step.ts'

const from = 'brand.example'

const dmarc: MemberFacts['dmarc'] = {
  state: 'found',
  record: 'v=DMARC1; p=reject',
  foundAt: from,
  organizationalDomain: from,
  policy: 'reject',
  adkim: 'r',
  aspf: 'r',
  problems: [],
}
const noDmarc: MemberFacts['dmarc'] = { state: 'absent', organizationalDomain: from, problems: [] }

const leafOf = (dsn: string) => listSendingLeaves(dsn)[0] ?? assert.fail(dsn)

const factsOf = (dsn: string, more: Partial<MemberFacts> = {}): MemberFacts => {
  const leaf = leafOf(dsn)
  return {
    from,
    dmarc,
    leaf,
    unsigned: leaf.kind === 'smtp' ? null : 'they are not sent over SMTP',
    ownKey: undefined,
    brand: 0,
    signer: from,
    isSignerAligned: true,
    names: [],
    spf: undefined,
    otherEnvelope: null,
    ...more,
  }
}

const plain = 'smtp://mail.example.net:587'
const record = {
  type: 'TXT' as const,
  name: `mailyard1._domainkey.${from}`,
  value: 'v=DKIM1; k=rsa; p=AAAA',
  zone: '',
}
const ownKey: NonNullable<MemberFacts['ownKey']> = {
  algorithm: 'rsa',
  isActive: true,
  state: 'equal',
  record,
}
const shownRecord = { type: 'TXT', name: record.name, value: record.value }
const nameOf = (selector: string, state: NameFacts['state']): NameFacts => {
  return { name: `${selector}._domainkey.${from}`, state }
}
const spf = (state: 'passes' | 'fails' | 'unknown', more: object = {}) => {
  return { state, record: 'v=spf1 mx ~all', isInvalid: false, detail: '', ...more }
}
const judge = (...args: Parameters<typeof factsOf>) => judgeMember(factsOf(...args))

test('an active key of Mailyard whose record is in DNS is certain through a plain server, and only there', () => {
  const { verdict, missing } = judge(plain, { ownKey })
  assert.equal(verdict, 'aligned')
  assert.equal(missing, null)
  for (const [dsn, more] of [
    ['smtp://user:secret@smtp.office365.com:587', { ownKey }],
    [plain, { ownKey, unsigned: 'its DSN has dkim=off' }],
    [plain, { ownKey: { ...ownKey, isActive: false } }],
    [plain, { ownKey: { ...ownKey, state: 'other' as const } }],
    [plain, { ownKey: { ...ownKey, state: 'failed' as const } }],
    [plain, { ownKey: { ...ownKey, algorithm: 'ed25519' as const } }],
    [plain, { ownKey, dmarc: { state: 'failed' as const, problem: 'Silence.' } }],
  ] as const)
    assert.equal(judge(dsn, more).verdict, 'cannotTell', JSON.stringify(more))
})

test('SPF of the envelope domain is certain for the address of a plain server, unless some envelopes have another domain', () => {
  assert.equal(judge(plain, { spf: spf('passes') }).verdict, 'aligned')
  const other = judge(plain, { spf: spf('passes'), otherEnvelope: 'bounces.example' })
  assert.equal(other.verdict, 'cannotTell')
  assert.match(other.sentence, /some envelope senders are of bounces\.example/)
  for (const state of ['fails', 'unknown'] as const)
    assert.equal(judge(plain, { spf: spf(state) }).verdict, 'cannotTell')
})

test('published records of a provider are likely, never certain', () => {
  const sendgrid = 'sendgrid+api://KEY@default'
  const set = judge(sendgrid, { names: [nameOf('s1', 'set'), nameOf('s2', 'other')] })
  assert.equal(set.verdict, 'likely')
  assert.match(set.sentence, /s1\._domainkey\.brand\.example has the record of SendGrid\.$/)
  assert.equal(set.missing, null)
  const microsoft = 'smtp://user:secret@smtp.office365.com:587'
  assert.equal(judge(microsoft, { spf: spf('passes') }).verdict, 'likely')
  const half = [nameOf('mte1', 'set'), nameOf('mte2', 'other'), nameOf('mandrill', 'other')]
  const mandrill = judge('mandrill+api://KEY@default', { names: half })
  assert.equal(mandrill.verdict, 'cannotTell')
  assert.deepEqual(mandrill.missing?.record, {
    type: 'CNAME',
    name: `mte2._domainkey.${from}`,
    value: 'dkim2.mandrillapp.com',
  })
})

test('without any record of a provider whose list is complete, DMARC fails; DNS that does not answer is never a reason', () => {
  const resend = 'resend+api://KEY@default'
  const absent = judge(resend, { names: [nameOf('resend', 'other')] })
  assert.equal(absent.verdict, 'notAligned')
  assert.equal(absent.missing?.step, 'setUp')
  assert.equal(judge(resend, { names: [nameOf('resend', 'failed')] }).verdict, 'cannotTell')
  const incomplete = { names: [nameOf('s1', 'other'), nameOf('s2', 'other')] }
  assert.equal(judge('sendgrid+api://KEY@default', incomplete).verdict, 'cannotTell')
  const signed = { ownKey, names: [nameOf('brevo1', 'other')] }
  assert.equal(judge('brevo+smtp://u:KEY@default', signed).verdict, 'cannotTell')
})

test('an account that signs with another domain is not aligned', () => {
  const mailgun = 'mailgun+api://KEY:mg.other.example@default'
  const account = { signer: 'mg.other.example' }
  const other = judge(mailgun, { ...account, isSignerAligned: false })
  assert.deepEqual([other.verdict, other.missing?.step], ['notAligned', 'changeTransport'])
  const unknown = { ...account, isSignerAligned: undefined, names: [nameOf('k1', 'set')] }
  assert.equal(judge(mailgun, unknown).verdict, 'cannotTell')
})

test('the one record or step that is missing is named', () => {
  type Case = [string, Partial<MemberFacts>, string, object | null]
  const cases: Case[] = [
    [plain, {}, 'createKey', null],
    [plain, { ownKey: { ...ownKey, state: 'other' } }, 'publishRecord', shownRecord],
    [plain, { ownKey: { ...ownKey, isActive: false } }, 'publishKey', null],
    [
      `${plain}?dkim=off`,
      { unsigned: 'its DSN has dkim=off', spf: spf('fails') },
      'publishRecord',
      { type: 'TXT', name: from, value: 'v=spf1 mx a:mail.example.net ~all' },
    ],
    [
      `${plain}?dkim=off`,
      { unsigned: 'its DSN has dkim=off', spf: spf('fails', { isInvalid: true, detail: 'Bad.' }) },
      'correctRecord',
      null,
    ],
    ['sendmail://default', {}, 'setUp', null],
    [
      'gmail+smtp://u:p@default',
      { spf: spf('fails') },
      'publishRecord',
      { type: 'TXT', name: from, value: 'v=spf1 mx include:_spf.google.com ~all' },
    ],
    [
      'mailtrap+api://TOKEN@default',
      { names: [nameOf('rwmt1', 'other'), nameOf('rwmt2', 'other')] },
      'publishRecord',
      { type: 'CNAME', name: `rwmt1._domainkey.${from}`, value: 'rwmt1.dkim.smtp.mailtrap.live' },
    ],
    ['ses+api://KEY:SECRET@default', {}, 'setUp', null],
    [
      plain,
      { ownKey, dmarc: noDmarc },
      'publishRecord',
      { type: 'TXT', name: '_dmarc.brand.example', value: 'v=DMARC1; p=none' },
    ],
    [plain, { ownKey, dmarc: { ...noDmarc, problems: ['There are 2.'] } }, 'correctRecord', null],
  ]
  for (const [dsn, more, step, expected] of cases) {
    const { missing } = judge(dsn, more)
    assert.deepEqual([missing?.step, missing?.record], [step, expected], dsn)
  }
})

test('a term is merged into the SPF record that exists', () => {
  const include = 'include:a.example'
  assert.equal(mergeTerm(null, include), 'v=spf1 include:a.example ~all')
  assert.equal(
    mergeTerm('v=spf1 redirect=_spf.b.example', include),
    'v=spf1 include:a.example redirect=_spf.b.example',
  )
  assert.equal(mergeTerm('v=spf1 mx', include), 'v=spf1 mx include:a.example')
})

test('messages that are captured or discarded are not judged', () => {
  for (const dsn of ['null://null', 'inbox://local']) {
    const { verdict, sentence, missing } = judge(dsn, { ownKey })
    assert.deepEqual([verdict, missing], ['cannotTell', null])
    assert.match(sentence, /not sent/)
  }
})

test('a list has the verdict of its worst member, and names it', () => {
  const good = judge(plain, { ownKey })
  const likely = judge('sendgrid+api://KEY@default', { names: [nameOf('s1', 'set')] })
  const unknown = judge(plain)
  const bad = judge('resend+api://KEY@default', { names: [nameOf('resend', 'other')] })
  assert.equal(judgeTransport([good]).sentence, good.sentence)
  assert.equal(judgeTransport([good, likely]).verdict, 'likely')
  assert.equal(judgeTransport([likely, unknown, good]).verdict, 'cannotTell')
  const list = judgeTransport([good, unknown, bad])
  assert.deepEqual([list.verdict, list.missing], ['notAligned', bad.missing])
  assert.match(list.sentence, /^resend\+api:\/\/default: DMARC fails/)
  assert.equal(judgeTransport([]).verdict, 'cannotTell')
})

const leaves = [
  plain,
  'sendmail://default',
  'smtp://user:secret@smtp.office365.com:587',
  'sendgrid+api://KEY@default',
  'resend+smtp://resend:KEY@default',
  'mailgun+smtp://postmaster%40mg.example.com:p@default',
  'mandrill+api://KEY@default',
  'null://null',
].map(leafOf)
const anyFacts: fc.Arbitrary<MemberFacts> = fc.record({
  from: fc.constant(from),
  dmarc: fc.constantFrom(dmarc, noDmarc, { state: 'failed' as const, problem: 'Silence.' }),
  leaf: fc.constantFrom(...leaves),
  unsigned: fc.option(fc.constant('its DSN has dkim=off')),
  ownKey: fc.option(
    fc.record({
      algorithm: fc.constantFrom('rsa', 'ed25519'),
      isActive: fc.boolean(),
      state: fc.constantFrom('equal', 'other', 'failed'),
      record: fc.constant(record),
    }),
    { nil: undefined },
  ),
  brand: fc.constantFrom(0, 2),
  signer: fc.constantFrom(from, 'mg.example.com'),
  isSignerAligned: fc.constantFrom(true, false, undefined),
  names: fc.array(
    fc.record({
      name: fc.constantFrom(`resend._domainkey.${from}`, `mte1._domainkey.${from}`),
      state: fc.constantFrom('set', 'other', 'failed'),
    }),
    { maxLength: 3 },
  ),
  spf: fc.option(
    fc.record({
      state: fc.constantFrom('passes', 'fails', 'unknown'),
      record: fc.option(fc.constant('v=spf1 -all')),
      isInvalid: fc.boolean(),
      detail: fc.constant('Evaluated.'),
    }),
    { nil: undefined },
  ),
  otherEnvelope: fc.option(fc.constant('bounces.example')),
})

test('whatever is known, aligned has something certain, and notAligned nothing that failed', () => {
  const counts = new Map<string, number>()
  fc.assert(
    fc.property(anyFacts, (any) => {
      // Only providers have names.
      const facts = any.leaf.domains === null ? { ...any, names: [] } : any
      const { leaf, ownKey: key, names, spf: found, isSignerAligned } = facts
      const { verdict, sentence, missing } = judgeMember(facts)
      counts.set(verdict, (counts.get(verdict) ?? 0) + 1)
      assert.match(sentence, /^[A-Z].*\.$/)
      const isSigned = facts.unsigned === null && key?.isActive && key.state === 'equal'
      if (verdict === 'aligned') {
        assert.ok(leaf.isPlain && facts.dmarc.state !== 'failed')
        const passesSpf = found?.state === 'passes' && facts.otherEnvelope === null
        assert.ok((isSigned && key.algorithm === 'rsa') || passesSpf)
      }
      if (verdict === 'likely') assert.ok(leaf.domains !== null)
      if (verdict !== 'notAligned') return
      assert.ok(!leaf.isPlain && facts.dmarc.state !== 'failed' && missing !== null)
      assert.ok(!isSigned && names.every(({ state }) => state !== 'failed'))
      assert.ok(isSignerAligned === false || names.every(({ state }) => state === 'other'))
    }),
    { numRuns: 20_000 },
  )
  for (const verdict of ['aligned', 'likely', 'notAligned', 'cannotTell'])
    assert.ok((counts.get(verdict) ?? 0) > 100, `${verdict}: ${counts.get(verdict)}`)
})
