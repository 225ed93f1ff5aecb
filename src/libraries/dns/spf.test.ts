import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openDns } from '../../../test/open-dns.ts'
import { checkSpf, type SpfSenders } from './spf.ts'

const provider = 'spf.provider.example'

const { server, dns } = await openDns()

const checkDomain = (domain: string, senders: SpfSenders) => checkSpf(dns.check(), domain, senders)

async function checkRecord(terms: string, senders: SpfSenders = { include: provider }) {
  server.set('test.example', 'TXT', [`v=spf1 ${terms}`])
  return checkDomain('test.example', senders)
}

const includes = (count: number) =>
  Array.from({ length: count }, (_, index) => `include:i${index + 1}.provider.example`).join(' ')

test('an include of the provider passes where receivers get as far as it', async () => {
  for (const terms of [
    `include:${provider} -all`,
    `INCLUDE:SPF.Provider.Example ~all`,
    `ip4:192.0.2.0/24 ip6:2001:db8::/32 include:${provider} ?all`,
    `include:i1.provider.example include:${provider} -all`,
    `redirect=plain.example`,
    `include:plain.example -all`,
    `exp=text.example x=1 include:${provider}`,
    `exists:%{i}.example include:${provider} -all`,
    '+all',
    'all',
  ]) {
    const { state, detail } = await checkRecord(terms)
    assert.equal(state, 'passes', `${terms}: ${detail}`)
  }
})

test('a record without the include, or with it behind its end, fails', async () => {
  for (const terms of [
    '-all',
    '',
    'include:i1.provider.example ~all',
    `-all include:${provider}`,
    `?all redirect=plain.example`,
    `include=${provider} -all`,
    'exists:%{i}._spf.example -all',
  ]) {
    const { state, isInvalid, detail } = await checkRecord(terms)
    assert.deepEqual([state, isInvalid], ['fails', false], `${terms}: ${detail}`)
    assert.match(detail, /does not let "include:spf\.provider\.example" pass/)
  }
})

test('a record that receivers ignore fails, and says why', async () => {
  for (const [terms, detail] of [
    [`include:missing.example include:${provider} -all`, /no SPF records found for missing/],
    [`include:two-spf.example include:${provider} -all`, /multiple SPF records found/],
    [`redirect=missing.example`, /missing\.example/],
    [`includes:${provider} -all`, /Unknown mechanism/],
    [`include:${provider} ip4:192.0.2.300/40 -al`, /ignore the SPF record/],
    [`include:self.example include:${provider} -all`, /Too many DNS requests/],
    ['a:1.void.example a:2.void.example a:3.void.example -all', /Too many void/],
  ] as const) {
    const result = await checkRecord(terms)
    assert.deepEqual([result.state, result.isInvalid], ['fails', true], terms)
    assert.match(result.detail, detail, terms)
  }
  const several = await checkDomain('two-spf.example', { include: provider })
  assert.partialDeepStrictEqual(several, { state: 'fails', isInvalid: true })
  assert.match(several.detail, /^There are 2 SPF records at two-spf\.example/)
})

test('ten look-ups are allowed, with those of the include itself, and eleven are not', async () => {
  assert.equal((await checkRecord(`${includes(9)} include:${provider} -all`)).state, 'passes')
  const eleven = await checkRecord(`${includes(10)} include:${provider} -all`)
  assert.deepEqual([eleven.state, eleven.isInvalid], ['fails', true])
  const nested = await checkRecord(`${includes(9)} include:plain.example -all`, {
    include: 'plain.example',
  })
  assert.equal(nested.state, 'fails')
  for (const domain of ['eleven.example', 'self.example']) {
    const result = await checkDomain(domain, { addresses: ['198.51.100.11'] })
    assert.deepEqual([result.state, result.isInvalid], ['fails', true], domain)
  }
  const tenth = await checkDomain('ten.example', { addresses: ['198.51.100.10'] })
  assert.equal(tenth.state, 'passes')
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
      checkDomain(domain, { include: provider }),
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
  assert.equal(fails.detail, 'The SPF record of plain.example does not let 198.51.100.1 pass.')
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
  assert.equal((await checkRecord(`${many} -all`)).state, 'fails')
  const { isInvalid, detail } = await checkRecord(`${'a'.repeat(60_000)} -all`)
  assert.ok(isInvalid && detail.length < 500)
})
