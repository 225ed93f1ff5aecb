import assert from 'node:assert/strict'
import { after, afterEach, test } from 'node:test'
import { addTransport, uniqueName } from '../../test/callers.ts'
import { startDnsServer } from '../../test/dns-server.ts'
import { callerOf } from '../../test/mautics.ts'
import { onEachDatabase } from '../../test/on-each-database.ts'
import { until } from '../../test/until.ts'
import type { SenderTables } from './table.ts'

const dns = await startDnsServer({
  '_dmarc.brand.example': { TXT: ['v=DMARC1; p=reject'] },
  'mail.example.net': { A: ['192.0.2.1'] },
})
after(() => dns.close())

/** The account at Resend: its domains by name, and their ids. */
const account = new Map<string, string>()
/** The ids of the domains that Resend was asked about. */
let asked: string[] = []
let answering = { now: 0, most: 0 }
/** What the answers of Resend wait for. */
let gate: Promise<void> | undefined

/** Answers as Resend, without a record for the domain. */
const providerFetch: typeof fetch = async (input) => {
  const [, , id] = new URL(input instanceof Request ? input.url : input).pathname.split('/')
  if (id === undefined) {
    const data = [...account].map(([name, each]) => ({ name, id: each }))
    return Response.json({ data, has_more: false })
  }
  asked.push(id)
  answering.now += 1
  answering.most = Math.max(answering.most, answering.now)
  await gate
  answering.now -= 1
  return Response.json({ status: 'pending', records: [] })
}

const resendDsn = 'resend+api://re_KEY@default'
/** A lone surrogate, which cannot be a part of a URL. */
const unreadableId = '\ud800'

