export const senderWords = {
  views: { '': 'From domains', keys: 'DKIM keys' },
  intro:
    'Each From domain, a dot for each transport that sends it, and the one step that is missing. Green: receivers will believe it. Red: they will not.',
  search: 'Find or check a domain',
  empty:
    'No From domain yet. The domains of sent messages, of published emails and of the senders of test messages appear here. Enter a domain above to check it before you use it.',
  noMatch: 'No domain in use matches. Enter a whole domain to check it.',
  alignment: 'Alignment',
  through: (transport: string) => `Through ${transport}`,
  checkDomain: (domain: string) => `Check ${domain}`,
  domain: 'From domain',
  transports: 'Transports',
  policy: 'DMARC',
  next: 'Next step',
  others: 'Others',
  sources: { delivery: 'sent messages', email: 'a published email', test: 'test messages' },
  usedBy: (sources: string) => `In ${sources}.`,
  noTransport: 'No transport sends it. Open it to check it with one.',
} as const
