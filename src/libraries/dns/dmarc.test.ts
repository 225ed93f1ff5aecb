import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { openDns } from '../../../test/open-dns.ts'
import { areAligned, findDmarc } from './dmarc.ts'
import type { DnsCheck } from './dns.ts'

const { server, dns } = await openDns()
let check: DnsCheck

beforeEach(() => {
  check = dns.check()
})

async function findWith(record: string | string[]) {
  server.set('_dmarc.test.example', 'TXT', [record].flat())
  return findDmarc(dns.check(), 'test.example')
}

test('the record of the domain applies, and its tags are read in any case and with spaces', async () => {
  assert.partialDeepStrictEqual(
    await findWith('V = DMARC1 ; P=Quarantine; SP = reject; adkim=S ;ASPF= s; T=Y; x=1'),
    {
      state: 'found',
      foundAt: 'test.example',
      policy: 'quarantine',
      adkim: 's',
      aspf: 's',
      problems: [],
    },
  )
})

test('a domain without a record gets the policy for subdomains, or that for names that do not exist', async () => {
  const existing = await findDmarc(check, 'deep.news.nested.example')
  const missing = await findDmarc(check, 'missing.nested.example')
  assert.partialDeepStrictEqual(existing, { policy: 'quarantine' })
  assert.partialDeepStrictEqual(missing, { policy: 'none' })
})

test('a walk makes at most eight queries, and skips to the last seven labels', async () => {
  const before = server.queries.length
  await findDmarc(check, 'a.b.c.d.e.f.g.h.i.long.example')
  assert.deepEqual(server.queries.slice(before).toSorted(), [
    'TXT _dmarc.a.b.c.d.e.f.g.h.i.long.example',
    'TXT _dmarc.e.f.g.h.i.long.example',
    'TXT _dmarc.example',
    'TXT _dmarc.f.g.h.i.long.example',
    'TXT _dmarc.g.h.i.long.example',
    'TXT _dmarc.h.i.long.example',
    'TXT _dmarc.i.long.example',
    'TXT _dmarc.long.example',
  ])
})

test('records that receivers do not read are problems with their name', async () => {
  for (const [record, problem] of [
    [['v=DMARC1; p=none', 'v=DMARC1; p=reject'], /^There are 2 DMARC records at _dmarc\.test/],
    ['v=dmarc1; p=none', /^The record "v=dmarc1; p=none" at _dmarc\.test\.example is not read/],
    ['v=DMARC1; p=none; p=reject', /has "p" twice/],
    ['v=DMARC1; p=nothing', /"p=nothing" .* must be none, quarantine or reject/],
    ['v=DMARC1; rua=ann@example.com', /has no policy/],
  ] as const) {
    const found = await findWith(typeof record === 'string' ? record : [...record])
    assert.equal(found.state, 'absent', JSON.stringify(record))
    assert.match(found.problems.join(), problem)
  }
})

test('a record with a wrong policy counts as none where it asks for reports', async () => {
  for (const policy of ['', 'p=nothing; ', 'p=reject; sp=wrong; ', 'p=reject; np=; ']) {
    const found = await findWith(`v=DMARC1; ${policy}rua=mailto:dmarc@test.example`)
    assert.partialDeepStrictEqual(found, { policy: 'none' })
    assert.ok(found.state === 'found' && found.problems.length === 1, policy)
  }
})

test('tags that RFC 9989 removed, and wrong values, are problems of a record that applies', async () => {
  const found = await findWith('v=DMARC1; p=none; pct=50; ri=1; adkim=strict; t=1')
  assert.ok(found.state === 'found')
  assert.equal(found.adkim, 'r')
  assert.deepEqual(found.problems, [
    '"adkim=strict" at _dmarc.test.example must be r or s.',
    '"t=1" at _dmarc.test.example must be y or n.',
    'The record at _dmarc.test.example has "pct", "ri", which receivers no longer read (RFC 9989).',
  ])
})

test('a failure above a record that ends the walk does not matter, and any other does', async () => {
  server.behave('_dmarc.unit.holding.example', 'servfail')
  assert.equal((await findDmarc(check, 'unit.holding.example')).state, 'failed')
  server.behave('_dmarc.example', 'servfail')
  const ended = await findDmarc(dns.check(), 'mail.division.holding.example')
  const other = await findDmarc(dns.check(), 'plain.example')
  server.behave('_dmarc.example', undefined)
  assert.equal(ended.state, 'found')
  assert.partialDeepStrictEqual(other, {
    state: 'failed',
  })
})

test('domains are aligned that are equal, or of one organization where the mode is relaxed', async () => {
  for (const [one, other, relaxed] of [
    ['plain.example', 'plain.example', true],
    ['mail.plain.example', 'plain.example', true],
    ['a.b.c.plain.example', 'other.plain.example', true],
    ['plain.example', 'plain.example.org', false],
    ['plain.example', 'chain.example', false],
    ['plain.example', 'notplain.example', false],
    // Without a record each name is an organization.
    ['bare.example', 'mail.bare.example', false],
    ['unit.suffix.example', 'without.suffix.example', false],
    ['mail.without.suffix.example', 'without.suffix.example', true],
    ['without.suffix.example', 'suffix.example', false],
    ['mail.division.holding.example', 'division.holding.example', true],
    ['division.holding.example', 'holding.example', false],
    ['news.nested.example', 'nested.example', true],
    ['servfail.example', 'mail.servfail.example', undefined],
    ['silent.example', 'plain.example', undefined],
  ] as const) {
    assert.equal(await areAligned(check, one, other, 'r'), relaxed, `${one} ${other}`)
    assert.equal(await areAligned(check, one, other, 's'), one === other, `${one} ${other}`)
  }
})

test('two domains that have only a top-level domain in common are never aligned for certain', async () => {
  server.set('_dmarc.example', 'TXT', ['v=DMARC1; p=none'])
  const fresh = dns.check()
  assert.equal(await areAligned(fresh, 'plain.example', 'chain.example', 'r'), undefined)
  server.set('_dmarc.example', 'TXT', [])
})

test('a record of 60 KB is read and quoted in part', async () => {
  const found = await findWith(`v=dmarc1; ${'x'.repeat(60_000)}`)
  assert.ok(found.state === 'absent')
  assert.ok(found.problems.join().length < 500)
})