onEachDatabase(
  'the checks of senders',
  (shared) => {
    const ask = (...request: Parameters<typeof shared.service.ask>) =>
      shared.service.ask(...request)

    /** Adds a domain to the account, and a transport that sends it. */
    const add = async ({ mailerDsn = resendDsn, id: accountId = uniqueName('id') } = {}) => {
      const domain = `${uniqueName('sender')}.brand.example`
      account.set(domain, accountId)
      const testedEmailFrom = `news@${domain}`
      const { id } = await addTransport(shared.service, { mailerDsn, testedEmailFrom })
      return { domain, accountId, id: id as number }
    }
    const timesAsked = (id: string) => asked.filter((each) => each === id).length
    const findVerdict = async (domain: string) => {
      const { senders } = (await ask('GET', `/api/senders?search=${domain}`)).body
      return senders[0].transports[0].verdict
    }
    /** Holds the answers of Resend back until the function that it returns is called. */
    const holdAnswers = () => {
      const { promise, resolve } = Promise.withResolvers<void>()
      gate = promise
      return resolve
    }
    // What was read of the transports is used for ten seconds.
    const forgetTransports = () => shared.clock.advance(11_000)

    afterEach(async () => {
      gate = undefined
      asked = []
      answering = { now: 0, most: 0 }
      account.clear()
      const { senders } = (await ask('GET', '/api/senders?limit=1000')).body
      for (const { transports } of senders)
        for (const { id } of transports) await ask('DELETE', `/api/multipleTransports/${id}/delete`)
      await shared.service.app.storage.tables<SenderTables>().deleteFrom('sender_uses').execute()
      forgetTransports()
    })

    test('a used domain is checked again when its check is an hour old, by one of the processes', async () => {
      const { domain, accountId } = await add()
      const other = await shared.openAnother()
      forgetTransports()
      const renew = () =>
        Promise.all([shared.service.app.senders.renew(), other.app.senders.renew()])
      await renew()
      assert.equal(timesAsked(accountId), 1)
      assert.equal(await findVerdict(domain), 'cannotTell')
      await renew()
      assert.equal(timesAsked(accountId), 1)
      shared.clock.advance(3_600_001)
      await renew()
      assert.equal(timesAsked(accountId), 2)
    })

    test('a check that a process did not finish is made two minutes later by another', async () => {
      const { domain, accountId, id } = await add()
      forgetTransports()
      await shared.service.app.storage
        .tables<SenderTables>()
        .insertInto('sender_checks')
        .values({
          domain,
          transport_id: id,
          checked_at: 0,
          fresh_until: 0,
          claimed_until: shared.clock.now() + 120_000,
        })
        .execute()
      await shared.service.app.senders.renew()
      assert.equal(timesAsked(accountId), 0)
      assert.equal(await findVerdict(domain), null)
      shared.clock.advance(120_001)
      await shared.service.app.senders.renew()
      assert.equal(timesAsked(accountId), 1)
      assert.equal(await findVerdict(domain), 'cannotTell')
    })

    test('three domains are renewed at a time', async () => {
      for (let count = 0; count < 5; count += 1) await add()
      forgetTransports()
      const open = holdAnswers()
      const renewing = shared.service.app.senders.renew()
      await until(() => answering.now === 3, 'three domains are checked')
      open()
      await renewing
      assert.deepEqual([asked.length, answering.most], [5, 3])
    })

    test('an answer of a provider that cannot be read leaves the domain open, and does not stop the renewal of others', async () => {
      const unreadable = await add({ id: unreadableId })
      const readable = await add()
      forgetTransports()
      await shared.service.app.senders.renew()
      assert.equal(await findVerdict(unreadable.domain), 'cannotTell')
      assert.equal(await findVerdict(readable.domain), 'cannotTell')
      assert.equal(timesAsked(readable.accountId), 1)
      const { body } = await ask('GET', `/api/senders/${unreadable.domain}`)
      assert.match(
        body.sender.transports[0].reasons.join('\n'),
        /The answer of the provider could not be read\./,
      )
    })

    test('a check that began before a key was changed is neither stored nor shared', async () => {
      const list = `failover(smtp://user:secret@mail.example.net:587 ${resendDsn})`
      const { domain, accountId, id } = await add({ mailerDsn: list })
      const { body } = await ask('POST', '/api/dkimKeys/new', { domain })
      const { id: keyId, record } = body.dkimKey
      dns.set(record.name, 'TXT', [record.value])
      await ask('POST', `/api/dkimKeys/${keyId}/check`)
      forgetTransports()
      const verdictOf = async (answer: ReturnType<typeof ask>) =>
        (await answer).body.sender.transports[0].members[0].verdict
      const check = () => verdictOf(ask('POST', `/api/senders/${domain}/check?transport=${id}`))
      const knownQueries = dns.queries.length
      const answerFirst = holdAnswers()
      const first = check()
      await until(
        () =>
          timesAsked(accountId) === 1 &&
          dns.queries.slice(knownQueries).includes(`TXT ${record.name}`),
        'the first check has asked the provider, and for the record of the key',
      )
      await ask('PATCH', `/api/dkimKeys/${keyId}/edit`, { isPublished: false })
      const answerSecond = holdAnswers()
      const second = check()
      await until(() => timesAsked(accountId) === 2, 'the second check asks the provider')
      answerSecond()
      assert.equal(await second, 'cannotTell')
      answerFirst()
      assert.equal(await first, 'aligned')
      const stored = ask('GET', `/api/senders/${domain}?transport=${id}`)
      assert.equal(await verdictOf(stored), 'cannotTell')
      await ask('DELETE', `/api/dkimKeys/${keyId}/delete`)
    })

    test('a caller of a Mautic who asks about a domain of others learns no words of the provider of a shared transport', async () => {
      const { senders } = shared.service.app
      const { id } = await add()
      const domain = `${uniqueName('foreign')}.brand.example`
      const accountId = uniqueName('id')
      account.set(domain, accountId)
      senders.note({ domain, envelopeDomain: domain, transportId: id, mauticId: 8 })
      await senders.uses.flush()
      forgetTransports()
      await ask('GET', `/api/senders/${domain}?transport=${id}`)
      assert.equal(timesAsked(accountId), 1)
      const caller = callerOf({ id: 7, name: 'Brand' })
      for (const transport of [id, undefined])
        assert.deepEqual((await senders.get(domain, transport, caller)).transports, [])
      const { transports } = await senders.check(domain, id, caller)
      assert.deepEqual([transports, timesAsked(accountId)], [[], 1])
    })
  },
  // Nothing is renewed but by the tests.
  { config: { dnsServers: [dns.address] }, providerFetch, isStarted: false },
)
