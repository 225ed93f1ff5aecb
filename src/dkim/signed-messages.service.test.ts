import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { dkimVerify } from 'mailauth/lib/dkim/verify.js'
import { addTransport } from '../../test/callers.ts'
import { startDnsServer } from '../../test/dns-server.ts'
import { openMailServer } from '../../test/mail-server.ts'
import { submitMessage } from '../../test/mautics.ts'
import { onMailyard } from '../../test/on-each-database.ts'
import { Dns } from '../dns/index.ts'
import { examineDkim } from '../health/examine-senders.ts'
import type { TransportTables } from '../transports/index.ts'

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
    async function send(domain: string, transport: string, body = 'Hello Jane'): Promise<string> {
      const text = `From: news@${domain}\nTo: jane@example.net\nSubject: Hello\nX-Mailyard-Transport: ${transport}\nMessage-ID: <${crypto.randomUUID()}@${domain}>\n\n${body}\n`
      const replies = await submitMessage(shared.service, undefined, {
        to: 'jane@example.net',
        sender: `news@${domain}`,
        text,
      })
      assert.deepEqual(replies, ['250 2.0.0'])
      return server.received.at(-1)?.raw ?? assert.fail('nothing was received')
    }
    const ask = (method: 'POST' | 'PATCH' | 'DELETE', path: string, body?: unknown) =>
      shared.service.ask(method, `/api/dkimKeys${path}`, body)
    const addSigning = async (domain: string) => {
      const { id, record } = (await ask('POST', '/new', { domain, algorithm: 'ed25519' })).body
        .dkimKey
      dns.set(record.name, 'TXT', [record.value])
      await ask('POST', `/${id}/check`)
    }
    const isSigned = (raw: string) => /^DKIM-Signature:/im.test(raw)

    test('that servers would change are sent unsigned, as they are, and counted', async () => {
      const domain = newDomain()
      const { name } = await addTransport(shared.service, {
        mailerDsn: `smtp://127.0.0.1:${server.port}`,
      })
      await addSigning(domain)
      const findUnsigned = async () => {
        const { app } = shared.service
        const findings = await examineDkim(app, shared.clock.now(), app.dkim.keys.listUnsigned())
        return findings.find(({ detail }) => detail.includes(domain))?.detail
      }
      assert.equal(await findUnsigned(), undefined)
      const body = 'x'.repeat(999)
      for (let message = 0; message < 3; message += 1) {
        const raw = await send(domain, name, body)
        assert.equal(isSigned(raw), false)
        assert.ok(raw.includes(`\r\n\r\n${body}\r\n`))
      }
      const { text } = await shared.service.ask('GET', '/metrics')
      assert.match(text, /^mailyard_dkim_unsigned_total\{reason="long_line"\} 3$/m)
      assert.match((await findUnsigned()) ?? '', new RegExp(`${domain}, 3 since .* 998 octets`))
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
        const { body } = await shared.service.ask('POST', path, { to: 'jane@example.net' })
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
