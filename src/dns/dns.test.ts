import assert from 'node:assert/strict'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { describe, test } from 'node:test'
import { encode } from 'dns-packet'
import { startDnsServer } from '../../test/dns-server.ts'
import { openDns } from '../../test/open-dns.ts'
import { systemClock } from '../kit/clock.ts'
import { Dns, type DnsAnswer, type RecordType } from './index.ts'
import { encodeQuery, readResponse } from './packets.ts'

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
  'referral.example.com': { behavior: 'referral' },
  'truncated.example.com': { TXT: ['found'], behavior: 'truncated' },
  'closing.example.com': { TXT: ['found'], behavior: 'closing' },
  'garbage.example.com': { behavior: 'garbage' },
  'forged.example.com': { TXT: ['found'], behavior: 'forged' },
  'question.example.com': { TXT: ['found'], behavior: 'otherQuestion' },
  'slow.example.com': { TXT: ['found'], behavior: 'slow' },
  'loop.example.com': { behavior: 'loop' },
  'old.example.com': { TXT: ['found'], behavior: 'old' },
})
for (let step = 1; step <= 12; step += 1) {
  server.set(`step${step}.example.com`, 'CNAME', [`step${step + 1}.example.com`])
}

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

test('aliases are followed and named, also where they lead to a missing name', async () => {
  assert.partialDeepStrictEqual(await lookUp('alias.example.com'), {
    state: 'found',
    records: ['found'],
    aliases: ['hop.example.com', 'target.example.com'],
  })
  assert.partialDeepStrictEqual(await lookUp('dangling.example.com'), {
    state: 'absent',
    isNameMissing: true,
    aliases: ['missing.example.com'],
  })
})

test('aliases in a circle, and more than eight, are a failure', async () => {
  assert.match(failed(await lookUp('loop.example.com')), /^ESERVFAIL: .* lead in a circle\.$/)
  assert.match(failed(await lookUp('step1.example.com')), /more than 8 aliases/)
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
    ['silent', /^ETIMEOUT: No DNS server answered within 2 s\.$/],
    ['silenttcp', /^ETIMEOUT: /],
    ['servfail', /^ESERVFAIL: The DNS server answered SERVFAIL for servfail\.example\.com\.$/],
    ['refused', /^EREFUSED: /],
    ['referral', /^EREFUSED: .* names other servers\. Set MAILYARD_DNS_SERVERS to a resolver\.$/],
    ['closing', /^EBADRESP: /],
    ['garbage', /^ETIMEOUT: /],
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

test('an answer is kept as long as its TTL, at most an hour, and a fresh check asks again', async () => {
  let now = 1_000_000
  const clock = { now: () => now }
  const cached = new Dns({ servers: [server.address], clock })
  const asked = () => server.queries.filter((query) => query === 'TXT ttl.example.org').length
  server.set('ttl.example.org', 'TXT', ['one'], 100)
  const ask = async (isFresh = false) =>
    found(await cached.check({ isFresh }).lookUp('ttl.example.org', 'TXT'))
  assert.deepEqual(await ask(), ['one'])
  server.set('ttl.example.org', 'TXT', ['two'], 100_000)
  now += 99_000
  assert.deepEqual(await ask(), ['one'])
  now += 1_000
  assert.deepEqual(await ask(), ['two'])
  server.set('ttl.example.org', 'TXT', ['three'], 100)
  now += 3_599_000
  assert.deepEqual(await ask(), ['two'])
  assert.deepEqual(await ask(true), ['three'])
  assert.equal(asked(), 3)
  server.set('ttl.example.org', 'TXT', ['four'], 0)
  now += 100_000
  assert.deepEqual(await ask(), ['four'])
  assert.deepEqual(await ask(), ['four'])
  assert.equal(asked(), 5)
  await cached.close()
})

test('an absence is kept as long as the authority says, and a failure is not kept', async () => {
  let now = 1_000_000
  const other = await startDnsServer({ 'down.example.org': { behavior: 'servfail' } })
  const cached = new Dns({ servers: [other.address], clock: { now: () => now } })
  const ask = async (name: string) => (await cached.check().lookUp(name, 'TXT')).state
  assert.equal(await ask('new.example.org'), 'absent')
  other.set('new.example.org', 'TXT', ['found'])
  now += 59_000
  assert.equal(await ask('new.example.org'), 'absent')
  now += 1_000
  assert.equal(await ask('new.example.org'), 'found')
  assert.equal(await ask('down.example.org'), 'failed')
  other.set('down.example.org', 'TXT', ['found'])
  other.behave('down.example.org', undefined)
  assert.equal(await ask('down.example.org'), 'found')
  await cached.close()
  await other.close()
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
    clock: systemClock,
    timeouts: { lookUpMs: 5_000, checkMs: 50 },
  })
  const check = short.check()
  assert.match(failed(await check.lookUp('silent.example.com', 'TXT')), /took too long/)
  const asked = server.queries.length
  assert.match(failed(await check.lookUp('example.com', 'TXT')), /took too long/)
  assert.equal(server.queries.length, asked)
  await short.close()
  const aborting = new AbortController()
  const aborted = dns.check({ signal: aborting.signal })
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
    clock: systemClock,
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
  await limited.close()
  for (const answer of await Promise.all(all)) assert.equal(answer.state, 'failed')
  holding.close()
})

