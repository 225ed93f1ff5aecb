import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { dkimSign } from 'mailauth'
import { addTransport, uniqueName } from '../../../test/callers.ts'
import { rsaPair } from '../../../test/dns-domains.ts'
import { startDnsServer } from '../../../test/dns-server.ts'
import { logDeliveries } from '../../../test/log-deliveries.ts'
import { openMailServer } from '../../../test/mail-server.ts'
import { callerOf } from '../../../test/mautics.ts'
import { onEachDatabase } from '../../../test/on-each-database.ts'
import type { TestApp } from '../../../test/test-app.ts'
import type { DeliveryTables } from '../../delivery/index.ts'
import { AppError } from '../../kit/app-error.ts'
import { readPastedSource } from './pasted-source.ts'

const dns = await startDnsServer({ '_dmarc.proof.example': { TXT: ['v=DMARC1; p=reject'] } })
const server = await openMailServer()
after(() => Promise.all([dns.close(), server.close()]))

test('what is not the source of a message is refused, with what to paste instead', () => {
  for (const [text, why] of [
    ['<!DOCTYPE html><html></html>', /web page/],
    ['Original Message\nMessage ID\t<1@x>\nDelivered-To: a@b.example', /Copy to clipboard/],
    ['> From: a@b.example\n> Subject: News\n>\n> Hello', /begin with ">"/],
    ['RnJvbTogYUBiLmV4YW1wbGUNClN1YmplY3Q6IE5ld3MNCg0KSGVsbG8gSmFuZSwNCg==', /base64/],
    ['Hello', /not a header/],
    ['', /not a header/],
  ] as const)
    assert.throws(() => readPastedSource(text), why)
  assert.throws(
    () => readPastedSource(`Subject: News\n\n${'x'.repeat(1_048_576)}`),
    (error) => error instanceof AppError && error.kind === 'too_large',
  )
  const read = readPastedSource('\n\nFrom a@b.example Fri Nov 27\nSubject: News\n\nHello\n')
  assert.equal(read.toString(), 'Subject: News\r\n\r\nHello\r\n')
})

