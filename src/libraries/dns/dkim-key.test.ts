import assert from 'node:assert/strict'
import { createPublicKey } from 'node:crypto'
import { test } from 'node:test'
import {
  dkimSelector,
  ed25519Pair,
  longKeyRecord,
  rsaPair,
  shortRsaPair,
} from '../../../test/dns-domains.ts'
import { openDns } from '../../../test/open-dns.ts'
import { findDkimKey, parseDkimKey } from './dkim-key.ts'

const { server, dns } = await openDns()

const publicKey = createPublicKey(rsaPair.privateKey)
const spki = publicKey.export({ type: 'spki', format: 'der' }).toString('base64')
const pkcs1 = publicKey.export({ type: 'pkcs1', format: 'der' }).toString('base64')

test('a key is found with its algorithm, through aliases, over TCP and with notes', async () => {
  const rsa = { state: 'found', algorithm: 'rsa', key: spki, bits: 2_048, isTesting: false }
  const find = (domain: string) => findDkimKey(dns.check(), dkimSelector, domain)
  assert.partialDeepStrictEqual(await find('plain.example'), rsa)
  assert.partialDeepStrictEqual(await find('long-key.example'), { ...rsa, record: longKeyRecord })
  assert.partialDeepStrictEqual(await find('chain.example'), rsa)
  const ed25519 = ed25519Pair.record.split('p=')[1]
  assert.partialDeepStrictEqual(await find('ed25519.example'), {
    state: 'found',
    algorithm: 'ed25519',
    key: ed25519,
    bits: null,
  })
})

test('two records at a name are not a key, because receivers read any of them', async () => {
  server.set('s._domainkey.two.example', 'TXT', [rsaPair.record, 'site=1'])
  const found = await findDkimKey(dns.check(), 's', 'two.example')
  assert.partialDeepStrictEqual(found, {
    state: 'invalid',
    problem: 'There are 2 TXT records at s._domainkey.two.example. Leave the one with the key.',
  })
})

test('a bare RSA key, blanks and line ends are the same key', () => {
  for (const record of [
    `p=${spki}`,
    `v=DKIM1; p=${pkcs1}`,
    ` v = DKIM1 ;\r\n\tk=rsa; p=${spki.replace(/.{60}/g, '$& ')};`,
    `v=DKIM1; k=RSA; h=sha1:sha256; s=*; t=s; n=note; p=${spki}`,
  ]) {
    assert.partialDeepStrictEqual(parseDkimKey(record), { algorithm: 'rsa', key: spki })
  }
  assert.partialDeepStrictEqual(parseDkimKey(`t=y; p=${spki}`), { isTesting: true })
})

test('what receivers do not accept as a key has a sentence', () => {
  for (const [record, problem] of [
    ['', /no key/],
    ['v=DKIM1; k=rsa', /no key/],
    ['v=DKIM1; p=', /revoked/],
    ['v=DKIM1; p=!!', /not base64/],
    [`v=DKIM1; p=${'A'.repeat(60_000)}`, /not an RSA key/],
    [shortRsaPair.record, /768 bits/],
    [`v=dkim1; p=${spki}`, /must start with/],
    [`p=${spki}; v=DKIM1`, /must start with/],
    [`v=DKIM1; p=${spki}; p=${spki}`, /twice/],
    [`v=DKIM1; k=dsa; p=${spki}`, /"dsa"/],
    [`v=DKIM1; h=sha1; p=${spki}`, /sha256/],
    [`v=DKIM1; s=tls; p=${spki}`, /not for email/],
    [`v=DKIM1; k=ed25519; p=${spki}`, /not an Ed25519 key/],
    [ed25519Pair.record.replace('k=ed25519; ', ''), /not an RSA key/],
    [`__proto__=1; constructor=2; p`, /no key/],
  ] as const) {
    const key = parseDkimKey(record)
    assert.match('problem' in key ? key.problem : 'a key', problem, record.slice(0, 80))
  }
})
