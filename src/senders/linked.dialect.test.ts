import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { addTransport, uniqueName } from '../../test/callers.ts'
import { startDnsServer } from '../../test/dns-server.ts'
import { openMailServer } from '../../test/mail-server.ts'
import { onEachDatabase } from '../../test/on-each-database.ts'

const dns = await startDnsServer({ '_dmarc.brand.example': { TXT: ['v=DMARC1; p=reject'] } })
const server = await openMailServer()
after(() => Promise.all([dns.close(), server.close()]))

const to = 'ann@example.com'

onEachDatabase(
  'what is known of a sender',
  {
    config: { dnsServers: [dns.address], mailerDsn: 'resend+api://re_DEFAULT@default' },
  },
  (shared) => {
    const ask = (...asked: Parameters<typeof shared.service.ask>) => shared.service.ask(...asked)
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
      const { status, body, text } = await ask('POST', `/api/multipleTransports/send/test/${id}`, {
        to,
      })
      assert.equal(status, 200, text)
      return body
    }
    const addKey = async (domain: string) => {
      const { body } = await ask('POST', '/api/dkimKeys/new', { domain })
      const { id, record } = body.dkimKey
      dns.set(record.name, 'TXT', [record.value])
      await ask('POST', `/api/dkimKeys/${id}/check`)
      return id as number
    }
    /** Checks a domain that its provider has no record of. */
    const addUnaligned = async (domain: string) => {
      const { id, name } = await add(domain, 'resend+api://re_KEY@default')
      const { body } = await ask('POST', `/api/senders/${domain}/check?transport=${id}`)
      assert.equal(body.sender.transports[0].verdict, 'notAligned', JSON.stringify(body))
      return { id, name }
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
      await addKey(domain)
      const known = await sendTest(id)
      assert.deepEqual([known.success, known.alignment.verdict], [true, 'aligned'])
      assert.equal(
        known.message,
        'The server accepted the test message to ann@example.com (250 taken).',
      )
    })

    test('a test whose sender cannot be checked still says whether the message was accepted', async (t) => {
      const domain = newDomain()
      const { id } = await add(domain)
      t.mock.method(shared.service.app.dkim, 'findKey', () => Promise.reject(new Error('broken')))
      const { success, alignment } = await sendTest(id)
      assert.deepEqual([success, alignment], [true, null])
      await ask('DELETE', `/api/multipleTransports/${id}/delete`)
    })

    test('a test through an inbox says nothing of its sender, because nothing is sent', async () => {
      const { id } = await add(newDomain(), 'inbox://local')
      assert.equal((await sendTest(id)).alignment, null)
    })

    test('a key that large receivers do not verify is not certain', async () => {
      const domain = newDomain()
      const { id } = await add(domain)
      const { body } = await ask('POST', '/api/dkimKeys/new', { domain, algorithm: 'ed25519' })
      dns.set(body.dkimKey.record.name, 'TXT', [body.dkimKey.record.value])
      await ask('POST', `/api/dkimKeys/${body.dkimKey.id}/check`)
      const { alignment } = await sendTest(id)
      assert.equal(alignment.verdict, 'cannotTell')
      assert.match(alignment.sentence, /Gmail and Outlook\.com do not verify/)
    })

    test('a fire drill checks the domains with what takes over', async () => {
      const domain = newDomain()
      const { id } = await add(domain)
      const email = await ask('POST', '/api/emails/new', {
        name: uniqueName('email'),
        subject: 'News',
        fromAddress: `news@${domain}`,
        customHtml: '<p>Hello</p>',
        isPublished: true,
      })
      const url = `/api/multipleTransport/transportEmail/${email.body.email.id}`
      await ask('POST', url, { transportId: id })
      shared.clock.advance(11_000)
      const { senders } = (await ask('POST', '/api/multipleTransport/drill', { down: [id] })).body
      const found = senders.items.filter((item: { domain: string }) => item.domain === domain)
      assert.deepEqual(
        found.map((item: { to: { kind: string }; member: null; verdict: string }) => [
          item.to.kind,
          item.member,
          item.verdict,
        ]),
        [['default', null, 'notAligned']],
      )
      await ask('DELETE', `/api/multipleTransports/${id}/delete`)
      await ask('DELETE', `/api/emails/${email.body.email.id}/delete`)
      shared.clock.advance(11_000)
    })

    test('a key that does not sign any more is forgotten at once', async () => {
      const domain = newDomain()
      const { id } = await add(domain)
      const key = await addKey(domain)
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
      const { body, status, text } = await ask('POST', '/api/multipleTransport/drill', {
        down: [list],
      })
      assert.equal(status, 200, text)
      const found = body.senders.items.filter((item: { domain: string }) => item.domain === domain)
      assert.deepEqual(
        found.map(
          (item: { to: { transport: { id: number } }; member: string; verdict: string }) => [
            item.to.transport.id,
            item.member,
            item.verdict,
          ],
        ),
        [
          [list, 'resend+api://default', 'notAligned'],
          [list, mailerDsn, 'cannotTell'],
        ],
      )
      await ask('DELETE', `/api/multipleTransports/${list}/delete`)
    })

    test('the findings name a domain that is not believed, and lead to its page', async () => {
      const domain = newDomain()
      const { id, name } = await addUnaligned(domain)
      const { findings } = (await ask('GET', '/api/health/findings')).body
      const finding = findings.find(({ check }: { check: string }) => check === 'senders')
      assert.equal(finding.severity, 'problem')
      assert.ok(
        finding.detail.includes(`${domain} through transport ${id} (${name}): `),
        finding.detail,
      )
      assert.deepEqual(finding.actions, [{ action: 'openSender', id: null, name: domain }])
      await ask('DELETE', `/api/multipleTransports/${id}/delete`)
    })
  },
)
