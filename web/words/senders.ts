import { counted, formatNumber } from './format.ts'

/** The words of the screens of senders. */
export const senderWords = {
  views: { '': 'From domains', keys: 'DKIM keys' },
  intro:
    'Each From domain with the transports that send it, whether receivers will believe it, and the one record or step that is missing.',
  search: 'Find or check a domain',
  empty:
    'No From domain yet. The domains of sent messages, of published emails and of the senders of test messages appear here. Enter a domain above to check it before you use it.',
  noMatch: 'No domain in use matches. Enter a whole domain to check it.',
  alignment: 'Alignment',
  through: (transport: string) => `Through ${transport}`,
  checkDomain: (domain: string) => `Check ${domain}`,
  domain: 'From domain',
  transports: 'Transports',
  noPolicy: 'No DMARC policy',
  policyOf: (policy: string) => `DMARC: ${policy}`,
  sources: { delivery: 'sent messages', email: 'a published email', test: 'test messages' },
  usedBy: (sources: string) => `In ${sources}.`,
  neverUsed: 'Nothing sent within 30 days.',
  noTransport: 'No transport sends it. Open it to check it with one.',
  more: (count: number) => counted(count, 'more transport'),
  /** One domain. */
  one: {
    check: 'Check again',
    checking: 'DNS is being asked. This takes 15 seconds at most.',
    checked: 'Checked',
    add: 'Check with another transport',
    none: 'No transport sends this domain. Choose one to check it with.',
    showMore: (count: number) =>
      count === 1 ? 'Show 1 more transport' : `Show ${formatNumber(count)} more transports`,
    dmarc: {
      title: 'DMARC',
      foundAt: 'Found at',
      organizationalDomain: 'Organizational domain',
      policy: 'Policy',
      policies: {
        none: 'none: failing messages are delivered',
        quarantine: 'quarantine: failing messages are treated as spam',
        reject: 'reject: failing messages are rejected',
      } as Readonly<Record<string, string>>,
      adkim: 'DKIM',
      aspf: 'SPF',
      modes: { relaxed: 'relaxed: subdomains are aligned', strict: 'strict: exactly this domain' },
      absent:
        'There is no DMARC record. Gmail, Yahoo and Outlook.com ask bulk senders for one: begin with this.',
      failed: 'DNS did not answer, so the DMARC record is not known. Check again in a minute.',
    },
    use: { title: 'Use', sources: 'Used by' },
    key: {
      title: 'DKIM key of Mailyard',
      none: 'Mailyard does not sign messages of this domain. A key helps where you send through your own server.',
      add: 'Create a key',
    },
  },
} as const
