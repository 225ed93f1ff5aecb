import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { authenticate, dkimSign } from 'mailauth'
import { dkimSelector, dnsDomains, dnsZones, rsaPair } from '../../../../test/dns-domains.ts'
import type { DnsServer } from '../../../../test/dns-server.ts'
import { openMailServer } from '../../../../test/mail-server.ts'
import { openDns } from '../../../../test/open-dns.ts'
import { type Dns, findDkimKey } from '../../../libraries/dns/index.ts'
import { createMailer } from '../../../libraries/mailer/index.ts'
import type { Verdict } from '../schema.ts'
import { FactCollector, type FindOwnKey } from './collect-facts.ts'
import { judgeMember, judgeTransport } from './judge.ts'

const server = await openMailServer()
const mailer = createMailer({ policy: { mode: 'open' } })
const smtp = `smtp://127.0.0.1:${server.port}`
const transport = mailer.open(smtp)
after(async () => {
  await transport.close()
  await server.close()
})

/** What happens to a message on its way to the receiving server. */
interface World {
  about: string
  dsn: string
  /** Whether Mailyard has a key of the domain. */
  hasKey?: boolean
  /** With which domain and selector the message is signed. */
  signer?: (domain: string) => { domain: string; selector: string } | undefined
  /** The domain of the envelope sender that the receiving server sees. */
  envelopeOf?: (domain: string) => string
  /** Default: one that is not listed. */
  address?: string
  /** Adds the records of the provider to DNS. */
  publish?: (zones: DnsServer, domain: string) => void
}

const publishResend = (zones: DnsServer, domain: string) =>
  zones.set(`resend._domainkey.${domain}`, 'TXT', [rsaPair.record])
const publishOwn = (zones: DnsServer, domain: string) =>
  zones.set(`${dkimSelector}._domainkey.${domain}`, 'TXT', [rsaPair.record])
const ownSigner = (domain: string) => ({ domain, selector: dkimSelector })
const resendSigner = (domain: string) => ({ domain, selector: 'resend' })
const foreignSigner = () => ({ domain: 'signer.test', selector: dkimSelector })
const listed = '203.0.113.9'
const unlisted = '198.51.100.200'

const worlds: World[] = [
  {
    about: 'a plain server, signed by Mailyard with a published key',
    dsn: smtp,
    hasKey: true,
    publish: publishOwn,
    signer: ownSigner,
  },
  { about: 'a plain server, signed by Mailyard', dsn: smtp, hasKey: true, signer: ownSigner },
  {
    about: 'a plain server whose address is listed, unsigned',
    dsn: 'smtp://203.0.113.9:25',
    address: listed,
  },
  {
    about: 'a plain server whose address is not listed, unsigned',
    dsn: 'smtp://198.51.100.200:25',
  },
  { about: 'a plain server whose DSN forbids signing', dsn: `${smtp}?dkim=off`, hasKey: true },
  { about: 'a plain server that signs with another domain', dsn: smtp, signer: foreignSigner },
  { about: 'a plain server that signs itself', dsn: smtp, signer: ownSigner },
  {
    about: 'a provider where the domain is set up',
    dsn: 'resend+api://KEY@default',
    publish: publishResend,
    signer: resendSigner,
    envelopeOf: () => 'bounces.amazonses.com',
  },
  {
    about: 'a provider where the domain is set up, whose record is gone',
    dsn: 'resend+api://KEY@default',
    signer: resendSigner,
    envelopeOf: () => 'bounces.amazonses.com',
  },
  {
    about: 'a provider through which Mailyard signs, and which breaks the signature',
    dsn: 'smtp://user:secret@smtp.office365.com:587',
    hasKey: true,
    signer: () => undefined,
  },
  {
    about: 'an account whose domain is another one',
    dsn: 'mailgun+api://KEY:mg.signer.test@default',
    signer: foreignSigner,
    envelopeOf: () => 'mg.signer.test',
  },
  {
    about: 'a list of a signed server and of a provider that lacks its record',
    dsn: `failover(${smtp} resend+api://KEY@default)`,
    hasKey: true,
    signer: foreignSigner,
    envelopeOf: () => 'bounces.amazonses.com',
  },
]

const body = 'Hello Jane,\r\n\r\nthe news of today.\r\n'

/** Signs a message with the one key that all domains have. */
async function sign(
  text: string,
  { domain, selector }: { domain: string; selector: string },
): Promise<string> {
  const privateKey = rsaPair.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  const key = { signingDomain: domain, selector, privateKey }
  const { signatures } = await dkimSign(text, { ...key, signatureData: [key] })
  assert.match(signatures, /^DKIM-Signature/)
  return signatures
}

