import Type, { type Static } from 'typebox'
import { nullable } from '../../../platform/http/index.ts'
import {
  brandField,
  isPublishedField,
  namedStamps,
  plainField,
  type ResourceShape,
  recordFields,
} from '../../../platform/resource/index.ts'

/** Domains are checked by the service, which knows their syntax. Written in Unicode they may be longer than in ASCII. */
const domainMax = 1_000
const selectorMax = 253
/** An RSA key of 4096 bits has 3.3 KB. */
const pemMax = 16_384

const algorithm = Type.Enum(['rsa', 'ed25519'], {
  description:
    '`rsa` (default): RSA with 2048 bits, which every receiver verifies. `ed25519`: short records, but Gmail and Outlook.com do ' +
    'not verify its signatures. Leave it out for an imported key.',
})

export const dkimKeyRecord = recordFields(namedStamps, [], {
  domain: plainField(
    Type.String({
      minLength: 1,
      maxLength: domainMax,
      description:
        'The domain of From whose messages are signed: exactly this one, not its subdomains. It cannot be changed.',
    }),
    Type.String({ description: 'In ASCII: `xn--bcher-kva.example`.' }),
    { fallback: '' },
  ),
  algorithm: plainField(Type.Optional(algorithm), algorithm, { fallback: 'rsa' }),
  selector: plainField(
    Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: selectorMax,
        description:
          'The name of the record in `_domainkey.{domain}`: letters, digits and hyphens, also in several parts with dots. Default: ' +
          'one with the month, such as `mailyard-202601`.',
      }),
    ),
    Type.String(),
    { fallback: '' },
  ),
  privateKey: {
    input: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: pemMax,
        description:
          'Imports this private key instead of creating one: RSA of 1024 to 4096 bits or Ed25519, PKCS#8 or PKCS#1 in PEM. It is ' +
          'stored encrypted and never shown.',
      }),
    ),
  },
  brand: brandField,
  isPublished: {
    ...isPublishedField,
    input: Type.Optional(
      Type.Boolean({
        description:
          'Whether it signs, once its record is found. At most one key of a domain and brand is published: publishing another one takes its ' +
          'place, and is answered 409 while DNS lacks the record of that one. Default of a new key: whether there is no published one.',
      }),
    ),
  },
})

export const dkimKeyInput = Type.Object(dkimKeyRecord.input, {
  title: 'DkimKeyInput',
  examples: [{ domain: 'example.com' }, { domain: 'shop.example.com', algorithm: 'rsa' }],
})
export type DkimKeyInput = Static<typeof dkimKeyInput>

const dnsRecord = Type.Object(
  {
    type: Type.Enum(['TXT']),
    name: Type.String({ description: 'The full name of the record.' }),
    value: Type.String({ description: 'As forms of DNS providers expect it: in one piece.' }),
    zone: Type.String({
      description:
        'The same as a line of a zone file, in strings of at most 255 characters, as RFC 1035 demands.',
    }),
  },
  { title: 'DkimRecord', description: 'The record to publish.' },
)

const exampleRecord = {
  type: 'TXT' as const,
  name: 'mailyard-202601._domainkey.example.com',
  value: 'v=DKIM1; k=rsa; p=MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8A…',
  zone: 'mailyard-202601._domainkey.example.com. 3600 IN TXT ( "v=DKIM1; k=rsa; p=MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8A…" "…" )',
}

export const dkimKeyItem = Type.Object(
  {
    ...dkimKeyRecord.item,
    isActive: Type.Boolean({
      description:
        'Whether messages are signed with it: it is published here, its record was found in DNS once, and its Mautic is connected.',
    }),
    record: dnsRecord,
    problem: nullable(Type.String(), {
      description: 'What the last look-up found wrong, and what to do, as sentences.',
    }),
    dateChecked: nullable(Type.String(), { description: 'When the record was looked up last.' }),
    dateActive: nullable(Type.String(), {
      description: 'When the record was found for the first time.',
    }),
    warnings: Type.Optional(Type.Array(Type.String())),
  },
  {
    title: 'DkimKey',
    examples: [
      dkimKeyRecord.example(1, {
        domain: 'example.com',
        algorithm: 'rsa' as const,
        selector: 'mailyard-202601',
        isActive: false,
        record: exampleRecord,
        problem: null,
        dateChecked: null,
        dateActive: null,
      }),
    ],
  },
)
export type DkimKeyItem = Static<typeof dkimKeyItem>

export const dkimKeyFields = dkimKeyRecord.listFields('domain', 'algorithm', 'selector')

export const dkimKeyShape: ResourceShape = {
  path: '/api/dkimKeys',
  one: 'dkimKey',
  many: 'dkimKeys',
  label: 'DKIM key',
  area: 'multipleTransports',
  fields: dkimKeyFields,
  item: dkimKeyItem,
  input: dkimKeyInput,
  exampleChange: { isPublished: false },
}
