import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
// @ts-expect-error The file has no types.
import getDmarcRecord from 'mailauth/lib/dmarc/get-dmarc-record.js'
import { dkimSelector, dnsDomains, dnsZones } from '../../test/dns-domains.ts'
import { type DnsServer, startDnsServer } from '../../test/dns-server.ts'
import { systemClock } from '../kit/clock.ts'
import { Dns, findDkimKey, findDmarc, findSpf } from './index.ts'

let server: DnsServer
let dns: Dns

before(async () => {
  server = await startDnsServer(dnsZones)
  dns = new Dns({
    servers: [server.address],
    clock: systemClock,
    timeouts: { lookUpMs: 2_000, checkMs: 10_000 },
  })
})

after(async () => {
  await dns.close()
  await server.close()
})

test('there are forty domains', () => {
  assert.equal(new Set(dnsDomains.map(({ domain }) => domain)).size, 40)
})

for (const { domain, about, dmarc, spf, dkim } of dnsDomains) {
  test(`${domain}: ${about}`, async () => {
    const check = dns.check()
    const found = await findDmarc(check, domain)
    assert.equal((await findSpf(check, domain)).state, spf)
    assert.equal((await findDkimKey(check, dkimSelector, domain)).state, dkim)
    const judge = getDmarcRecord as (domain: string, resolver: unknown) => Promise<unknown>
    if (dmarc === 'failed') {
      assert.equal(found.state, 'failed')
      return
    }
    const { foundAt, organization, mode = 'rr' } = dmarc
    assert.notEqual(found.state, 'failed')
    assert.ok(found.state !== 'failed')
    assert.equal(found.organizationalDomain, organization)
    assert.equal(found.state === 'found' ? found.foundAt : null, foundAt)
    if (found.state === 'found') assert.equal(found.adkim + found.aspf, mode)
    const judged = await judge(domain, check.resolver)
    if (foundAt === null) assert.equal(judged, false)
    else assert.partialDeepStrictEqual(judged, { recordDomain: foundAt, orgDomain: organization })
  })
}
