import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { addEmail, addSigningKey, addTransport, uniqueName } from '../../../test/callers.ts'
import { startDnsServer } from '../../../test/dns-server.ts'
import { openMailServer } from '../../../test/mail-server.ts'
import { onEachDatabase } from '../../../test/on-each-database.ts'

const dns = await startDnsServer({ '_dmarc.brand.example': { TXT: ['v=DMARC1; p=reject'] } })
const server = await openMailServer()
after(() => Promise.all([dns.close(), server.close()]))

interface DrilledSender {
  domain: string
  to: { kind: string; transport?: { id: number } }
  member: string | null
  verdict: string
}

onEachDatabase(
  'what is known of a sender',
  { config: { dnsServers: [dns.address], mailerDsn: 'resend+api://re_DEFAULT@default' } },
  (shared) => {
    const { ask, askFor } = shared
    const mailerDsn = `smtp://127.0.0.1:${server.port}`
    const newDomain = () => `${uniqueName('sender')}.brand.example`
    const add = async (domain: string, dsn = mailerDsn) => {
      const made = await addTransport(shared.service, {
        mailerDsn: dsn,
        testedEmailFrom: `news@${domain}`,
      })
      // What was read of the transports is used for ten seconds.
      shared.clock.advance(11_000)
      return made
    }
    const sendTest = async (id: number) => {
      const path = `/api/multipleTransports/send/test/${id}`
      return askFor('POST', path, { to: 'ann@example.com' })
    }
    /** Checks a domain that its provider has no record of. */
    const addUnaligned = async (domain: string) => {
      const { id, name } = await add(domain, 'resend+api://re_KEY@default')
      const { body } = await ask('POST', `/api/senders/${domain}/check?transport=${id}`)
      assert.equal(body.sender.transports[0].verdict, 'notAligned', JSON.stringify(body))
      return { id, name }
    }

    /** What a domain is sent through while a transport is down, and whether it is believed there. */
    const drill = async (domain: string, down: number) => {
      const { senders } = (await ask('POST', '/api/multipleTransport/drill', { down: [down] })).body
      return (senders.items as DrilledSender[])
        .filter((item) => item.domain === domain)
        .map(({ to, member, verdict }) => [to.transport?.id ?? to.kind, member, verdict])
    }

    test('a test says whether its sender will be believed, and stays a success', async () => {
      const domain = newDomain()
      const { id } = await add(domain)
      const unknown = await sendTest(id)
      assert.equal(unknown.success, true)
      assert.equal(unknown.alignment.domain, domain)
      assert.equal(unknown.alignment.verdict, 'cannotTell')
      assert.ok(unknown.message.endsWith(` ${unknown.alignment.sentence}`), unknown.message)
      assert.equal(unknown.alignment.members[0].member, mailerDsn)
      await addSigningKey(shared.service, dns, { domain })
      const known = await sendTest(id)
      assert.deepEqual([known.success, known.alignment.verdict], [true, 'aligned'])
    })

    test('a test whose sender cannot be checked still says whether the message was accepted', async (t) => {
      const domain = newDomain()
      const { id } = await add(domain)
      t.mock.method(shared.service.app.senders.dkim, 'findKey', () =>
        Promise.reject(new Error('broken')),
      )
      const { success, alignment } = await sendTest(id)
      assert.deepEqual([success, alignment], [true, null])
      await ask('DELETE', `/api/multipleTransports/${id}/delete`)
    })

    test('a fire drill checks the domains with what takes over', async () => {
      const domain = newDomain()
      const { id } = await add(domain)
      const email = await addEmail(shared.service, {
        fromAddress: `news@${domain}`,
        isPublished: true,
      })
      const url = `/api/multipleTransport/transportEmail/${email.id}`
      await ask('POST', url, { transportId: id })
      shared.clock.advance(11_000)
      const found = await drill(domain, id)
      assert.deepEqual(found, [['default', null, 'notAligned']])
      await ask('DELETE', `/api/multipleTransports/${id}/delete`)
      await ask('DELETE', `/api/emails/${email.id}/delete`)
      shared.clock.advance(11_000)
    })

    test('a key that does not sign any more is forgotten at once', async () => {
      const domain = newDomain()
      const { id } = await add(domain)
      const { id: key } = await addSigningKey(shared.service, dns, { domain })
      const find = async () =>
        (await ask('GET', `/api/senders/${domain}?transport=${id}`)).body.sender.transports[0]
      assert.equal((await find()).verdict, 'aligned')
      await ask('PATCH', `/api/dkimKeys/${key}/edit`, { isPublished: false })
      assert.equal((await find()).verdict, 'cannotTell')
    })

    test('a fire drill names the domains that would not be believed through what takes over, and through the member that remains', async () => {
      const domain = newDomain()
      const { id: list } = await add(domain, `failover(${mailerDsn} resend+api://re_KEY@default)`)
      await ask('POST', `/api/senders/${domain}/check?transport=${list}`)
      assert.deepEqual(await drill(domain, list), [
        [list, 'resend+api://default', 'notAligned'],
        [list, mailerDsn, 'cannotTell'],
      ])
      await ask('DELETE', `/api/multipleTransports/${list}/delete`)
    })

    test('the findings name a domain that is not believed, and lead to its page', async () => {
      const domain = newDomain()
      const { id } = await addUnaligned(domain)
      const { findings } = (await ask('GET', '/api/health/findings')).body
      const finding = findings.find(({ check }: { check: string }) => check === 'senders')
      assert.equal(finding.severity, 'problem')
      assert.match(finding.detail, new RegExp(`${domain} through "`))
      assert.deepEqual(finding.actions, [{ action: 'openSender', id: null, name: domain }])
      await ask('DELETE', `/api/multipleTransports/${id}/delete`)
    })
  },
)
