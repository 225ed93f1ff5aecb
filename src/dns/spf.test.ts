import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openDns } from '../../test/open-dns.ts'
import { checkSpf, findSpf, type SpfSenders } from './index.ts'

const provider = 'spf.provider.example'

const { server, dns } = await openDns()

const checkDomain = (domain: string, senders: SpfSenders) => checkSpf(dns.check(), domain, senders)

async function checkRecord(terms: string, senders: SpfSenders = { include: [provider] }) {
  server.set('test.example', 'TXT', [`v=spf1 ${terms}`])
  return checkSpf(dns.check({ isFresh: true }), 'test.example', senders)
}

test('an include of the provider passes where the record reaches it', async () => {
  for (const terms of [
    `include:${provider} -all`,
    `INCLUDE:SPF.Provider.Example ~all`,
    `ip4:192.0.2.0/24 ip6:2001:db8::/32 include:${provider} ?all`,
    `include:i1.provider.example include:${provider} -all`,
    `redirect=plain.example`,
    `include:plain.example -all`,
    `exp=text.example x=1 include:${provider}`,
    '+all',
    'all',
  ]) {
    const { state, detail } = await checkRecord(terms)
    assert.equal(state, 'passes', `${terms}: ${detail}`)
  }
})

test('a record without the include, or with it behind its end, fails', async () => {
  for (const [terms, detail] of [
    ['-all', /does not have "include:spf\.provider\.example"/],
    ['', /does not have/],
    ['include:i1.provider.example ~all', /does not have/],
    [`-all include:${provider}`, /does not have/],
    [`?all redirect=plain.example`, /does not have/],
    [`include:missing.example include:${provider} -all`, /missing\.example has no SPF record/],
    [`include:two-spf.example include:${provider} -all`, /There are 2 SPF records/],
    [`redirect=missing.example`, /missing\.example has no SPF record/],
    [`include=${provider} -all`, /does not have/],
    [`includes:${provider} -all`, /is not valid at "includes:/],
    [`include:${provider} ip4:192.0.2.300/40 -al`, /is not valid/],
  ] as const) {
    const result = await checkRecord(terms)
    assert.equal(result.state, 'fails', `${terms}: ${result.detail}`)
    assert.match(result.detail, detail, terms)
  }
})

test('a mechanism before the include that may match without a pass makes the result unknown', async () => {
  for (const terms of [
    `-ip4:203.0.113.0/24 include:${provider} -all`,
    `?a:plain.example include:${provider} -all`,
    `-include:i1.provider.example include:${provider} -all`,
    `include:%{i}.example include:${provider} -all`,
    `-exists:%{i}.example include:${provider} -all`,
    `-include:${provider} -all`,
  ]) {
    const { state, detail } = await checkRecord(terms)
    assert.equal(state, 'unknown', `${terms}: ${detail}`)
  }
  assert.equal((await checkRecord(`exists:%{i}.example include:${provider} -all`)).state, 'passes')
})

test('without the include it is unknown where other terms may let the servers pass', async () => {
  for (const terms of [
    'exists:%{i}._spf.example -all',
    'ptr -all',
    'include:%{i}._ip.%{d}._spf.example -all',
    'ip4:203.0.113.0/25 -all',
    'ip4:203.0.0.0/16 -all',
    'ip6:2001:db8:1:2::/64 -all',
    'redirect=%{d}._spf.example',
  ]) {
    const { state, detail } = await checkRecord(terms)
    assert.equal(state, 'unknown', `${terms}: ${detail}`)
  }
})

test('ten look-ups are allowed, with those of the include itself, and eleven are not', async () => {
  const includes = (count: number) =>
    Array.from({ length: count }, (_, index) => `include:i${index + 1}.provider.example`).join(' ')
  const ten = await checkRecord(`${includes(9)} include:${provider} -all`)
  assert.partialDeepStrictEqual(ten, { state: 'passes', lookUps: 10 })
  const eleven = await checkRecord(`${includes(10)} include:${provider} -all`)
  assert.partialDeepStrictEqual(eleven, { state: 'fails', lookUps: 11 })
  assert.match(eleven.detail, /needs 11 look-ups, and receivers make at most 10/)
  const nested = await checkRecord(`${includes(9)} include:plain.example -all`, {
    include: ['plain.example'],
  })
  assert.equal(nested.state, 'unknown')
  for (const [domain, answer] of [
    ['ten.example', /"fail"/],
    ['eleven.example', /"permerror"/],
    ['self.example', /"permerror"/],
  ] as const) {
    const result = await checkDomain(domain, { addresses: ['198.51.100.11'] })
    assert.equal(result.state, 'fails', domain)
    assert.match(result.detail, answer)
  }
  const tenth = await checkDomain('ten.example', { addresses: ['198.51.100.10'] })
  assert.equal(tenth.state, 'passes')
  const last = await checkDomain('eleven.example', { include: ['i11.provider.example'] })
  assert.equal(last.state, 'fails')
  assert.match((await checkDomain('self.example', { include: [provider] })).detail, /look-ups/)
})

test('more than two names without an address make the result unknown', async () => {
  assert.equal((await checkDomain('void.example', { include: [provider] })).state, 'unknown')
  const two = await checkRecord(`a:one.void.example mx:two.void.example include:${provider} -all`)
  assert.equal(two.state, 'passes')
})

test('a failed look-up is never a failure of SPF', async () => {
  const failing = ['servfail.example', 'silent.example', 'refused.example']
  for (const domain of failing) {
    server.set(`includes-${domain}`, 'TXT', [`v=spf1 include:${domain} -all`])
  }
  const domains = failing.flatMap((domain) => [domain, `includes-${domain}`])
  // At the same time, because each one waits for the silent server.
  const results = await Promise.all(
    domains.flatMap((domain) => [
      checkDomain(domain, { include: [provider] }),
      checkDomain(domain, { addresses: ['192.0.2.1'] }),
    ]),
  )
  assert.deepEqual(
    results.map(({ state }) => state),
    results.map(() => 'unknown'),
  )
  const before = await checkRecord(`include:${provider} include:servfail.example -all`)
  assert.equal(before.state, 'passes')
})

test('addresses are checked with the whole record', async () => {
  const check = (...addresses: string[]) => checkDomain('plain.example', { addresses })
  assert.equal((await check('192.0.2.7')).state, 'passes')
  assert.equal((await check('192.0.2.7', '203.0.113.9', '2001:db8:1::5')).state, 'passes')
  const fails = await check('198.51.100.1')
  assert.equal(fails.state, 'fails')
  assert.equal(fails.detail, 'The SPF record of plain.example answers "fail" for 198.51.100.1.')
  assert.equal((await check('192.0.2.7', '198.51.100.1')).state, 'unknown')
  assert.equal((await check()).state, 'unknown')
  assert.equal((await check('not an address')).state, 'unknown')
  assert.equal((await checkDomain('bare.example', { addresses: ['192.0.2.1'] })).state, 'fails')
})

test('a record that depends on the sender or its greeting is unknown for an address', async () => {
  for (const macro of ['%{l}', '%{s}', '%{h}']) {
    server.set('postmaster.ok.example', 'A', ['127.0.0.2'])
    const terms = `exists:${macro}.ok.example ip4:192.0.2.1 -all`
    const result = await checkRecord(terms, { addresses: ['192.0.2.1'] })
    assert.equal(result.state, 'unknown', macro)
  }
})

test('a huge record, and one of a thousand terms, are read', async () => {
  const many = Array.from({ length: 3_000 }, (_, index) => `ip4:10.0.${index % 256}.0/24`).join(' ')
  assert.equal((await checkRecord(`${many} include:${provider} -all`)).state, 'passes')
  const without = await checkRecord(`${many} -all`)
  assert.equal(without.state, 'unknown')
  assert.match(without.detail, /^The SPF record of test\.example .* more than 500 networks\.$/)
  assert.equal((await checkRecord(`${'a'.repeat(60_000)} -all`)).state, 'fails')
  const found = await findSpf(dns.check(), 'test.example')
  assert.ok(found.state === 'invalid' && found.problem.length < 500)
})
