import assert from 'node:assert/strict'
import { test } from 'node:test'
// @ts-expect-error The file has no types.
import getDmarcRecord from 'mailauth/lib/dmarc/get-dmarc-record.js'
import { dkimSelector, dnsDomains } from '../../../test/dns-domains.ts'
import { openDns } from '../../../test/open-dns.ts'
import { findDkimKey } from './dkim-key.ts'
import { findDmarc } from './dmarc.ts'
import { checkSpf } from './spf.ts'

const { dns } = await openDns()

function stateOf({ state, record, isInvalid }: Awaited<ReturnType<typeof checkSpf>>) {
  if (record === null) return state === 'unknown' ? 'failed' : 'absent'
  return isInvalid ? 'invalid' : 'found'
}

test('there are forty domains', () => {
  assert.equal(new Set(dnsDomains.map(({ domain }) => domain)).size, 40)
})

for (const { domain, about, dmarc, spf, dkim } of dnsDomains) {
  test(`${domain}: ${about}`, async () => {
    const check = dns.check()
    const [found, ownSpf, key] = await Promise.all([
      findDmarc(check, domain),
      checkSpf(check, domain, { addresses: ['192.0.2.1'] }),
      findDkimKey(check, dkimSelector, domain),
    ])
    assert.equal(stateOf(ownSpf), spf)
    assert.equal(key.state, dkim)
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
