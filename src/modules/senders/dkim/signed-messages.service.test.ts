import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { dkimVerify } from 'mailauth/lib/dkim/verify.js'
import { addSigningKey, addTemplate, addTransport } from '../../../../test/callers.ts'
import { startDnsServer } from '../../../../test/dns-server.ts'
import { listenAsGateway, type OpenGateway } from '../../../../test/gateway/open-gateway.ts'
import { openMailServer } from '../../../../test/mail-server.ts'
import { addMautic, submitMessage, type TestMautic } from '../../../../test/mautics.ts'
import { onMailyard } from '../../../../test/on-each-database.ts'
import { until } from '../../../../test/until.ts'
import type { TransportTables } from '../../../core/transports/index.ts'
import { Dns } from '../../../libraries/dns/index.ts'
import { examineDkim } from '../examine-senders.ts'

const dns = await startDnsServer()
const lookUps = new Dns({ servers: [dns.address] })
const server = await openMailServer()
/** Names are used once, because the records of other tests stay on the server. */
let domains = 0
const newDomain = () => {
  domains += 1
  return `signed${domains}.example`
}
after(() => Promise.all([dns.close(), server.close()]))

onMailyard(
  'messages of a domain with a key',
  { config: { dnsServers: [dns.address], outboundAllow: ['127.0.0.1'] } },
  (shared) => {
    /** Sends a message through a transport, and returns it as it was received. */
    async function send(
      domain: string,
      transport: string,
      {
        body = 'Hello Jane',
        mautic,
        from = `news@${domain}`,
      }: { body?: string; mautic?: TestMautic; from?: string } = {},
    ): Promise<string> {
      const text = `From: ${from}\nTo: jane@example.net\nSubject: Hello\nX-Mailyard-Transport: ${transport}\nMessage-ID: <${crypto.randomUUID()}@${domain}>\n\n${body}\n`
      const replies = await submitMessage(shared.service, mautic, {
        to: 'jane@example.net',
        sender: `news@${domain}`,
        text,
      })
      assert.deepEqual(replies, ['250 2.0.0'])
      return server.received.at(-1)?.raw ?? assert.fail('nothing was received')
    }
    const ask = (method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, body?: unknown) =>
      shared.ask(method, `/api/dkimKeys${path}`, body)
    const addSigning = (domain: string, mautic?: TestMautic) =>
      addSigningKey(shared.service, dns, { domain, algorithm: 'ed25519', brand: mautic?.brand })
    const addShared = async () =>
      (await addTransport(shared.service, { mailerDsn: `smtp://127.0.0.1:${server.port}` })).name
    const isSigned = (raw: string) => /^DKIM-Signature:/im.test(raw)
    const selectorIn = (raw: string) => /^DKIM-Signature:.*?[ ;]s=([^;\s]+)/ims.exec(raw)?.[1]
    let gateway: OpenGateway
    /** Two Mautics, of a brand each. */
    let brand: TestMautic
    let other: TestMautic
    before(async () => {
      gateway = await listenAsGateway(shared.service)
      brand = await addMautic(shared.service)
      other = await addMautic(shared.service)
    })

    test('that servers would change are sent unsigned, as they are, and counted', async () => {
      const domain = newDomain()
      const { name } = await addTransport(shared.service, {
        mailerDsn: `smtp://127.0.0.1:${server.port}`,
      })
      await addSigning(domain)
      const findUnsigned = async () => {
        const { app } = shared.service
        const unsigned = app.senders.dkim.keys.listUnsigned()
        const findings = await examineDkim(app, shared.clock.now(), unsigned)
        return findings.find(({ detail }) => detail.includes(domain))?.detail
      }
      assert.equal(await findUnsigned(), undefined)
      const body = 'x'.repeat(999)
      for (let message = 0; message < 3; message += 1) {
        const raw = await send(domain, name, { body })
        assert.equal(isSigned(raw), false)
        assert.ok(raw.includes(`\r\n\r\n${body}\r\n`))
      }
      const { text } = await shared.ask('GET', '/metrics')
      assert.match(text, /^mailyard_dkim_unsigned_total\{reason="long_line"\} 3$/m)
      assert.match(
        (await findUnsigned()) ?? '',
        new RegExp(`^3 messages of ${domain} .* 998 octets`),
      )
      shared.clock.advance(86_400_000)
      assert.equal(await findUnsigned(), undefined)
    })

    for (const algorithm of ['rsa', 'ed25519'])
      test(`are signed once its record is found, and verify, also after another key took its place: ${algorithm}`, async () => {
        const domain = newDomain()
        const { name } = await addTransport(shared.service, {
          mailerDsn: `smtp://127.0.0.1:${server.port}`,
        })
        const verify = async (raw: string) => {
          const { resolver } = lookUps.check()
          const { results } = await dkimVerify(raw, { resolver: resolver as never })
          return results.map((each) => [each.status.result, each.selector, each.signingDomain])
        }
        const { dkimKey: key } = (await ask('POST', '/new', { domain, algorithm })).body
        assert.equal(isSigned(await send(domain, name)), false)
        dns.set(key.record.name, 'TXT', [key.record.value])
        await ask('POST', `/${key.id}/check`)
        const first = await send(domain, name)
        assert.deepEqual(await verify(first), [['pass', key.selector, domain]])
        const { dkimKey: next } = (await ask('POST', '/new', { domain, algorithm })).body
        dns.set(next.record.name, 'TXT', [next.record.value])
        await ask('PATCH', `/${next.id}/edit`, { isPublished: true })
        assert.deepEqual(await verify(await send(domain, name)), [['pass', next.selector, domain]])
        assert.deepEqual(await verify(first), [['pass', key.selector, domain]])
        assert.equal(isSigned(await send(`news.${domain}`, name)), false)
        await ask('PATCH', `/${next.id}/edit`, { isPublished: false })
        assert.equal(isSigned(await send(domain, name)), false)
        await ask('PATCH', `/${next.id}/edit`, { isPublished: true })
        assert.equal(isSigned(await send(domain, name)), true)
        await ask('DELETE', `/${next.id}/delete`)
        assert.equal(isSigned(await send(domain, name)), false)
      })

    test('of no brand, of a brand, and of another brand are each signed with a key for them only', async () => {
      const [domain, name] = [newDomain(), await addShared()]
      const selectorOf = async (mautic?: TestMautic, from?: string) => {
        const raw = await send(domain, name, { ...(mautic && { mautic }), ...(from && { from }) })
        return selectorIn(raw)
      }
      const all = async () => [await selectorOf(), await selectorOf(brand), await selectorOf(other)]
      assert.deepEqual(await all(), [undefined, undefined, undefined])
      const own = (await addSigning(domain)).selector
      assert.deepEqual(await all(), [own, undefined, undefined])
      const key = await addSigning(domain, brand)
      assert.deepEqual(await all(), [own, key.selector, undefined])
      const senders = [
        `"news@${domain}" <ceo@${domain}>`,
        `a@${domain}, b@${domain}`,
        `Team: a@${domain};`,
        `ceo@${domain}\nSender: ceo@${domain}\nResent-From: ceo@${domain}`,
      ]
      for (const from of senders) assert.equal(await selectorOf(other, from), undefined, from)
      assert.equal(await selectorOf(brand, `a@${domain}, b@other.example`), undefined)
      await ask('PATCH', `/${key.id}/edit`, { brand: other.brand })
      assert.deepEqual(await all(), [own, undefined, key.selector])
      await ask('PATCH', `/${key.id}/edit`, { isPublished: false })
      assert.deepEqual(await all(), [own, undefined, undefined])
    })

    test('are counted as unsigned where another brand has the key, with what to do', async () => {
      const [domain, name] = [newDomain(), await addShared()]
      await addSigning(domain)
      await send(domain, name, { mautic: brand })
      const { app } = shared.service
      const unsigned = app.senders.dkim.keys.listUnsigned()
      const findings = await examineDkim(app, shared.clock.now(), unsigned)
      const finding = findings.find(({ detail }) => detail.includes(domain))
      assert.match(finding?.detail ?? '', new RegExp(`It is of brand ${brand.brand}, `))
      assert.match(finding?.fix ?? '', /key of the brand/)
      const { text } = await shared.ask('GET', '/metrics')
      assert.match(text, /^mailyard_dkim_unsigned_total\{reason="submitter"\} \d+$/m)
    })

    test('that wait in the queue are signed for the brand that submitted them, and not once it is unpublished', async () => {
      const domain = newDomain()
      const { id, name } = await addTransport(shared.service, { mailerDsn: 'smtp://127.0.0.1:1' })
      await addSigning(domain)
      const mautic = await addMautic(shared.service)
      const key = await addSigning(domain, mautic)
      const queued = (submitter?: TestMautic) => {
        const messageId = `<${crypto.randomUUID()}@${domain}>`
        const text = `From: ceo@${domain}\nX-Mailyard-Transport: ${name}\nMessage-ID: ${messageId}\n\nHello\n`
        const message = { to: 'jane@example.net', sender: `ceo@${domain}`, text }
        return submitMessage(shared.service, submitter, { ...message, mode: 'queue' })
      }
      const reached = async (submitters: readonly (TestMautic | undefined)[]) => {
        for (const submitter of submitters) assert.deepEqual(await queued(submitter), ['250 2.0.0'])
        await shared.service.app.delivery.idle()
        const mailerDsn = `smtp://127.0.0.1:${server.port}`
        const before = server.received.length
        await shared.ask('PATCH', `/api/multipleTransports/${id}/edit`, { mailerDsn })
        shared.clock.advance(3_600_000)
        await shared.service.app.delivery.idle()
        return server.received.slice(before).map(({ raw }) => selectorIn(raw))
      }
      const sent = await reached([undefined, mautic, brand])
      assert.equal(sent.filter((selector) => selector === undefined).length, 1)
      assert.equal(sent.filter((selector) => selector === key.selector).length, 1)
      assert.equal(new Set(sent).size, 3)
      const unreachable = { mailerDsn: 'smtp://127.0.0.1:1' }
      await shared.askFor('PATCH', `/api/multipleTransports/${id}/edit`, unreachable)
      assert.deepEqual(await queued(mautic), ['250 2.0.0'])
      await shared.askFor('PATCH', `/api/brands/${mautic.brand}/edit`, { isPublished: false })
      const { keys } = shared.service.app.senders.dkim
      await until(() => keys.findSigning(domain, mautic.brand) === undefined, 'it signs no more')
      assert.deepEqual(await reached([]), [undefined])
      const { isActive, warnings } = (await ask('GET', `/${key.id}`)).body.dkimKey
      assert.equal(isActive, false)
      assert.match(warnings.join(' '), /is not published: the key signs nothing/)
    })

    test('are signed for the brand of the transport in tests of transports and templates, for every caller', async () => {
      const domain = newDomain()
      const { service } = shared
      const values = {
        mailerDsn: `smtp://127.0.0.1:${server.port}`,
        testedEmailFrom: `ceo@${domain}`,
        brand: brand.brand,
      }
      const transport = await addTransport(service, values)
      const template = await addTemplate(service, { template: 'Pay now' })
      const to = 'jane@example.net'
      const asked: [string, object][] = [
        [`multipleTransports/send/test/${transport.id}`, { to }],
        [
          'multipleTransports/send/test',
          {
            mailerDsn: transport.mailerDsn,
            id: transport.id,
            testedEmailFrom: `ceo@${domain}`,
            to,
          },
        ],
        ['twigTemplates/send/test', { id: template.id, transportId: transport.id, to }],
      ]
      const areSigned = async (mautic?: TestMautic) => {
        const signed: boolean[] = []
        for (const [path, body] of asked) {
          const answer = mautic
            ? await gateway.askAs(mautic, 'POST', path, body)
            : await service.ask('POST', `/api/${path}`, body)
          assert.equal(answer.body.success, true, answer.text)
          signed.push(isSigned(server.received.at(-1)?.raw ?? ''))
        }
        return signed
      }
      const callers = [undefined, brand]
      await addSigning(domain)
      for (const caller of callers) assert.deepEqual(await areSigned(caller), [false, false, false])
      await addSigning(domain, brand)
      for (const caller of callers) assert.deepEqual(await areSigned(caller), [true, true, true])
    })

    test('are not signed for a server that a caller of a Mautic entered, neither messages nor tests', async () => {
      const domain = newDomain()
      await addSigning(domain)
      const values = {
        mailerDsn: `smtp://127.0.0.1:${server.port}`,
        testedEmailFrom: `news@${domain}`,
      }
      const own = await addTransport(shared.service, values)
      const entered = await addTransport(shared.service, values)
      const rows = shared.service.app.storage.tables<TransportTables>().updateTable('transports')
      await rows.set({ is_public_only: true }).where('id', '=', entered.id).execute()
      const isTestSigned = async (id: number) => {
        const path = `/api/multipleTransports/send/test/${id}`
        const { body } = await shared.ask('POST', path, { to: 'jane@example.net' })
        assert.equal(body.success, true, body.message)
        return isSigned(server.received.at(-1)?.raw ?? '')
      }
      assert.deepEqual(
        [isSigned(await send(domain, own.name)), await isTestSigned(own.id)],
        [true, true],
      )
      assert.equal(isSigned(await send(domain, entered.name)), false)
      assert.equal(await isTestSigned(entered.id), false)
    })
  },
)
