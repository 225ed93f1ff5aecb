import Type, { type Static } from 'typebox'
import { nullable } from '../http/index.ts'

/** What is known of a From domain and a transport before a message is sent. */
export const verdicts = ['aligned', 'notAligned', 'cannotTell'] as const
export type Verdict = (typeof verdicts)[number]

/** Where a From domain was found. */
export const senderSources = ['delivery', 'email', 'test'] as const
export type SenderSource = (typeof senderSources)[number]

const exampleDomain = 'brand.example'
const exampleDate = '2026-01-31T15:54:35+00:00'

const verdict = Type.Enum([...verdicts], {
  description:
    'Whether receivers that check DMARC (RFC 9989) will believe the sender. `aligned`: they will. `notAligned`: they will not; the message ' +
    'fails DMARC. `cannotTell`: neither is certain; `reasons` say why. A list has the verdict of its worst member.',
  examples: ['aligned'],
})

const sentence = Type.String({
  description: 'The verdict and its main reason, in one sentence.',
  examples: ['SendGrid signs with brand.example, so DMARC passes.'],
})

const reasons = Type.Array(Type.String(), {
  description: 'What was found in DNS and at the provider, and what is missing.',
  examples: [['DKIM: SendGrid says that brand.example is verified in this account.']],
})

/** A DNS record, ready to paste. */
export const dnsRecord = Type.Object(
  {
    type: Type.String({ examples: ['TXT'] }),
    name: Type.String({ description: 'The whole name.', examples: [`_dmarc.${exampleDomain}`] }),
    value: Type.String({ examples: ['v=DMARC1; p=none'] }),
  },
  { title: 'DnsRecord' },
)
export type DnsRecordItem = Static<typeof dnsRecord>

const records = Type.Array(dnsRecord, {
  description:
    'The DNS records to publish, ready to paste. Each replaces a record of the same name and purpose.',
})

const member = Type.Object(
  {
    member: Type.String({
      description: 'The scheme, host and port of the server or API, as attempts name it.',
      examples: ['sendgrid+api://default'],
    }),
    provider: nullable(Type.String(), { examples: ['SendGrid'] }),
    verdict,
    sentence,
    reasons,
    records,
  },
  { title: 'SenderMember' },
)
export type SenderMember = Static<typeof member>

const transportName = {
  id: nullable(Type.Integer(), { description: 'Null: the default transport.', examples: [1] }),
  name: Type.String({ examples: ['Newsletter'] }),
}

const senderTransport = Type.Object(
  {
    ...transportName,
    verdict,
    sentence,
    reasons,
    records,
    members: Type.Array(member, {
      description: 'The servers and APIs of its DSN, in order. A list has more than one.',
    }),
    dateChecked: nullable(Type.String(), {
      description: 'When DNS and the provider were asked; null: not checked yet.',
      examples: [exampleDate],
    }),
  },
  { title: 'SenderTransport' },
)
export type SenderTransport = Static<typeof senderTransport>

const alignmentMode = (description: string) =>
  nullable(Type.Enum(['relaxed', 'strict']), { description, examples: ['relaxed'] })

const dmarc = Type.Object(
  {
    state: Type.Enum(['found', 'absent', 'failed'], {
      description: '`absent`: there is no record. `failed`: DNS did not answer.',
      examples: ['found'],
    }),
    record: nullable(Type.String(), { examples: ['v=DMARC1; p=reject'] }),
    foundAt: nullable(Type.String(), {
      description: 'The name that has the record.',
      examples: [`_dmarc.${exampleDomain}`],
    }),
    organizationalDomain: nullable(Type.String(), { examples: [exampleDomain] }),
    policy: nullable(Type.String(), {
      description: 'The policy that applies to this domain: `none`, `quarantine` or `reject`.',
      examples: ['reject'],
    }),
    adkim: alignmentMode('`strict`: DKIM has to sign with exactly this domain.'),
    aspf: alignmentMode('`strict`: the envelope sender has to be of exactly this domain.'),
    problems: Type.Array(Type.String(), {
      description: 'What is wrong with the record.',
      examples: [[]],
    }),
  },
  { title: 'SenderDmarc' },
)
export type SenderDmarc = Static<typeof dmarc>

export const senderItem = Type.Object(
  {
    domain: Type.String({ examples: [exampleDomain] }),
    dmarc,
    transports: Type.Array(senderTransport),
  },
  { title: 'Sender' },
)
export type SenderItem = Static<typeof senderItem>

export const senderAnswer = Type.Object({ sender: senderItem })

const listedTransport = Type.Object(
  {
    ...transportName,
    verdict: nullable(Type.Enum([...verdicts]), {
      description: 'The verdict of the last check; null: not checked yet.',
      examples: ['aligned'],
    }),
    sentence: nullable(Type.String(), {
      examples: ['SendGrid signs with brand.example, so DMARC passes.'],
    }),
    dateChecked: nullable(Type.String(), { examples: [exampleDate] }),
  },
  { title: 'ListedSenderTransport' },
)

export const listedSender = Type.Object(
  {
    domain: Type.String({ examples: [exampleDomain] }),
    lastUsed: nullable(Type.String(), {
      description: 'When a message was last sent, accurate to the hour; null: none within 30 days.',
      examples: [exampleDate],
    }),
    sources: Type.Array(Type.Enum([...senderSources]), {
      description:
        '`delivery`: messages of the last 30 days. `email`: a published email. `test`: `testedEmailFrom` of a transport.',
      examples: [['delivery', 'email']],
    }),
    policy: nullable(Type.String(), {
      description: 'The DMARC policy that the last check found; null: not checked, or no policy.',
      examples: ['reject'],
    }),
    transports: Type.Array(listedTransport),
  },
  { title: 'ListedSender' },
)
export type ListedSender = Static<typeof listedSender>

export const senderList = Type.Object({
  total: Type.Integer({ examples: [1] }),
  senders: Type.Array(listedSender),
})
export type SenderList = Static<typeof senderList>
