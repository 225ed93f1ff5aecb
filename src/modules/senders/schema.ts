import Type, { type Static } from 'typebox'
import { nullable } from '../../platform/http/index.ts'

/** What is known of a From domain and a transport before a message is sent. */
export const verdicts = ['aligned', 'likely', 'notAligned', 'cannotTell'] as const
export type Verdict = (typeof verdicts)[number]

/** Where a From domain was found. */
export const senderSources = ['delivery', 'email', 'test'] as const
export type SenderSource = (typeof senderSources)[number]

const exampleDomain = 'brand.example'
const exampleDate = '2026-01-31T15:54:35+00:00'

const verdict = Type.Enum([...verdicts], {
  description:
    'Whether receivers that check DMARC (RFC 9989) will believe the sender. `aligned`: they will: Mailyard signs, or SPF of the envelope ' +
    'domain passes. `likely`: the records that the provider asks for are published. `notAligned`: a record that must be there is not, so ' +
    'DMARC fails. `cannotTell`: DNS does not show it. A list has the verdict of its worst member.',
  examples: ['aligned'],
})

const sentence = Type.String({
  description: 'The verdict and its reason, in one sentence.',
  examples: ['DMARC passes: Mailyard signs with brand.example.'],
})

const dnsRecord = Type.Object(
  {
    type: Type.String({ examples: ['TXT'] }),
    name: Type.String({ description: 'The whole name.', examples: [`_dmarc.${exampleDomain}`] }),
    value: Type.String({ examples: ['v=DMARC1; p=none'] }),
  },
  { title: 'DnsRecord' },
)
export type DnsRecordItem = Static<typeof dnsRecord>

const steps = [
  'publishRecord',
  'correctRecord',
  'createKey',
  'publishKey',
  'setUp',
  'changeTransport',
] as const

const missingStep = Type.Object(
  {
    step: Type.Enum([...steps], {
      description:
        '`publishRecord`: publish `record`. `correctRecord`: correct one that is there. `createKey`, `publishKey`: a DKIM key of Mailyard. ' +
        '`setUp`: set the domain up at the provider or the server. `changeTransport`: use another transport.',
    }),
    sentence: Type.String({ examples: ['Publish a DMARC record.'] }),
    record: Type.Union([dnsRecord, Type.Null()], {
      description:
        'The DNS record to publish, ready to paste. It replaces one of the same name and purpose.',
    }),
    link: nullable(Type.String(), { description: "The provider's page about it." }),
  },
  { title: 'MissingStep' },
)
export type MissingStep = Static<typeof missingStep>

const missing = Type.Union([missingStep, Type.Null()], {
  description: 'The one record or step that is missing; null: none, or DNS did not answer.',
  examples: [null],
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
    missing,
  },
  { title: 'SenderMember' },
)
export type SenderMember = Static<typeof member>

const listedTransport = Type.Object(
  {
    id: nullable(Type.Integer(), { description: 'Null: the default transport.', examples: [1] }),
    name: Type.String({ examples: ['Newsletter'] }),
    verdict: nullable(Type.Enum([...verdicts]), {
      description: 'The verdict of the last check; null: not checked yet.',
      examples: ['aligned'],
    }),
    sentence: nullable(Type.String(), {
      examples: ['DMARC passes: Mailyard signs with brand.example.'],
    }),
    missing,
    dateChecked: nullable(Type.String(), {
      description: 'When DNS was asked; null: not checked yet.',
      examples: [exampleDate],
    }),
  },
  { title: 'ListedSenderTransport' },
)
export type ListedTransport = Static<typeof listedTransport>

const senderTransport = Type.Object(
  {
    ...listedTransport.properties,
    verdict,
    sentence,
    dateChecked: Type.String({ description: 'When DNS was asked.', examples: [exampleDate] }),
    members: Type.Array(member, {
      description: 'The servers and APIs of its DSN, in order. A list has more than one.',
    }),
  },
  { title: 'SenderTransport' },
)

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
