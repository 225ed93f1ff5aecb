import { formatNumber } from './format.ts'

/** The words of the screens of senders. */
export const senderWords = {
  title: 'Senders',
  views: { '': 'From domains', keys: 'DKIM keys', verify: 'Proof' },
  intro:
    'Each From domain with the transports that send it, and whether receivers will believe it. What is not aligned comes first.',
  search: 'Find or check a domain',
  empty:
    'No From domain yet. The domains of sent messages, of published emails and of the senders of test messages appear here. Enter a domain above to check it before you use it.',
  noMatch: 'No domain in use matches. Enter a whole domain to check it.',
  alignment: 'Alignment',
  through: (transport: string) => `Through ${transport}`,
  checkDomain: (domain: string) => `Check ${domain}`,
  domain: 'From domain',
  transports: 'Transports',
  policy: 'DMARC policy',
  noPolicy: 'No DMARC policy',
  policyOf: (policy: string) => `DMARC: ${policy}`,
  sources: { delivery: 'sent messages', email: 'a published email', test: 'test messages' },
  usedBy: (sources: string) => `In ${sources}.`,
  lastUsed: 'Last sent',
  neverUsed: 'Nothing sent within 30 days.',
  noTransport: 'No transport sends it. Open it to check it with one.',
  more: (count: number) =>
    count === 1 ? '1 more transport' : `${formatNumber(count)} more transports`,
  default: 'Default transport',
  /** One domain. */
  one: {
    check: 'Check again',
    checking: 'DNS and the APIs of the providers are being asked. This takes 15 seconds at most.',
    checked: 'Checked',
    add: 'Check with another transport',
    none: 'No transport sends this domain. Choose one to check it with.',
    showMore: (count: number) =>
      count === 1 ? 'Show 1 more transport' : `Show ${formatNumber(count)} more transports`,
    prove: 'Prove it with a received message',
    proof: 'Proof',
    proofOf: 'Received message',
    proofUntil: 'Kept until',
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
      absent: (domain: string) =>
        `There is no DMARC record. Gmail, Yahoo and Outlook.com ask bulk senders for one: begin with the TXT record “v=DMARC1; p=none” at _dmarc.${domain}.`,
      failed: 'DNS did not answer, so the DMARC record is not known. Check again in a minute.',
    },
    use: { title: 'Use', sources: 'Used by', lastUsed: 'Last sent' },
    key: {
      title: 'DKIM key of Mailyard',
      none: 'Mailyard does not sign messages of this domain. A key helps where you send through your own server.',
      add: 'Create a key',
    },
  },
  /** The proof. */
  verify: {
    title: 'Prove a sender',
    forbidden:
      'The proof sends a message, so it needs the permission to edit transports. Ask an administrator for it.',
    intro:
      'A message that was received is the proof: Mailyard verifies its signatures and reads what the receiver found. The result is kept for 90 days.',
    steps: {
      send: '1. Send a message to a mailbox of your own',
      copy: '2. Copy the source of the message',
      paste: '3. Paste the source',
    },
    transport: 'Transport',
    transportHelp: 'The transport to prove.',
    from: 'From address',
    fromHelp: 'An address of the domain to prove.',
    to: 'Your mailbox',
    toHelp:
      'A mailbox at Gmail or Outlook.com, for example. Your own server may not check senders.',
    send: 'Send the test message',
    sent: 'Wait for the message, then go on with step 2.',
    failed: 'The test failed. Test the transport on its page:',
    already:
      'You can skip this step: any message that Mailyard has sent through this transport works.',
    byDefault:
      'A test cannot be sent through the default transport: send any message through it, then go on with step 2.',
    programs: 'Mail program',
    howTo: {
      gmail: {
        name: 'Gmail',
        steps: [
          'Open the message on a computer.',
          'Click ⋮ (More) beside Reply, then “Show original”.',
          'Click “Copy to clipboard”.',
        ],
      },
      outlook: {
        name: 'Outlook',
        steps: [
          'Outlook.com: open the message, click … (More actions), then “View”, “View message source”.',
          'New Outlook for Windows: click …, then “Save as”, and choose the file (.eml) below.',
          'Select all of the source with Ctrl+A, and copy it with Ctrl+C. The internet headers alone are not enough.',
        ],
      },
      apple: {
        name: 'Apple Mail',
        steps: [
          'Open the message, and choose View, Message, Raw Source.',
          'Select all with ⌘A, and copy it with ⌘C.',
        ],
      },
      thunderbird: {
        name: 'Thunderbird',
        steps: [
          'Open the message, click More, then “View Source” (Ctrl+U).',
          'Select all with Ctrl+A, and copy it with Ctrl+C.',
        ],
      },
    },
    source: 'Source of the message',
    sourceHelp: 'The whole source, from the first header to the end; 1 MB at most.',
    file: 'Or choose the file (.eml)',
    tooLarge: 'The message is larger than 1 MB. Send a test message, which is small.',
    noHeaders:
      'This is not the source of a message: it has no “From:” header. Copy the source, not the text that is shown.',
    verify: 'Verify',
    result: 'Result',
    kept: 'The message is kept as the proof of this sender.',
    notKept: 'The message is not kept as a proof.',
    domain: 'From domain',
    through: 'Sent through',
    messageId: 'Message-ID',
    keptUntil: 'Kept until',
    signatures: 'DKIM signatures',
    noSignature: 'The message has no DKIM signature.',
    signedBy: 'Domain',
    selector: 'Selector',
    outcome: 'Result',
    detail: 'What was found',
    results: { pass: 'Valid', fail: 'Invalid', unknown: 'Unknown' },
    receiver: 'What the receiver found',
    noReceiver:
      'There are no “Authentication-Results” that can be trusted. Send the test to a mailbox at Gmail or Outlook.com: your server may not check senders.',
    server: 'Receiver',
    spf: 'SPF',
    dkim: 'DKIM',
    dmarc: 'DMARC',
  },
} as const
