import assert from 'node:assert/strict'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { describe, test } from 'node:test'
import { startDnsServer } from '../../../test/dns-server.ts'
import { openDns } from '../../../test/open-dns.ts'
import { Dns, type DnsAnswer, type RecordType } from './dns.ts'

const longKey = `v=DKIM1; k=rsa; p=${'A'.repeat(4_096)}`

const { server, dns } = await openDns({
  'example.com': {
    TXT: ['v=spf1 -all', 'other=1'],
    A: ['192.0.2.1'],
    AAAA: ['2001:db8::1'],
    MX: ['mx1.example.com', 'mx2.example.com'],
  },
  '1.2.0.192.in-addr.arpa': { PTR: ['mail.example.com'] },
  'alias.example.com': { CNAME: ['hop.example.com'] },
  'hop.example.com': { CNAME: ['target.example.com'] },
  'target.example.com': { TXT: ['found'] },
  'dangling.example.com': { CNAME: ['missing.example.com'] },
  'long._domainkey.example.com': { TXT: [longKey] },
  'nul.example.com': { TXT: ['a\0b\tc\u{1F600}'] },
  'silent.example.com': { behavior: 'silent' },
  'silenttcp.example.com': { TXT: ['found'], behavior: 'silentTcp' },
  'servfail.example.com': { behavior: 'servfail' },
  'refused.example.com': { behavior: 'refused' },
  'truncated.example.com': { TXT: ['found'], behavior: 'truncated' },
  'closing.example.com': { TXT: ['found'], behavior: 'closing' },
  'garbage.example.com': { behavior: 'garbage' },
  'forged.example.com': { TXT: ['found'], behavior: 'forged' },
  'question.example.com': { TXT: ['found'], behavior: 'otherQuestion' },
  'slow.example.com': { TXT: ['found'], behavior: 'slow' },
  'loop.example.com': { behavior: 'loop' },
  'old.example.com': { TXT: ['found'], behavior: 'old' },
})

const lookUp = (name: string, type: RecordType = 'TXT') => dns.check().lookUp(name, type)

function found(answer: DnsAnswer): readonly string[] {
  assert.equal(answer.state, 'found', JSON.stringify(answer))
  return answer.state === 'found' ? answer.records : []
}

function failed(answer: DnsAnswer): string {
  return answer.state === 'failed' ? `${answer.code}: ${answer.problem}` : JSON.stringify(answer)
}

test('records of each type are found, also for a name in capitals and with a dot at its end', async () => {
  assert.deepEqual(found(await lookUp('Example.COM.')), ['v=spf1 -all', 'other=1'])
  assert.deepEqual(found(await lookUp('example.com', 'A')), ['192.0.2.1'])
  assert.deepEqual(found(await lookUp('example.com', 'AAAA')), ['2001:db8::1'])
  assert.deepEqual(found(await lookUp('example.com', 'MX')), ['mx1.example.com', 'mx2.example.com'])
  assert.deepEqual(found(await lookUp('1.2.0.192.in-addr.arpa', 'PTR')), ['mail.example.com'])
  assert.deepEqual(found(await lookUp('alias.example.com', 'CNAME')), ['hop.example.com'])
})

test('a name without records of the type and a missing name are different answers', async () => {
  const without = await lookUp('target.example.com', 'A')
  const missing = await lookUp('missing.example.com')
  assert.partialDeepStrictEqual(without, { state: 'absent', isNameMissing: false })
  assert.partialDeepStrictEqual(missing, { state: 'absent', isNameMissing: true })
})

test('aliases are followed, also where they lead to a missing name, and a circle is a failure', async () => {
  assert.deepEqual(found(await lookUp('alias.example.com')), ['found'])
  assert.partialDeepStrictEqual(await lookUp('dangling.example.com'), {
    state: 'absent',
    isNameMissing: true,
  })
  assert.match(failed(await lookUp('loop.example.com')), /^EBADRESP: .* in a circle\.$/)
})

test('a key of 4 KB is found over TCP, because it is truncated over UDP', async () => {
  assert.deepEqual(found(await lookUp('long._domainkey.example.com')), [longKey])
  assert.deepEqual(found(await lookUp('truncated.example.com')), ['found'])
  assert.ok(server.queries.includes('tcp TXT long._domainkey.example.com'))
})

test('control characters in a record are replaced, so that a database can store it', async () => {
  assert.deepEqual(found(await lookUp('nul.example.com')), ['a\uFFFDb\tc\u{1F600}'])
})

// At the same time, because some of them wait until the time of a look-up is over.
describe('a server without an answer is a failure with its reason', { concurrency: true }, () => {
  for (const [name, problem] of [
    ['silent', /^ETIMEOUT: /],
    ['silenttcp', /^ETIMEOUT: /],
    ['servfail', /^ESERVFAIL: /],
    ['refused', /^EREFUSED: /],
    ['closing', /^ETIMEOUT: /],
    ['garbage', /^EBADRESP: /],
    ['question', /^ETIMEOUT: /],
  ] as const) {
    test(`the behavior "${name}"`, async () => {
      assert.match(failed(await lookUp(`${name}.example.com`)), problem)
    })
  }
})

test('answers with another id, slow answers and servers without EDNS are no hindrance', async () => {
  for (const name of ['forged', 'slow', 'old']) {
    assert.deepEqual(found(await lookUp(`${name}.example.com`)), ['found'], name)
  }
})

