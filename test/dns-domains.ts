import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import type { DnsZones } from './dns-server.ts'

/** A pair of DKIM keys, and the record of its public half. */
export interface DkimPair {
  privateKey: KeyObject
  record: string
}

/** The selector of the keys in {@link dnsZones}. */
export const dkimSelector = 'mailyard'

export const rsaPair = createRsaPair(2_048)
export const shortRsaPair = createRsaPair(768)
export const ed25519Pair = createEd25519Pair()

/** A record of 4 KB, with a note (RFC 6376, section 3.6.1) before the key. */
export const longKeyRecord = rsaPair.record.replace('p=', `n=${'note'.repeat(930)}; p=`)

interface DmarcOf {
  /** Where the record is found; null: there is none. */
  foundAt: string | null
  organization: string
  mode?: string
}

/** A domain of {@link dnsZones}, and what stands in DNS for it. */
export interface DnsDomain {
  domain: string
  about: string
  /** `failed`: the look-up fails. */
  dmarc: DmarcOf | 'failed'
  spf: 'found' | 'invalid' | 'absent' | 'failed'
  dkim: 'found' | 'invalid' | 'absent' | 'failed'
}

/** What is found for a domain. Default: a DMARC record of its own, and no other record. */
function about(
  domain: string,
  about: string,
  {
    dmarc,
    ...records
  }: Partial<Omit<DnsDomain, 'dmarc'>> & { dmarc?: Partial<DmarcOf> | 'failed' } = {},
): DnsDomain {
  return {
    domain,
    about,
    dmarc: dmarc === 'failed' ? dmarc : { foundAt: domain, organization: domain, ...dmarc },
    spf: 'absent',
    dkim: 'absent',
    ...records,
  }
}

/** Forty domains, and what is found for each. */
export const dnsDomains: readonly DnsDomain[] = [
  about('plain.example', 'all three records', { spf: 'found', dkim: 'found' }),
  about('mail.plain.example', 'the policy of the domain above', {
    dmarc: { foundAt: 'plain.example', organization: 'plain.example' },
  }),
  about('a.b.c.plain.example', 'the policy three levels above', {
    dmarc: { foundAt: 'plain.example', organization: 'plain.example' },
  }),
  about('bare.example', 'no record at all', { dmarc: { foundAt: null } }),
  about('nested.example', 'policies at several levels'),
  about('news.nested.example', 'a policy and one above it', {
    dmarc: { organization: 'nested.example' },
  }),
  about('deep.news.nested.example', 'not the nearest policy above, but that of the organization', {
    dmarc: { foundAt: 'nested.example', organization: 'nested.example' },
  }),
  about('a.b.c.d.e.f.g.h.i.long.example', 'more than eight labels', {
    dmarc: { foundAt: 'long.example', organization: 'long.example' },
  }),
  about('unit.suffix.example', 'below a public suffix (psd=y), with a policy'),
  about('without.suffix.example', 'below a public suffix, whose policy applies', {
    dmarc: { foundAt: 'suffix.example' },
  }),
  about('mail.without.suffix.example', 'two levels below a public suffix', {
    dmarc: { foundAt: 'suffix.example', organization: 'without.suffix.example' },
  }),
  about('suffix.example', 'a public suffix itself'),
  about('division.holding.example', 'psd=n: an organization below another'),
  about('mail.division.holding.example', 'below psd=n', {
    dmarc: { foundAt: 'division.holding.example', organization: 'division.holding.example' },
  }),
  about('holding.example', 'above psd=n'),
  about('strict.example', 'strict alignment of both', {
    dmarc: { mode: 'ss' },
    spf: 'found',
    dkim: 'found',
  }),
  about('strict-dkim.example', 'strict alignment of DKIM', {
    dmarc: { mode: 'sr' },
    spf: 'found',
    dkim: 'found',
  }),
  about('two-policies.example', 'two DMARC records, of which none is read', {
    dmarc: { foundAt: null },
  }),
  about('wrong-version.example', 'a DMARC record in the wrong case', { dmarc: { foundAt: null } }),
  about('no-policy.example', 'a DMARC record without policy, with an address for reports'),
  about('testing.example', 't=y'),
  about('servfail.example', 'SERVFAIL for every record', {
    dmarc: 'failed',
    spf: 'failed',
    dkim: 'failed',
  }),
  about('silent.example', 'no answer for any record', {
    dmarc: 'failed',
    spf: 'failed',
    dkim: 'failed',
  }),
  about('mail.servfail.example', 'SERVFAIL above', { dmarc: 'failed' }),
  about('refused.example', 'REFUSED for every record', {
    dmarc: 'failed',
    spf: 'failed',
    dkim: 'failed',
  }),
  about('truncated.example', 'truncated answers', { spf: 'found', dkim: 'found' }),
  about('long-key.example', 'a key of 4 KB', { dkim: 'found' }),
  about('chain.example', 'aliases to the key and the policy', { dkim: 'found' }),
  about('circle.example', 'aliases in a circle', { dmarc: 'failed', dkim: 'failed' }),
  about('ten.example', 'ten includes', { spf: 'found' }),
  about('eleven.example', 'eleven includes', { spf: 'invalid' }),
  about('self.example', 'a record that includes itself', { spf: 'invalid' }),
  about('two-spf.example', 'two SPF records', { spf: 'invalid' }),
  about('wrong-spf.example', 'an SPF record with a fault', { spf: 'invalid' }),
  about('redirect.example', 'an SPF record that redirects', { spf: 'found' }),
  about('void.example', 'three names without address in SPF', { spf: 'invalid' }),
  about('revoked.example', 'a revoked key', { dkim: 'invalid' }),
  about('short-key.example', 'a key of 768 bits', { dkim: 'invalid' }),
  about('ed25519.example', 'an Ed25519 key', { dkim: 'found' }),
  about('xn--bcher-kva.example', 'an internationalized name', { spf: 'found', dkim: 'found' }),
]

