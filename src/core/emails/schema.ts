import { sql } from 'kysely'
import Type, { type Static } from 'typebox'
import { optionalText } from '../../platform/http/index.ts'
import {
  addressField,
  brandField,
  flagField,
  isPublishedField,
  jsonField,
  mauticStamps,
  nameField,
  type ResourceShape,
  recordFields,
  textField,
} from '../../platform/resource/index.ts'

const bodyLengthMax = 1_000_000
/** Name and value of a header field (RFC 5322, section 2.2), without control characters, which could add other headers. */
const headerName = '^[!-9;-~]{1,76}$'
const headerValue = '^[^\\u0000-\\u001f\\u007f]*$'

/** More than any message has. Each may be Twig, which takes time to lint. */
export const headersMax = 100

const headerList = Type.Array(
  Type.Object({
    label: Type.String({ pattern: headerName, fault: 'must be the name of a header' }),
    value: Type.String({ pattern: headerValue, fault: 'must be one line' }),
  }),
  { maxItems: headersMax },
)

const invitation = {
  name: 'Invitation',
  subject: 'An invitation for {contactfield=firstname}',
  fromAddress: 'events@example.com',
  fromName: 'Example Events',
  replyToAddress: 'office@example.com',
  customHtml: '<p>{twigtemplate=1}</p><p>Come and see us.</p>',
  plainText: '{twigtemplate=1} Come and see us.',
}

type HeaderInput = Record<string, string> | { list: Static<typeof headerList> } | []

/** Returns the headers of a request by name. */
export function toHeaders(headers: HeaderInput): Record<string, string> {
  if (Array.isArray(headers)) return {}
  const { list } = headers
  if (!Array.isArray(list)) return headers as Record<string, string>
  return Object.fromEntries(list.map(({ label, value }) => [label, value]))
}

export const emailRecord = recordFields(mauticStamps, ['name', 'subject', 'fromAddress'], {
  name: nameField('The internal name.'),
  subject: nameField('The subject line; tokens are replaced.'),
  fromAddress: addressField('The sender; default: the configured one.'),
  fromName: textField('The name of the sender.', 255),
  replyToAddress: addressField('The address for replies.'),
  customHtml: textField('The HTML body.', bodyLengthMax),
  plainText: textField('The text body.', bodyLengthMax),
  headers: {
    ...jsonField(
      Type.Optional(
        Type.Unsafe<HeaderInput>({
          anyOf: [
            Type.Object({ list: headerList }),
            {
              type: 'object',
              patternProperties: { [headerName]: { type: 'string', pattern: headerValue } },
              additionalProperties: false,
              maxProperties: headersMax,
            },
            { type: 'array', maxItems: 0 },
          ],
          fault: `must give each header one line of text: {"X-Name": "value"}, or {"list": [{"label": "X-Name", "value": "value"}]}; ${headersMax} headers or fewer`,
          description: `More headers, ${headersMax} at most: \`{"X-Name": "value"}\`, or Mautic's \`{"list": [{"label", "value"}]}\`. \`X-Mailyard-Transport\` names the transport that the email is sent through, and is not sent out.`,
        }),
      ),
      Type.Unsafe<Record<string, string> | []>({
        description: '`{"X-Name": "value"}`; empty it is `[]`, as in Mautic.',
      }),
      {},
    ),
    toColumn: (headers: HeaderInput | undefined = {}) => JSON.stringify(toHeaders(headers)),
    toValue: (column: string) => JSON.parse(column) as Record<string, string>,
  },
  isTwig: flagField(
    Type.Optional(
      Type.Boolean({
        description: 'Whether subject, bodies and headers are Twig themselves. Default: false.',
      }),
    ),
    false,
  ),
  brand: brandField,
  isPublished: isPublishedField,
})

export const emailInput = Type.Object(emailRecord.input, {
  title: 'EmailInput',
  examples: [
    invitation,
    { name: 'Reminder', subject: 'See you tomorrow', plainText: 'See you tomorrow.' },
  ],
})
export type EmailInput = Static<typeof emailInput>

/** Unsaved values of an email, which may be incomplete. */
export const emailDraft = Type.Partial(
  Type.Object({
    ...emailInput.properties,
    name: optionalText('The internal name.', 255),
    subject: optionalText('The subject line; tokens are replaced.', 255),
  }),
  { examples: [{ subject: 'Hello {contactfield=firstname}', plainText: 'Hello.' }] },
)
export type EmailDraft = Static<typeof emailDraft>

export const emailItem = Type.Object(
  {
    ...emailRecord.item,
    warnings: Type.Optional(
      Type.Array(Type.String(), {
        description: 'In the answer to a save: what keeps the email from being sent as it is.',
      }),
    ),
  },
  {
    title: 'Email',
    examples: [emailRecord.example(2, { ...invitation, headers: [], isTwig: false })],
  },
)
export type EmailItem = Static<typeof emailItem>

const long = (column: string) => ({ column, type: 'text', expression: sql.ref(column) }) as const

export const emailFields = {
  ...emailRecord.listFields(),
  customHtml: long('custom_html'),
  plainText: long('plain_text'),
  headers: long('headers'),
} as const

/** The API of emails: as in Mautic. */
export const emailShape: ResourceShape = {
  path: '/api/emails',
  one: 'email',
  many: 'emails',
  label: 'Email',
  area: 'email',
  isKeyed: true,
  listLimit: 30,
  fields: emailFields,
  item: emailItem,
  input: emailInput,
  exampleChange: { subject: 'An invitation' },
}
