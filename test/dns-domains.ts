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

/** A domain of {@link dnsZones}, and what stands in DNS for it. */
export interface DnsDomain {
  domain: string
  about: string
  /** Where its DMARC record is found; null: there is none; `failed`: the look-up fails. */
  dmarc: { foundAt: string | null; organization: string; mode?: string } | 'failed'
  spf: 'found' | 'invalid' | 'absent' | 'failed'
  dkim: 'found' | 'invalid' | 'absent' | 'failed'
}

const none = { spf: 'absent', dkim: 'absent' } as const
const own = (domain: string, mode?: string) =>
  mode === undefined
    ? { foundAt: domain, organization: domain }
    : { foundAt: domain, organization: domain, mode }

/** Forty domains, and what is found for each. */
export const dnsDomains: readonly DnsDomain[] = [
  {
    domain: 'plain.example',
    about: 'all three records',
    dmarc: own('plain.example'),
    spf: 'found',
    dkim: 'found',
  },
  {
    domain: 'mail.plain.example',
    about: 'the policy of the domain above',
    dmarc: { foundAt: 'plain.example', organization: 'plain.example' },
    ...none,
  },
  {
    domain: 'a.b.c.plain.example',
    about: 'the policy three levels above',
    dmarc: { foundAt: 'plain.example', organization: 'plain.example' },
    ...none,
  },
  {
    domain: 'bare.example',
    about: 'no record at all',
    dmarc: { foundAt: null, organization: 'bare.example' },
    ...none,
  },
  {
    domain: 'nested.example',
    about: 'policies at several levels',
    dmarc: own('nested.example'),
    ...none,
  },
  {
    domain: 'news.nested.example',
    about: 'a policy and one above it',
    dmarc: { foundAt: 'news.nested.example', organization: 'nested.example' },
    ...none,
  },
  {
    domain: 'deep.news.nested.example',
    about: 'not the nearest policy above, but that of the organization',
    dmarc: { foundAt: 'nested.example', organization: 'nested.example' },
    ...none,
  },
  {
    domain: 'a.b.c.d.e.f.g.h.i.long.example',
    about: 'more than eight labels',
    dmarc: { foundAt: 'long.example', organization: 'long.example' },
    ...none,
  },
  {
    domain: 'unit.suffix.example',
    about: 'below a public suffix (psd=y), with a policy',
    dmarc: own('unit.suffix.example'),
    ...none,
  },
  {
    domain: 'without.suffix.example',
    about: 'below a public suffix, whose policy applies',
    dmarc: { foundAt: 'suffix.example', organization: 'without.suffix.example' },
    ...none,
  },
  {
    domain: 'mail.without.suffix.example',
    about: 'two levels below a public suffix',
    dmarc: { foundAt: 'suffix.example', organization: 'without.suffix.example' },
    ...none,
  },
  {
    domain: 'suffix.example',
    about: 'a public suffix itself',
    dmarc: own('suffix.example'),
    ...none,
  },
  {
    domain: 'division.holding.example',
    about: 'psd=n: an organization below another',
    dmarc: own('division.holding.example'),
    ...none,
  },
  {
    domain: 'mail.division.holding.example',
    about: 'below psd=n',
    dmarc: { foundAt: 'division.holding.example', organization: 'division.holding.example' },
    ...none,
  },
  { domain: 'holding.example', about: 'above psd=n', dmarc: own('holding.example'), ...none },
  {
    domain: 'strict.example',
    about: 'strict alignment of both',
    dmarc: own('strict.example', 'ss'),
    spf: 'found',
    dkim: 'found',
  },
  {
    domain: 'strict-dkim.example',
    about: 'strict alignment of DKIM',
    dmarc: own('strict-dkim.example', 'sr'),
    spf: 'found',
    dkim: 'found',
  },
  {
    domain: 'two-policies.example',
    about: 'two DMARC records, of which none is read',
    dmarc: { foundAt: null, organization: 'two-policies.example' },
    ...none,
  },
  {
    domain: 'wrong-version.example',
    about: 'a DMARC record in the wrong case',
    dmarc: { foundAt: null, organization: 'wrong-version.example' },
    ...none,
  },
  {
    domain: 'no-policy.example',
    about: 'a DMARC record without policy, with an address for reports',
    dmarc: own('no-policy.example'),
    ...none,
  },
  { domain: 'testing.example', about: 't=y', dmarc: own('testing.example'), ...none },
  {
    domain: 'servfail.example',
    about: 'SERVFAIL for every record',
    dmarc: 'failed',
    spf: 'failed',
    dkim: 'failed',
  },
  {
    domain: 'silent.example',
    about: 'no answer for any record',
    dmarc: 'failed',
    spf: 'failed',
    dkim: 'failed',
  },
  { domain: 'mail.servfail.example', about: 'SERVFAIL above', dmarc: 'failed', ...none },
  {
    domain: 'refused.example',
    about: 'REFUSED for every record',
    dmarc: 'failed',
    spf: 'failed',
    dkim: 'failed',
  },
  {
    domain: 'truncated.example',
    about: 'truncated answers',
    dmarc: own('truncated.example'),
    spf: 'found',
    dkim: 'found',
  },
  {
    domain: 'long-key.example',
    about: 'a key of 4 KB',
    dmarc: own('long-key.example'),
    spf: 'absent',
    dkim: 'found',
  },
  {
    domain: 'chain.example',
    about: 'aliases to the key and the policy',
    dmarc: own('chain.example'),
    spf: 'absent',
    dkim: 'found',
  },
  {
    domain: 'circle.example',
    about: 'aliases in a circle',
    dmarc: 'failed',
    spf: 'absent',
    dkim: 'failed',
  },
  {
    domain: 'ten.example',
    about: 'ten includes',
    dmarc: own('ten.example'),
    spf: 'found',
    dkim: 'absent',
  },
  {
    domain: 'eleven.example',
    about: 'eleven includes',
    dmarc: own('eleven.example'),
    spf: 'invalid',
    dkim: 'absent',
  },
  {
    domain: 'self.example',
    about: 'a record that includes itself',
    dmarc: own('self.example'),
    spf: 'invalid',
    dkim: 'absent',
  },
  {
    domain: 'two-spf.example',
    about: 'two SPF records',
    dmarc: own('two-spf.example'),
    spf: 'invalid',
    dkim: 'absent',
  },
  {
    domain: 'wrong-spf.example',
    about: 'an SPF record with a fault',
    dmarc: own('wrong-spf.example'),
    spf: 'invalid',
    dkim: 'absent',
  },
  {
    domain: 'redirect.example',
    about: 'an SPF record that redirects',
    dmarc: own('redirect.example'),
    spf: 'found',
    dkim: 'absent',
  },
  {
    domain: 'void.example',
    about: 'three names without address in SPF',
    dmarc: own('void.example'),
    spf: 'invalid',
    dkim: 'absent',
  },
  {
    domain: 'revoked.example',
    about: 'a revoked key',
    dmarc: own('revoked.example'),
    spf: 'absent',
    dkim: 'invalid',
  },
  {
    domain: 'short-key.example',
    about: 'a key of 768 bits',
    dmarc: own('short-key.example'),
    spf: 'absent',
    dkim: 'invalid',
  },
  {
    domain: 'ed25519.example',
    about: 'an Ed25519 key',
    dmarc: own('ed25519.example'),
    spf: 'absent',
    dkim: 'found',
  },
  {
    domain: 'xn--bcher-kva.example',
    about: 'an internationalized name',
    dmarc: own('xn--bcher-kva.example'),
    spf: 'found',
    dkim: 'found',
  },
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