const reject = 'v=DMARC1; p=reject'
const dmarcOnly = [
  'ten',
  'eleven',
  'self',
  'two-spf',
  'wrong-spf',
  'redirect',
  'void',
  'revoked',
  'short-key',
  'ed25519',
  'long-key',
  'truncated',
  'xn--bcher-kva',
]
const failing = ['servfail', 'silent', 'refused'] as const
const includes = (count: number) =>
  Array.from({ length: count }, (_, index) => `include:i${index + 1}.provider.example`).join(' ')

/** The records of all domains, for `startDnsServer`. */
export const dnsZones: DnsZones = {
  ...Object.fromEntries(dmarcOnly.map((name) => [`_dmarc.${name}.example`, { TXT: [reject] }])),
  ...Object.fromEntries(
    failing.flatMap((behavior) =>
      ['', '_dmarc.', `${dkimSelector}._domainkey.`].map((prefix) => [
        `${prefix}${behavior}.example`,
        { behavior },
      ]),
    ),
  ),
  ...Object.fromEntries(
    Array.from({ length: 11 }, (_, index) => [
      `i${index + 1}.provider.example`,
      { TXT: [`v=spf1 ip4:198.51.100.${index + 1} -all`] },
    ]),
  ),
  'plain.example': { TXT: ['v=spf1 ip4:192.0.2.0/24 include:spf.provider.example -all', 'site=1'] },
  'spf.provider.example': { TXT: ['v=spf1 ip4:203.0.113.0/24 ip6:2001:db8:1::/48 ~all'] },
  '_dmarc.plain.example': { TXT: [`${reject}; rua=mailto:dmarc@plain.example`] },
  [`${dkimSelector}._domainkey.plain.example`]: { TXT: [rsaPair.record] },
  'mail.plain.example': { A: ['192.0.2.1'] },
  'bare.example': { A: ['192.0.2.1'] },
  '_dmarc.nested.example': { TXT: ['v=DMARC1; p=reject; sp=quarantine; np=none'] },
  '_dmarc.news.nested.example': { TXT: ['v=DMARC1; p=none'] },
  'deep.news.nested.example': { A: ['192.0.2.1'] },
  '_dmarc.long.example': { TXT: [reject] },
  // The walk does not ask here: the name has more than seven labels.
  '_dmarc.b.c.d.e.f.g.h.i.long.example': { TXT: ['v=DMARC1; p=none; psd=n'] },
  '_dmarc.suffix.example': { TXT: ['v=DMARC1; p=none; psd=y; sp=quarantine'] },
  '_dmarc.unit.suffix.example': { TXT: [reject] },
  '_dmarc.holding.example': { TXT: [reject] },
  '_dmarc.division.holding.example': { TXT: ['v=DMARC1; p=quarantine; psd=n'] },
  '_dmarc.strict.example': { TXT: ['v=DMARC1; p=reject; adkim=s; aspf=S'] },
  'strict.example': { TXT: ['v=spf1 include:spf.provider.example ~all'] },
  [`${dkimSelector}._domainkey.strict.example`]: { TXT: [rsaPair.record] },
  '_dmarc.strict-dkim.example': { TXT: ['v=DMARC1;p=reject;adkim=s'] },
  'strict-dkim.example': { TXT: ['v=spf1 include:spf.provider.example ~all'] },
  [`${dkimSelector}._domainkey.strict-dkim.example`]: { TXT: [rsaPair.record] },
  '_dmarc.two-policies.example': { TXT: [reject, 'v=DMARC1; p=none'] },
  '_dmarc.wrong-version.example': { TXT: ['v=dmarc1; p=reject'] },
  '_dmarc.no-policy.example': { TXT: ['v=DMARC1; rua=mailto:dmarc@no-policy.example'] },
  '_dmarc.testing.example': { TXT: ['v=DMARC1; p=quarantine; t=y; pct=50'] },
  'truncated.example': { TXT: ['v=spf1 ip4:192.0.2.0/24 -all'], behavior: 'truncated' },
  [`${dkimSelector}._domainkey.truncated.example`]: {
    TXT: [rsaPair.record],
    behavior: 'truncated',
  },
  [`${dkimSelector}._domainkey.long-key.example`]: { TXT: [longKeyRecord] },
  '_dmarc.chain.example': { CNAME: ['_dmarc.hop.example'] },
  '_dmarc.hop.example': { CNAME: ['_dmarc.plain.example'] },
  [`${dkimSelector}._domainkey.chain.example`]: { CNAME: ['key.hop.example'] },
  'key.hop.example': { CNAME: ['key.hop2.example'] },
  'key.hop2.example': { CNAME: [`${dkimSelector}._domainkey.plain.example`] },
  '_dmarc.circle.example': { behavior: 'loop' },
  [`${dkimSelector}._domainkey.circle.example`]: { behavior: 'loop' },
  'ten.example': { TXT: [`v=spf1 ${includes(10)} -all`] },
  'eleven.example': { TXT: [`v=spf1 ${includes(11)} -all`] },
  'self.example': { TXT: ['v=spf1 include:self.example -all'] },
  'two-spf.example': {
    TXT: ['v=spf1 ip4:192.0.2.0/24 -all', 'v=spf1 include:spf.provider.example -all'],
  },
  'wrong-spf.example': { TXT: ['v=spf1 ipv4:192.0.2.0/24 -all'] },
  'redirect.example': { TXT: ['v=spf1 redirect=plain.example'] },
  'void.example': {
    TXT: [
      'v=spf1 a:one.void.example a:two.void.example mx:three.void.example include:spf.provider.example -all',
    ],
  },
  [`${dkimSelector}._domainkey.revoked.example`]: { TXT: ['v=DKIM1; p='] },
  [`${dkimSelector}._domainkey.short-key.example`]: { TXT: [shortRsaPair.record] },
  [`${dkimSelector}._domainkey.ed25519.example`]: { TXT: [ed25519Pair.record] },
  'xn--bcher-kva.example': { TXT: ['v=spf1 ip4:192.0.2.0/24 -all'] },
  [`${dkimSelector}._domainkey.xn--bcher-kva.example`]: { TXT: [rsaPair.record] },
}

function createRsaPair(modulusLength: number): DkimPair {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength })
  const key = publicKey.export({ type: 'spki', format: 'der' }).toString('base64')
  return { privateKey, record: `v=DKIM1; k=rsa; p=${key}` }
}

function createEd25519Pair(): DkimPair {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const key = publicKey.export({ type: 'spki', format: 'der' }).subarray(-32).toString('base64')
  return { privateKey, record: `v=DKIM1; k=ed25519; p=${key}` }
}