test('the next server is asked where one is silent, refuses or is not there', async () => {
  const bad = await startDnsServer({ 'example.com': { behavior: 'refused' } })
  const silent = await startDnsServer({ 'example.com': { behavior: 'silent' } })
  for (const first of [bad.address, silent.address, '127.0.0.1:9']) {
    const several = new Dns({ servers: [first, server.address], clock: systemClock })
    const answer = await several.check().lookUp('example.com', 'A')
    assert.deepEqual(found(answer), ['192.0.2.1'], first)
    await several.close()
  }
  await bad.close()
  await silent.close()
})

test('a server has an IPv6 address', async () => {
  const other = await startDnsServer({ 'example.com': { TXT: ['six', longKey] } }, '::1')
  const six = new Dns({ servers: [other.address], clock: systemClock })
  assert.deepEqual(found(await six.check().lookUp('example.com', 'TXT')), ['six', longKey])
  await six.close()
  await other.close()
})

test('packets that say they have more than 250 records are not read', async () => {
  const socket = createSocket('udp4')
  const name = 'many.example.com'
  socket.on('message', (bytes, { port, address }) => {
    const answer = encode({
      type: 'response',
      id: bytes.readUInt16BE(0),
      questions: [{ name, type: 'A' }],
      answers: [{ type: 'A', name, ttl: 1, data: '192.0.2.1' }],
    })
    answer.writeUInt16BE(0xff_ff, 6)
    socket.send(answer, port, address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  const { port } = socket.address()
  const hostile = new Dns({
    servers: [`127.0.0.1:${port}`],
    clock: systemClock,
    timeouts: { lookUpMs: 200, checkMs: 10_000 },
  })
  assert.match(failed(await hostile.check().lookUp(name, 'A')), /^ETIMEOUT: /)
  await hostile.close()
  socket.close()
})

test('a packet with a chain of pointers is not read', () => {
  const query = encodeQuery({ name: 'a.example', type: 'CNAME' }, { hasEdns: false })
  const bytes = Buffer.from(query.bytes)
  bytes.writeUInt16BE(0x81_80, 2)
  bytes.writeUInt16BE(1, 6)
  const packetWith = (pointers: number) => {
    const packet = Buffer.alloc(bytes.length + 11 + pointers * 2)
    bytes.copy(packet)
    // A record of an unknown type, whose data are the pointers.
    packet.writeUInt16BE(0xff_00, bytes.length + 1)
    packet.writeUInt16BE(1, bytes.length + 3)
    packet.writeUInt16BE(pointers * 2, bytes.length + 9)
    for (let index = 0; index < pointers; index += 1) {
      const at = bytes.length + 11 + index * 2
      packet.writeUInt16BE(0xc0_00 | (index === 0 ? 12 : at - 2), at)
    }
    return packet
  }
  assert.equal(readResponse(packetWith(100), query)?.code, 'NOERROR')
  assert.equal(readResponse(packetWith(7_000), query), undefined)
})

test('close ends all look-ups, and later ones fail', async () => {
  const closed = new Dns({ servers: [server.address], clock: systemClock })
  const check = closed.check()
  const waiting = check.lookUp('silent.example.com', 'TXT')
  await closed.close()
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
