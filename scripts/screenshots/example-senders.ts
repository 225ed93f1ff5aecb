import assert from 'node:assert/strict'
import type { DnsServer, DnsZones } from '../../test/dns-server.ts'
import type { TestApp } from '../../test/test-app.ts'

/** The records of the From domains of the example data. */
export const exampleZones: DnsZones = {
  '_dmarc.orchard.example': { TXT: ['v=DMARC1; p=quarantine'] },
  '_dmarc.brand1.example': { TXT: ['v=DMARC1; p=none'] },
  'brand1.example': { TXT: ['v=spf1 a:smtp.orchard.example -all'] },
  'smtp.orchard.example': { A: ['192.0.2.10'] },
  '_dmarc.brand2.example': { TXT: ['v=DMARC1; p=reject'] },
  '_dmarc.brand5.example': { TXT: ['v=DMARC1; p=reject; adkim=s'] },
  'brand5.example': { TXT: ['v=spf1 -all'] },
  '_dmarc.brand6.example': { TXT: ['v=DMARC1; p=none'] },
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
