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
  through: (transport: string, state: string) => `${transport}: ${state}`,
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
  refused: (domain: string) => `The receiver did not believe the sender: see what ${domain} lacks`,
  refusedUnnamed: 'The receiver did not believe the sender: see the From domains of its transport',
  drill: 'From domains that may not be believed',
} as const
