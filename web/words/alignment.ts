import { formatNumber } from './format.ts'

/** The words of alignment, of DNS records and of their links, which several screens use. */
export const alignmentWords = {
  states: {
    aligned: 'Aligned',
    likely: 'Likely aligned',
    notAligned: 'Not aligned',
    cannotTell: 'Cannot tell',
    unchecked: 'Not checked',
  },
  meanings: {
    aligned: 'Receivers that check DMARC will believe this sender.',
    likely:
      'The records that the provider asks for are published. Whether in the account of this transport, DNS does not show.',
    notAligned:
      'The message fails DMARC, or would fail it where there is no DMARC record. Receivers may reject it or treat it as spam. The page of the domain says what is missing.',
    cannotTell: 'DNS does not show whether the message passes DMARC.',
    unchecked: 'It was not checked yet. Open the domain to check it now.',
  },
  title: 'Sender',
  missing: 'Missing:',
  howTo: 'How to',
  createKey: 'Create it',
  record: { type: 'Type', name: 'Name', value: 'Value' },
  copyName: (name: string) => `Copy the name ${name}`,
  copyValue: (name: string) => `Copy the value of ${name}`,
  members: 'Servers and providers of this transport',
  open: (domain: string) => `Open ${domain}`,
  why: (domain: string) => `What is missing for ${domain}`,
  ofTransport: {
    title: 'From domains',
    none: 'None yet. The domains of its messages, of its emails and of its test sender appear here.',
    all: 'All senders',
  },
  ofEmail: {
    title: 'Sender',
    unknown: 'It is not known yet which transport sends it. Check it with the published ones.',
    check: (domain: string) => `Check ${domain}`,
  },
  assign: {
    checking: 'The senders of these emails are being checked.',
    notAligned: (domain: string, transport: string) =>
      `Receivers will not believe ${domain} through ${transport}.`,
    failed: (problem: string) => `The senders of these emails were not checked: ${problem}`,
    unchecked: 'Not checked here; open a domain to check it:',
    onlyFirst: (checked: number, all: number) =>
      `Only the senders of the first ${formatNumber(checked)} of the ${formatNumber(all)} selected were looked at.`,
    defaultSender:
      'Emails without a From address use the default sender, which is not checked here. Look for its domain under Senders.',
  },
  refused: (domain: string) => `The receiver did not believe the sender: see what ${domain} lacks`,
  refusedUnnamed: 'The receiver did not believe the sender: see the From domains of its transport',
  drill: 'From domains that may not be believed',
} as const
