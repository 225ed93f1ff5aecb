import type { RefusalKind } from '../../api/api-adapter.ts'
import { kindOfFields, refused } from '../../api/api-result.ts'
import { base64, basicAuthorization, objectsOf, readJson, textOf, textsOf } from '../../api/json.ts'
import { findHeader, headerRecord, unlessEmpty, withoutHeaders } from '../../api/message-fields.ts'
import type { Attachment, Mailbox, ParsedMessage } from '../../message/parse-message.ts'
import { jsonScheme, parsed } from '../json-scheme.ts'
import type { Provider } from '../provider.ts'
import { secretField, switchField, textField } from '../provider-form.ts'

import { smtpPreset } from '../smtp-preset.ts'
import { mailjetWebhooks } from './webhooks.ts'

/** Headers that Mailjet writes itself. It refuses a message with one of them. */
const ownHeaders = [
  'authentication-results',
  'delivered-to',
  'domainkey-status',
  'list-id',
  'received-spf',
  'user-agent',
  'x-csa-complaints',
  'x-feedback-id',
  'x-mailer',
  'x-mailjet-debug',
  'x-mailjet-segmentation',
  'x-mj-errormessage',
  'x-mj-mid',
  'x-mj-statisticscontactslistid',
  'x-mj-workflowid',
]

const accessKey = [
  textField('user', 'API key', {
    example: 'sample-api-key',
    help: 'From "API key management".',
  }),
  secretField('password', 'Secret key', {
    example: 'sample-secret',
    help: 'It belongs to the API key.',
  }),
]

/**
 * Mailjet's Send API 3.1 has no raw MIME, so the message is parsed.
 * @see https://dev.mailjet.com/email/guides/send-api-v31/
 */
const mailjetApi = jsonScheme({
  names: ['mailjet+api', 'mautic+mailjet+api'],
  isUserSecret: false,
  publicOptions: ['sandbox'],
  form: {
    fields: [
      ...accessKey,
      switchField('sandbox', 'Sandbox', { help: 'Mailjet checks messages and sends nothing.' }),
    ],
  },
  host: 'api.mailjet.com',
  path: '/v3.1/send',
  headers: (dsn) => ({
    authorization: basicAuthorization(
      dsn.requireUser('the API key'),
      dsn.requirePassword('the secret key'),
    ),
  }),
  limits: { recipientsMax: 50, sizeBytesMax: 15 * 1024 * 1024, batchMax: 50 },
  options: (dsn) => dsn.options.boolean('sandbox') ?? false,
  body: parsed((message, isSandbox) => ({
    Messages: [buildMessage(message)],
    SandboxMode: isSandbox,
  })),
  readResponse(response) {
    const body = readJson(response)
    const [message] = objectsOf(body?.['Messages'])
    const [error = body] = objectsOf(message?.['Errors'])
    if (response.status === 200 && message?.['Status'] === 'success')
      return { isAccepted: true, messageId: idOf(message) }
    if (error === undefined || textOf(error['ErrorMessage']) === '') return undefined
    const code = textOf(error['ErrorCode'])
    const fields = textsOf(error['ErrorRelatedTo'])
    return refused(textOf(error['ErrorMessage']), { code, kind: kindOf(code, fields) })
  },
})

function buildMessage(message: ParsedMessage) {
  const inline = message.attachments.filter(({ embeddedId }) => embeddedId !== undefined)
  const [replyTo] = message.replyTo
  return {
    From: mailbox(message.from),
    To: message.to.map(mailbox),
    Cc: unlessEmpty(message.cc.map(mailbox)),
    Bcc: unlessEmpty(message.bcc.map(mailbox)),
    // Mailjet accepts only one.
    ReplyTo: replyTo === undefined ? undefined : mailbox(replyTo),
    Subject: message.subject,
    TextPart: message.text ?? undefined,
    HTMLPart: message.html ?? undefined,
    Attachments: message.attachments.filter((one) => !inline.includes(one)).map(attachment),
    InlinedAttachments: inline.map((one) => ({ ...attachment(one), ContentID: one.embeddedId })),
    Headers: headerRecord(withoutHeaders(message.headers, otherHeaders)),
    ...fieldsOf(message.headers),
  }
}