test('names that DNS cannot have are answered without a server', async () => {
  const asked = server.queries.length
  for (const name of ['', '.', 'a..b', 'a\0.example.com', 'bücher.example', 'a b.example', '-\n']) {
    assert.match(failed(await lookUp(name)), /^EBADNAME: /, JSON.stringify(name))
  }
  assert.match(failed(await lookUp(`${'a'.repeat(64)}.example.com`)), /^EBADNAME: /)
  const long = `_dmarc.${'a.'.repeat(130)}example.com`
  assert.partialDeepStrictEqual(await lookUp(long), { state: 'absent', isNameMissing: true })
  assert.match(failed(await lookUp('example.com', '__proto__' as RecordType)), /^EBADQUERY: /)
  assert.equal(server.queries.length, asked)
})

test('in a check each name is asked for once, whatever the answer', async () => {
  const check = dns.check()
  const names = Array.from({ length: 50 }, () => 'servfail.example.com')
  const before = server.queries.length
  const answers = await Promise.all(names.map((name) => check.lookUp(name, 'TXT')))
  assert.equal(new Set(answers).size, 1)
  assert.equal(server.queries.length, before + 1)
})

test('a check fails without further questions once its time is over, or it is aborted', async () => {
  const short = new Dns({
    servers: [server.address],
    timeouts: { lookUpMs: 5_000, checkMs: 50 },
  })
  const check = short.check()
  assert.match(failed(await check.lookUp('silent.example.com', 'TXT')), /took too long/)
  const asked = server.queries.length
  assert.match(failed(await check.lookUp('example.com', 'TXT')), /took too long/)
  assert.equal(server.queries.length, asked)
  short.close()
  const aborting = new AbortController()
  const aborted = dns.check(aborting.signal)
  const waiting = aborted.lookUp('silent.example.com', 'TXT')
  aborting.abort()
  assert.match(failed(await waiting), /^ECANCELLED: /)
  assert.match(failed(await aborted.lookUp('example.com', 'TXT')), /^ECANCELLED: /)
})

test('a check makes at most four look-ups at once, all checks sixteen, and no check more than 250', async () => {
  const holding = createSocket('udp4')
  const held: (() => void)[] = []
  holding.on('message', (bytes, { port, address }) => {
    const answer = Buffer.from(bytes)
    answer.writeUInt16BE(0x81_83, 2)
    held.push(() => holding.send(answer, port, address))
  })
  holding.bind(0, '127.0.0.1')
  await once(holding, 'listening')
  const { port } = holding.address()
  const limited = new Dns({
    servers: [`127.0.0.1:${port}`],
    timeouts: { lookUpMs: 60_000, checkMs: 60_000 },
  })
  const receive = async (count: number) => {
    while (held.length < count) await once(holding, 'message')
  }
  const checks = Array.from({ length: 6 }, () => limited.check())
  const answers = checks.map((check, index) =>
    Array.from({ length: 20 }, (_, name) => check.lookUp(`n${name}.c${index}.example`, 'TXT')),
  )
  await receive(16)
  assert.equal(held.length, 16)
  let answered = 0
  for (let total = 16; total < 120; total += 1) {
    held[answered++]?.()
    await receive(total + 1)
    // Each answer lets one more question begin.
    assert.ok(held.length - answered <= 16)
  }
  for (const answer of held.slice(answered)) answer()
  for (const answer of await Promise.all(answers.flat())) assert.equal(answer.state, 'absent')
  holding.removeAllListeners('message')
  const many = limited.check()
  const all = Array.from({ length: 251 }, (_, name) => many.lookUp(`m${name}.example`, 'TXT'))
  assert.match(failed((await all.at(-1)) as DnsAnswer), /at most 250 look-ups/)
  limited.close()
  for (const answer of await Promise.all(all)) assert.equal(answer.state, 'failed')
  holding.close()
})

test('the next server is asked where one is silent, refuses or is not there', async () => {
  const bad = await startDnsServer({ 'example.com': { behavior: 'refused' } })
  const silent = await startDnsServer({ 'example.com': { behavior: 'silent' } })
  for (const first of [bad.address, silent.address, '127.0.0.1:9']) {
    const several = new Dns({ servers: [first, server.address] })
    const answer = await several.check().lookUp('example.com', 'A')
    assert.deepEqual(found(answer), ['192.0.2.1'], first)
    several.close()
  }
  await bad.close()
  await silent.close()
})

test('a server has an IPv6 address', async () => {
  const other = await startDnsServer({ 'example.com': { TXT: ['six', longKey] } }, '::1')
  const six = new Dns({ servers: [other.address] })
  assert.deepEqual(found(await six.check().lookUp('example.com', 'TXT')), ['six', longKey])
  six.close()
  await other.close()
})

test('close ends all look-ups, and later ones fail', async () => {
  const closed = new Dns({ servers: [server.address] })
  const check = closed.check()
  const waiting = check.lookUp('silent.example.com', 'TXT')
  closed.close()
  assert.match(failed(await waiting), /^ECANCELLED: /)
  assert.match(failed(await closed.check().lookUp('example.com', 'TXT')), /^ECANCELLED: /)
})

test('a check is a resolver for libraries', async () => {
  const { resolver } = dns.check()
  assert.deepEqual(await resolver('example.com', 'TXT'), [['v=spf1 -all'], ['other=1']])
  assert.deepEqual(await resolver('example.com', 'MX'), [
    { exchange: 'mx1.example.com', priority: 0 },
    { exchange: 'mx2.example.com', priority: 1 },
  ])
  assert.deepEqual(await resolver('example.com', 'A'), ['192.0.2.1'])
  await assert.rejects(resolver('missing.example.com', 'TXT'), { code: 'ENOTFOUND' })
  await assert.rejects(resolver('target.example.com', 'A'), { code: 'ENODATA' })
  await assert.rejects(resolver('refused.example.com', 'TXT'), { code: 'EREFUSED' })
})