let messages = 0

/** Sends a message through a real server, and returns what that received. */
async function receive(world: World, domain: string): Promise<string> {
  messages += 1
  const messageId = `<${messages}@${domain}>`
  const text = `From: News <news@${domain}>\r\nTo: jane@example.com\r\nSubject: News\r\nMessage-ID: ${messageId}\r\nDate: Fri, 27 Nov 2026 10:00:00 +0000\r\n\r\n${body}`
  const signer = world.signer?.(domain)
  const signed = signer === undefined ? '' : await sign(text, signer)
  const result = await transport.send({
    envelope: { from: `news@${domain}`, to: ['jane@example.com'] },
    raw: Buffer.from(`${signed}${text}`),
  })
  assert.equal(result.outcome, 'accepted')
  return server.received.find(({ raw }) => raw.includes(messageId))?.raw ?? assert.fail()
}

/** What the receiving server says of the message: whether it passes DMARC. */
async function findTruth(world: World, domain: string, dns: Dns): Promise<string> {
  const raw = await receive(world, domain)
  const envelopeDomain = world.envelopeOf?.(domain) ?? domain
  const resolver = dns.check().resolver
  const { dmarc, dkim, spf } = await authenticate(raw, {
    ip: world.address ?? unlisted,
    helo: 'mail.example.net',
    sender: `bounce@${envelopeDomain}`,
    mta: 'mx.example.com',
    resolver: resolver as never,
    disableArc: true,
    disableBimi: true,
  })
  if (dmarc === false) return 'none'
  if (dmarc.status.result !== 'none') return dmarc.status.result
  // Without a policy, what counts is a valid signature of exactly the domain: the worlds have no other aligned one.
  const passes = dkim.results.some(
    ({ signingDomain, status }) => signingDomain === domain && status.result === 'pass',
  )
  const passesSpf = spf !== false && spf.status.result === 'pass' && envelopeDomain === domain
  return passes || passesSpf ? 'pass' : 'fail'
}

async function judge(world: World, domain: string, dns: Dns) {
  const findOwnKey: FindOwnKey = async ({ domain: name }, check) => {
    if (world.hasKey !== true) return undefined
    const found = await findDkimKey(check, dkimSelector, name)
    const isEqual = found.state === 'found' && rsaPair.record.endsWith(found.key)
    const state =
      found.state === 'failed' ? 'failed' : isEqual && !found.isTesting ? 'equal' : 'other'
    const recordName = `${dkimSelector}._domainkey.${name}`
    const record = { type: 'TXT' as const, name: recordName, value: rsaPair.record, zone: '' }
    return { algorithm: 'rsa' as const, isActive: true, record, state }
  }
  const collector = new FactCollector(domain, dns.check(), findOwnKey)
  const asked = { dsn: world.dsn, isPublicOnly: false, brand: 0, otherEnvelope: null }
  const facts = await collector.collect(asked)
  return judgeTransport(facts.map(judgeMember))
}

/** Compares the verdict on each domain with what a receiving server finds, and returns the verdicts. */
async function compare(world: World): Promise<Verdict[]> {
  const { server: zones, dns } = await openDns({
    ...dnsZones,
    [`${dkimSelector}._domainkey.signer.test`]: { TXT: [rsaPair.record] },
  })
  const verdicts: Verdict[] = []
  for (const { domain } of dnsDomains) {
    world.publish?.(zones, domain)
    const [truth, { verdict, sentence }] = await Promise.all([
      findTruth(world, domain, dns),
      judge(world, domain, dns),
    ])
    verdicts.push(verdict)
    const about = `${world.about}: ${domain}: ${verdict} (${sentence}), received: ${truth}`
    if (verdict === 'aligned') assert.equal(truth, 'pass', about)
    if (verdict === 'notAligned') assert.equal(truth, 'fail', about)
    if (['failed', 'temperror'].includes(truth)) assert.equal(verdict, 'cannotTell', about)
  }
  return verdicts
}

test('no verdict contradicts what a receiving server finds, for 40 domains and every kind of transport', async () => {
  assert.ok(dnsDomains.length >= 40)
  // At the same time, because each of them waits for silent DNS servers.
  const verdicts = (await Promise.all(worlds.map(compare))).flat()
  const countOf = (verdict: Verdict) => verdicts.filter((each) => each === verdict).length
  // The verdicts say something, too.
  assert.ok(countOf('aligned') > 40, `${countOf('aligned')}`)
  assert.ok(countOf('likely') > 30, `${countOf('likely')}`)
  assert.ok(countOf('notAligned') > 60, `${countOf('notAligned')}`)
})