function mailbox({ name, address }: Mailbox) {
  return { Email: address, Name: name === '' ? undefined : name }
}

function attachment({ filename, contentType, content }: Attachment) {
  return { ContentType: contentType, Filename: filename, Base64Content: base64(content) }
}

/** Reads the id from the URL of the message, because JSON.parse would round the numeric id. */
function idOf(message: Readonly<Record<string, unknown>>): string | null {
  const [first] = objectsOf(message['To'])
  const id = /\/(\d+)$/.exec(textOf(first?.['MessageHref']))?.[1]
  return id ?? (textOf(first?.['MessageUUID']) || null)
}

/**
 * Returns the kind of a refusal.
 * @see https://dev.mailjet.com/email/guides/send-api-v31/#sandbox-mode and the error list below it
 */
function kindOf(code: string, fields: readonly string[]): RefusalKind | undefined {
  if (code === 'send-0008') return 'sender'
  if (code !== 'mj-0013') return code.startsWith('send-') ? 'message' : undefined
  return kindOfFields(fields, { sender: /^From/, recipient: /^(To|Cc|Bcc)\b/ }) ?? 'message'
}

type Reading = (text: string) => unknown

const asText: Reading = (text) => text
const asNumber: Reading = (text) => (/^\d{1,15}$/.test(text) ? Number(text) : undefined)
const asBoolean: Reading = (text) => /^(1|true|yes|on)$/i.test(text)

/** Headers, in lower case, that become fields as in Symfony's bridge; without those for templates. */
const fieldsByHeader: Record<string, readonly [field: string, read: Reading]> = {
  'x-mj-customid': ['CustomID', asText],
  'x-mj-eventpayload': ['EventPayload', asText],
  'x-mailjet-campaign': ['CustomCampaign', asText],
  'x-mailjet-deduplicatecampaign': ['DeduplicateCampaign', asBoolean],
  'x-mailjet-prio': ['Priority', asNumber],
  'x-mailjet-trackclick': ['TrackClicks', asText],
  'x-mailjet-trackopen': ['TrackOpens', asText],
}

/** The headers that are not sent as headers. */
const otherHeaders = new Set([...ownHeaders, ...Object.keys(fieldsByHeader)])

function fieldsOf(headers: ParsedMessage['headers']): Record<string, unknown> {
  const fields = Object.entries(fieldsByHeader).map(([name, [field, read]]) => {
    const value = findHeader(headers, name)
    return [field, value === undefined ? undefined : read(value)]
  })
  return Object.fromEntries(fields)
}

/**
 * Mailjet.
 * @see https://dev.mailjet.com/smtp-relay/configuration/
 */
export const mailjet: Provider = {
  name: 'mailjet',
  title: 'Mailjet',
  accountLimits: [
    {
      title: 'Free plan',
      perDay: 200,
      perMonth: 6_000,
      link: 'https://www.mailjet.com/support/billing-and-pricing.htm',
    },
  ],
  form: { link: 'https://app.mailjet.com/account/apikeys' },
  /**
   * Mailjet sends from a validated address of any domain, too, without a signature of that domain. The envelope sender
   * is one of Mailjet, unless the account has a return path of its own.
   */
  domains: {
    selectors: [{ name: 'mailjet' }],
    isComplete: true,
    returnPaths: [{ name: 'bnc3', type: 'CNAME', target: /^bnc3\.mailjet\.com$/i }],
    link: 'https://documentation.mailjet.com/hc/en-us/articles/360042412734-Authenticating-Domains-with-SPF-DKIM',
  },
  schemes: [
    mailjetApi,
    smtpPreset({
      names: ['mailjet', 'mailjet+smtp', 'mailjet+smtps', 'mautic+mailjet+smtp'],
      form: { fields: accessKey },
      host: 'in-v3.mailjet.com',
      port: 587,
    }),
  ],
  webhooks: mailjetWebhooks,
  isSandbox: ({ scheme, options }) =>
    mailjetApi.names.includes(scheme) && options.boolean('sandbox') === true,
}
