import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { domainToASCII } from 'node:url'
import PostalMime from 'postal-mime'
import { createAuthority } from '../../src/libraries/mailer/testing/certificates.case.test.ts'
import { readMauticMessages } from '../mautic-messages.ts'
import { type RealClient, realClients } from './clients/real-clients.ts'
import { openRelay, type TestRelay } from './open-relay.ts'
import { envelopeOf, kinds } from './sample-messages.ts'
import { openScriptedUpstream, type ScriptedUpstream } from './scripted-upstream.ts'
import { openWiretap, type Wiretap } from './wiretap.ts'

const ours = /^(X-EMAIL-ID|X-Contact-Id|X-Owner-Id): .*\r\n/gim

describe('real clients', () => {
  let upstream: ScriptedUpstream
  let relay: TestRelay
  let wiretap: Wiretap
  before(async () => {
    upstream = await openScriptedUpstream()
    relay = await openRelay({ dsn: `smtp://127.0.0.1:${upstream.port}` })
    await relay.start()
    wiretap = await openWiretap(relay.smtpPort)
  })
  after(async () => {
    await wiretap.close()
    await relay.close()
    await upstream.close()
  })

  /** What a client said, and what came out at the other end. */
  const pass = async (send: (port: number) => Promise<void>) => {
    wiretap.overheard.length = 0
    upstream.taken.length = 0
    await send(wiretap.port)
    const [said] = wiretap.overheard
    const [taken] = upstream.taken
    assert.ok(said !== undefined && taken !== undefined)
    assert.equal(upstream.taken.length, 1)
    return { said, taken }
  }

  for (const { name, skip, lacks, send } of realClients) {
    for (const kind of kinds)
      test(`${name}: ${kind}`, { skip: skip || (lacks[kind] ?? false) }, async () => {
        const envelope = envelopeOf(kind)
        const { said, taken } = await pass((port) =>
          send({ kind, ...envelope }, { ...relay.login, folder: relay.folder, port }),
        )
        assert.deepEqual([taken.from, taken.to], [said.from, said.to.map(asciiDomain)])
        const expected = Buffer.from(said.raw.toString('latin1').replace(ours, ''), 'latin1')
        assert.ok(expected.length < said.raw.length, 'X-EMAIL-ID is taken out')
        assert.ok(taken.raw.equals(expected), 'every other byte is the same')
        if (kind === 'large') assert.ok(taken.raw.length > 10_000_000)
      })
  }

  // Mautic sends with Symfony Mailer; where that is missing, any other client passes the same bytes.
  const sender = (): RealClient => {
    const symfony = realClients.find(({ name, skip }) => name === 'Symfony Mailer' && !skip)
    const nodemailer = realClients.find(({ name }) => name === 'nodemailer')
    const found = symfony ?? nodemailer
    assert.ok(found)
    return found
  }
  const passRaw = (raw: Buffer, envelope: { from: string; to: string[] }) =>
    pass((port) =>
      sender().send(
        { kind: 'plain', raw, ...envelope },
        { ...relay.login, folder: relay.folder, port },
      ),
    )
  let hasTemplate = false
  const needTemplate = async () => {
    const values = { name: 'greeting', template: 'Grüße, {{ contact.email }} <b>{{ 1 + 1 }}</b>' }
    if (!hasTemplate) await relay.ask('/api/twigTemplates/new', values)
    hasTemplate = true
  }

  for (const { name, message, sender: from, recipients } of readMauticMessages())
    test(`a message of a real Mautic: ${name}`, async () => {
      await needTemplate()
      const to = [...recipients]
      const { said, taken } = await passRaw(message, { from, to })
      assert.deepEqual([taken.from, taken.to], [said.from, said.to])
      const kept = said.raw.toString('latin1').replace(ours, '')
      const before = await PostalMime.parse(Buffer.from(kept, 'latin1'))
      const after = await PostalMime.parse(taken.raw)
      if (!before.html?.includes('{twigtemplate=1}')) {
        assert.equal(taken.raw.toString('latin1'), kept)
        return
      }
      const put = (text = '') =>
        text.replaceAll('{twigtemplate=1}', `Grüße, ${to[0] ?? ''} <b>2</b>`)
      assert.deepEqual([after.html, after.text], [put(before.html), put(before.text)])
      assert.deepEqual(after.headers, before.headers)
    })
})

describe('real clients over TLS', () => {
  let upstream: ScriptedUpstream
  let relay: TestRelay
  let authorityFile: string
  before(async () => {
    const authority = createAuthority()
    const tls = authority.issue({ names: ['localhost', '127.0.0.1'] })
    upstream = await openScriptedUpstream()
    relay = await openRelay({ dsn: `smtp://127.0.0.1:${upstream.port}`, tls })
    authorityFile = join(relay.folder, 'authority.pem')
    writeFileSync(authorityFile, authority.cert)
    await relay.start()
  })
  after(async () => {
    await relay.close()
    await upstream.close()
  })

  for (const { name, skip, skipTls, send } of realClients)
    test(`${name}: logs in after STARTTLS, the certificate verified`, {
      skip: skip || skipTls,
    }, async () => {
      upstream.taken.length = 0
      const { smtpPort: port, login, folder } = relay
      await send(
        { kind: 'plain', ...envelopeOf('plain') },
        { ...login, folder, port, authorityFile },
      )
      assert.equal(upstream.taken.length, 1)
    })
})

/** Every server takes a domain in ASCII, so that is how it leaves (RFC 5890). */
function asciiDomain(address: string): string {
  const [name = '', domain = ''] = address.split('@')
  return `${name}@${domainToASCII(domain)}`
}
