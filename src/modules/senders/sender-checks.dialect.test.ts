import assert from 'node:assert/strict'
import { after, afterEach, type TestContext, test } from 'node:test'
import { addSigningKey, addTransport, uniqueName } from '../../../test/callers.ts'
import { startDnsServer } from '../../../test/dns-server.ts'
import { callerOf } from '../../../test/mautics.ts'
import { onEachDatabase } from '../../../test/on-each-database.ts'
import type { SenderTables } from './table.ts'

const dns = await startDnsServer({
  '_dmarc.brand.example': { TXT: ['v=DMARC1; p=reject'] },
  'mail.example.net': { A: ['192.0.2.1'] },
})
after(() => dns.close())

const dayMs = 86_400_000

onEachDatabase(
  'the checks of senders',
  {
    config: { dnsServers: [dns.address], mailerDsn: 'smtp://mail.example.net:587' },
    isStarted: false,
  },
  (shared) => {
    const { ask } = shared

    /** Adds a transport that sends a domain. */
    const add = async () => {
      const domain = `${uniqueName('sender')}.brand.example`
      const mailerDsn = 'smtp://user:secret@mail.example.net:587'
      const testedEmailFrom = `news@${domain}`
      const { id } = await addTransport(shared.service, { mailerDsn, testedEmailFrom })
      return { domain, id: id as number }
    }
    const timesAsked = (domain: string) =>
      dns.queries.filter((query) => query === `TXT _dmarc.${domain}`).length
    const findVerdict = async (domain: string) => {
      const { senders } = (await ask('GET', `/api/senders?search=${domain}`)).body
      return senders[0].transports[0].verdict
    }
    // What was read of the transports is used for ten seconds.
    const forgetTransports = () => shared.clock.advance(11_000)
    /** Does more after Mailyard has looked for its key of a domain, which each check does. */
    const inEachCheck = (t: TestContext, more: (domain: string) => Promise<void>) => {
      const { dkim } = shared.service.app.senders
      const findKey = dkim.findKey.bind(dkim)
      t.mock.method(dkim, 'findKey', async (...asked: Parameters<typeof findKey>) => {
        const key = await findKey(...asked)
        await more(asked[0].domain)
        return key
      })
    }

    afterEach(async () => {
      const { senders } = (await ask('GET', '/api/senders?limit=1000')).body
      for (const { transports } of senders)
        for (const { id } of transports) await ask('DELETE', `/api/multipleTransports/${id}/delete`)
      await shared.service.app.storage.tables<SenderTables>().deleteFrom('sender_uses').execute()
      forgetTransports()
    })

    test('a used domain is checked when its check is a day old, by one of the processes', async () => {
      const { domain } = await add()
      const { senders } = shared.service.app
      const { senders: others } = (await shared.openAnother()).app
      forgetTransports()
      await senders.idle()
      await others.idle()
      assert.equal(timesAsked(domain), 1)
      assert.equal(await findVerdict(domain), 'cannotTell')
      shared.clock.advance(dayMs - 60_000)
      await senders.idle()
      assert.equal(timesAsked(domain), 1)
      shared.clock.advance(60_001)
      await others.idle()
      await senders.idle()
      assert.equal(timesAsked(domain), 2)
    })

    test('domains whose checks fail do not keep others from being checked', async (t) => {
      for (let count = 0; count < 25; count += 1) await add()
      const { domain } = await add()
      forgetTransports()
      inEachCheck(t, async (asked) => {
        if (asked !== domain) throw new Error('broken')
      })
      for (let run = 0; run < 20; run += 1) await shared.service.app.senders.idle()
      assert.equal(await findVerdict(domain), 'cannotTell')
    })

    test('a check that began before a key was changed is neither stored nor shared', async (t) => {
      const { domain, id } = await add()
      const { id: keyId } = await addSigningKey(shared.service, dns, { domain })
      forgetTransports()
      const gates = [1, 2].map(() => ({
        reached: Promise.withResolvers<void>(),
        opened: Promise.withResolvers<void>(),
      }))
      const [earlier = assert.fail(), later = assert.fail()] = gates
      inEachCheck(t, async () => {
        const gate = gates.shift()
        gate?.reached.resolve()
        await gate?.opened.promise
      })
      const check = async () =>
        (await ask('POST', `/api/senders/${domain}/check?transport=${id}`)).body.sender
          .transports[0].verdict
      const first = check()
      await earlier.reached.promise
      await ask('PATCH', `/api/dkimKeys/${keyId}/edit`, { isPublished: false })
      const second = check()
      await later.reached.promise
      later.opened.resolve()
      assert.equal(await second, 'cannotTell')
      earlier.opened.resolve()
      assert.equal(await first, 'aligned')
      assert.equal(await findVerdict(domain), 'cannotTell')
      await ask('DELETE', `/api/dkimKeys/${keyId}/delete`)
    })

    test('a caller of a Mautic who asks about a domain of others learns nothing of a shared transport', async () => {
      const { senders } = shared.service.app
      const { id } = await add()
      const domain = `${uniqueName('foreign')}.brand.example`
      senders.domains.uses.note({ domain, envelopeDomain: domain, transportId: id, brand: 8 })
      await senders.domains.uses.flushing.run()
      forgetTransports()
      await ask('GET', `/api/senders/${domain}?transport=${id}`)
      const caller = callerOf({ id: 7, name: 'Brand' })
      for (const [transport, isAgain] of [
        [id, false],
        [id, true],
        [undefined, false],
      ] as const) {
        const { transports } = await senders.domains.get({ domain, transport, isAgain }, caller)
        assert.deepEqual(transports, [])
      }
    })

    test('the checks of the default transport end with a start, because its DSN may be another one', async () => {
      const db = shared.service.app.storage.tables<SenderTables>()
      const domain = 'default.brand.example'
      shared.service.app.senders.domains.uses.note({
        domain,
        envelopeDomain: domain,
        transportId: null,
        brand: 0,
      })
      await shared.service.app.senders.domains.uses.flushing.run()
      forgetTransports()
      await ask('GET', `/api/senders/${domain}`)
      const count = () => db.selectFrom('sender_checks').where('domain', '=', domain).selectAll()
      assert.equal((await count().execute()).length, 1)
      await shared.service.app.senders.start()
      assert.equal((await count().execute()).length, 0)
    })
  },
)
