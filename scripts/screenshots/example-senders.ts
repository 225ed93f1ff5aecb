import assert from 'node:assert/strict'
import { rsaPair } from '../../test/dns-domains.ts'
import type { DnsServer, DnsZones } from '../../test/dns-server.ts'
import type { TestApp } from '../../test/test-app.ts'

/** The domain that Amazon SES has verified; see `addExampleData` for those of the other transports. */
const verifiedDomain = 'brand2.example'
const token = 'kq4w2m7vexample'

/** The records of the From domains of the example data. */
export const exampleZones: DnsZones = {
  '_dmarc.orchard.example': { TXT: ['v=DMARC1; p=quarantine'] },
  '_dmarc.brand1.example': { TXT: ['v=DMARC1; p=none'] },
  'brand1.example': { TXT: ['v=spf1 a:smtp.orchard.example -all'] },
  'smtp.orchard.example': { A: ['192.0.2.10'] },
  [`_dmarc.${verifiedDomain}`]: { TXT: ['v=DMARC1; p=reject'] },
  [`${token}._domainkey.${verifiedDomain}`]: { CNAME: [`${token}.dkim.amazonses.com`] },
  [`${token}.dkim.amazonses.com`]: { TXT: [rsaPair.record] },
  '_dmarc.brand5.example': { TXT: ['v=DMARC1; p=reject; adkim=s'] },
  'brand5.example': { TXT: ['v=spf1 -all'] },
  '_dmarc.brand6.example': { TXT: ['v=DMARC1; p=none'] },
}

/** Amazon SES has verified one domain; the keys of the other providers are refused. */
export const askExampleProvider: typeof fetch = async (input) => {
  const { hostname, pathname } = new URL(input instanceof Request ? input.url : input)
  if (!hostname.endsWith('amazonaws.com')) return Response.json({}, { status: 401 })
  if (pathname.endsWith('/identities'))
    return Response.json({ EmailIdentities: [{ IdentityName: verifiedDomain }] })
  const dkim = { SigningEnabled: true, Status: 'SUCCESS', Tokens: [token] }
  return Response.json({ VerifiedForSendingStatus: true, DkimAttributes: dkim })
}

/** Publishes a key for the domain of the office relay, and checks all From domains. */
export async function checkExampleSenders(service: TestApp, dns: DnsServer): Promise<void> {
  const ask = async (method: 'GET' | 'POST', path: string, body?: unknown) => {
    const answer = await service.ask(method, path, body)
    assert.ok(answer.status < 300, `${path}: ${answer.text}`)
    return answer.body
  }
  const { dkimKey } = await ask('POST', '/api/dkimKeys/new', { domain: 'orchard.example' })
  dns.set(dkimKey.record.name, 'TXT', [dkimKey.record.value])
  await ask('POST', `/api/dkimKeys/${dkimKey.id}/check`)
  const { senders } = await ask('GET', '/api/senders')
  for (const { domain } of senders) await ask('POST', `/api/senders/${domain}/check`)
}