onEachDatabase(
  'a received message',
  (shared) => {
    const ask = (...asked: Parameters<typeof shared.service.ask>) => shared.service.ask(...asked)
    const verify = (message: string) => ask('POST', '/api/senders/verify', { message })

    const mailerDsn = `smtp://127.0.0.1:${server.port}`

    /** Sends an email through a real server, and returns what that received. */
    const send = async (domain: string, { service = shared.service, transportId = 0 } = {}) => {
      const ask = service.ask.bind(service)
      const email = await ask('POST', '/api/emails/new', {
        name: uniqueName('email'),
        subject: 'News',
        fromAddress: `news@${domain}`,
        customHtml: '<p>Hello</p>',
        isPublished: false,
      })
      const { id: emailId } = email.body.email
      if (transportId > 0)
        await ask('POST', `/api/multipleTransport/transportEmail/${emailId}`, { transportId })
      const recipient = `${uniqueName('ann')}@example.com`
      const contact = await ask('POST', '/api/contacts/new', { email: recipient })
      const url = `/api/emails/${emailId}/contact/${contact.body.contact.id}/send`
      const sent = await ask('POST', url)
      assert.equal(sent.body.success, true, sent.text)
      return { recipient, raw: server.received.at(-1)?.raw ?? assert.fail() }
    }

    /** Signs a message as a mail server would. */
    const sign = async (domain: string, raw: string, signTime = new Date()) => {
      const privateKey = rsaPair.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
      const key = { signingDomain: domain, selector: 's1', privateKey }
      const { signatures } = await dkimSign(raw, { ...key, signTime, signatureData: [key] })
      return `${signatures}${raw}`
    }

    /** Sends an email through a transport whose server signs it. */
    const receive = async (domain: string, signTime?: Date) => {
      const { id } = await addTransport(shared.service, { mailerDsn })
      const { raw } = await send(domain, { transportId: id })
      return { id, raw, source: await sign(domain, raw, signTime) }
    }
    const newDomain = () => `${uniqueName('sender')}.proof.example`
    const publishKey = (domain: string) =>
      dns.set(`s1._domainkey.${domain}`, 'TXT', [rsaPair.record])

    test('with a valid signature is the proof of its domain and transport, until the record or the DSN changes', async () => {
      const domain = `${uniqueName('sender')}.proof.example`
      const { id, source } = await receive(domain)
      const name = `s1._domainkey.${domain}`
      dns.set(name, 'TXT', [rsaPair.record])
      const { status, body } = await verify(source)
      assert.equal(status, 200, JSON.stringify(body))
      assert.deepEqual(
        [body.proof.isStored, body.proof.problem, body.proof.verdict, body.proof.domain],
        [true, null, 'aligned', domain],
      )
      assert.equal(body.proof.transport.id, id)
      const url = `/api/senders/${domain}?transport=${id}`
      const find = async () => (await ask('GET', url)).body.sender.transports[0]
      const proven = await find()
      assert.equal(proven.verdict, 'aligned')
      assert.equal(proven.proof.messageId, body.proof.messageId)
      dns.set(name, 'TXT', [])
      const gone = await ask('POST', `/api/senders/${domain}/check?transport=${id}`)
      assert.equal(gone.body.sender.transports[0].verdict, 'cannotTell')
      dns.set(name, 'TXT', [rsaPair.record])
      await ask('PATCH', `/api/multipleTransports/${id}/edit`, { mailerDsn: 'null://null' })
      assert.equal((await find()).proof, null)
    })

    test('of someone else is answered with what was found, and not kept', async () => {
      const domain = `${uniqueName('sender')}.proof.example`
      const { source } = await receive(domain)
      dns.set(`s1._domainkey.${domain}`, 'TXT', [rsaPair.record])
      const other = source.replace(/^Message-ID: <[^>]*>/im, 'Message-ID: <other@x.example>')
      const { body } = await verify(other)
      assert.equal(body.proof.isStored, false)
      assert.match(body.proof.problem, /No accepted delivery of Mailyard has the Message-ID/)
    })

    test('whose Message-ID has deliveries through several transports proves none of them', async () => {
      const domain = newDomain()
      const { id, source } = await receive(domain)
      publishKey(domain)
      const deliveries = shared.service.app.storage.tables<DeliveryTables>()
      const { id: _, ...delivery } = await deliveries
        .selectFrom('deliveries')
        .selectAll()
        .where('transport_id', '=', id)
        .executeTakeFirstOrThrow()
      const other = await addTransport(shared.service, { mailerDsn })
      await logDeliveries(shared.service, [{ ...delivery, transport_id: other.id }])
      const { proof } = (await verify(source)).body
      assert.deepEqual([proof.isStored, proof.verdict, proof.transport], [false, 'aligned', null])
      assert.match(proof.problem, /Several accepted deliveries have this Message-ID/)
    })

    test('whose signature was made before Mailyard sent it proves nothing of the transport', async () => {
      const domain = newDomain()
      const { source } = await receive(domain, new Date(Date.now() - 3_600_000))
      publishKey(domain)
      const { proof } = (await verify(source)).body
      assert.deepEqual([proof.isStored, proof.verdict], [false, 'aligned'])
      assert.match(proof.problem, /made before Mailyard sent the message/)
    })

    test('that was sent before a restart proves nothing of the default transport, whose DSN may have changed', async () => {
      const config = { dnsServers: [dns.address], mailerDsn }
      const service = await shared.openAnother({ config })
      const domain = newDomain()
      const { raw } = await send(domain, { service })
      const message = await sign(domain, raw)
      publishKey(domain)
      const ask = async (each: TestApp) =>
        (await each.ask('POST', '/api/senders/verify', { message })).body.proof
      const restarted = await ask(await shared.openAnother({ config }))
      assert.deepEqual([restarted.isStored, restarted.transport], [false, null])
      assert.match(restarted.problem, /started again after the message was sent/)
      const proof = await ask(service)
      assert.deepEqual([proof.isStored, proof.problem, proof.transport.id], [true, null, null])
    })

    test('without a signature counts only from the mailbox that it was sent to', async () => {
      const domain = newDomain()
      dns.set(domain, 'TXT', ['v=spf1 ip4:192.0.2.7 -all'])
      const { id } = await addTransport(shared.service, { mailerDsn })
      const { recipient, raw } = await send(domain, { transportId: id })
      const deliverTo = (address: string) =>
        [
          `Delivered-To: ${address}`,
          `Authentication-Results: mx.receiver.example; spf=pass smtp.mailfrom=news@${domain}; dmarc=pass`,
          'Received: from mail.example.net (mail.example.net [192.0.2.7]) by mx.receiver.example; Fri, 27 Nov 2026 10:00:00 +0000',
          raw,
        ].join('\r\n')
      const forwarded = (await verify(deliverTo('other@example.com'))).body.proof
      assert.deepEqual([forwarded.isStored, forwarded.verdict], [false, 'aligned'])
      assert.match(forwarded.problem, /not forwarded, with its field Delivered-To/)
      const { proof } = (await verify(deliverTo(recipient))).body
      assert.deepEqual([proof.isStored, proof.problem], [true, null])
    })

    test('is verified for a caller of a Mautic, who adds no proof to a shared transport', async () => {
      const { app } = shared.service
      const domain = newDomain()
      const testedEmailFrom = `news@${domain}`
      const { id } = await addTransport(shared.service, { mailerDsn, testedEmailFrom })
      await ask('POST', `/api/multipleTransports/send/test/${id}`, { to: 'ann@example.com' })
      const message = await sign(domain, server.received.at(-1)?.raw ?? assert.fail())
      publishKey(domain)
      const { signal } = new AbortController()
      const caller = callerOf({ id: 7, name: 'Brand' })
      const shown = await app.senders.verify(message, caller, signal)
      assert.deepEqual([shown.isStored, shown.verdict, shown.transport?.id], [false, 'aligned', id])
      assert.match(shown.problem ?? '', /shared with others/)
      const { proof } = (await verify(message)).body
      assert.deepEqual([proof.isStored, proof.problem], [true, null])
    })

    test('of more than 1 MB is answered 413', async () => {
      assert.equal((await verify(`Subject: x\n\n${'x'.repeat(1_100_000)}`)).status, 413)
    })
  },
  { config: { dnsServers: [dns.address] } },
)
