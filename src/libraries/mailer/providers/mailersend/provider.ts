import type { ApiRecipient, ApiResult } from '../../api/api-adapter.ts'
import { kindOfFields, kindsBy, refused } from '../../api/api-result.ts'
import { base64, isObject, objectsOf, readJson, textOf, textsOf } from '../../api/json.ts'
import {
  commonFields,
  emailNames,
  findHeader,
  unlessEmpty,
  withoutHeaders,
} from '../../api/message-fields.ts'
import type { HttpResponse } from '../../connect/http-message.ts'
import type { Attachment, ParsedMessage } from '../../message/parse-message.ts'
import { jsonScheme, parsed } from '../json-scheme.ts'
import type { Provider } from '../provider.ts'
import { keyField, loginFields, switchField } from '../provider-form.ts'
import { smtpPreset } from '../smtp-preset.ts'
import { mailersendWebhooks } from './webhooks.ts'

/** Headers for which MailerSend has parameters, or which it writes itself. */
const parameterHeaders = new Set([
  'in-reply-to',
  'list-unsubscribe',
  'list-unsubscribe-post',
  'precedence',
  'references',
])

/**
 * MailerSend's API has no raw MIME, so the message is parsed.
 * @see https://developers.mailersend.com/api/v1/email.html#send-an-email
 */
const mailersendApi = jsonScheme({
  names: ['mailersend+api'],
  publicOptions: ['headers'],
  form: {
    fields: [
      keyField('API token', 'With "Sending access".'),
      switchField('headers', 'Send custom headers', {
        example: '0',
        help: 'Only the Professional and Enterprise plans may set them.',
        default: '1',
      }),
    ],
  },
  host: 'api.mailersend.com',
  path: '/v1/email',
  headers: (dsn) => ({ authorization: `Bearer ${dsn.requireUser('the API token')}` }),
  limits: { recipientsMax: 70, sizeBytesMax: 25 * 1024 * 1024, batchMax: 500 },
  options: (dsn) => dsn.options.boolean('headers') ?? true,
  body: parsed((message, hasHeaders) => ({
    ...buildBody(message),
    ...(hasHeaders ? headerFields(message.headers) : {}),
  })),
  readResponse(response) {
    const body = readJson(response)
    if (response.status === 202) return readAcceptance(response, body)
    if (response.status < 300) return undefined
    const text = textOf(body?.['message'])
    if (text === '') return undefined
    const errors = isObject(body?.['errors']) ? body['errors'] : {}
    const fields = Object.keys(errors)
    const details = fields.flatMap((field) => textsOf(errors[field]))
    const [code = ''] = /#MS\d+/.exec([text, ...details].join(' ')) ?? []
    return refused(details[0] ?? text, {
      code: code.slice(1),
      kind:
        kindOf({ ...response, text: details.join(' ') }) ??
        (response.status === 422
          ? kindOfFields(fields, { recipient: /^(to|cc|bcc)\.\d/ })
          : undefined),
    })
  },
})

function buildBody(message: ParsedMessage) {
  return {
    ...commonFields(message),
    // MailerSend accepts only one.
    reply_to: emailNames(message.replyTo)?.[0],
    attachments: unlessEmpty(message.attachments.map(attachment)),
    // A message may have at most five tags.
    tags: unlessEmpty(message.tags.slice(0, 5)),
    in_reply_to: messageIds(message, 'in-reply-to')?.[0],
    references: messageIds(message, 'references'),
    precedence_bulk: /^(bulk|list|junk)$/i.test(findHeader(message.headers, 'precedence') ?? '')
      ? true
      : undefined,
  }
}

/** Reads the message ids of a header, without angle brackets. */
function messageIds({ headers }: ParsedMessage, name: string): string[] | undefined {
  return findHeader(headers, name)
    ?.split(/[\s<>]+/)
    .filter((id) => id !== '')
}

/**
 * Builds the fields that only larger plans accept.
 * @see https://www.mailersend.com/help/custom-headers
 */
function headerFields(headers: ParsedMessage['headers']) {
  const custom = withoutHeaders(headers, parameterHeaders)
  const unsubscribe = findHeader(headers, 'list-unsubscribe') ?? ''
  const targets = [...unsubscribe.matchAll(/<([^>]+)>/g)].map(([, target = '']) => target)
  return {
    headers: unlessEmpty(custom),
    // MailerSend takes one target, and writes List-Unsubscribe and List-Unsubscribe-Post itself.
    list_unsubscribe: targets.find((target) => target.startsWith('https:')) ?? targets[0],
  }
}

function attachment({ filename, content, embeddedId }: Attachment) {
  return {
    filename,
    content: base64(content),
    disposition: embeddedId === undefined ? 'attachment' : 'inline',
    id: embeddedId,
  }
}

/** Reads a 202. It may say that all recipients are suppressed; then nothing is sent. */
function readAcceptance(
  { body: text, headers }: HttpResponse,
  body: Readonly<Record<string, unknown>> | undefined,
): ApiResult | undefined {
  if (body === undefined && text.trim() !== '') return undefined
  const warnings = objectsOf(body?.['warnings'])
  const suppressed = warnings.flatMap(({ recipients }) => objectsOf(recipients).map(suppression))
  if (warnings.some(({ type }) => type === 'ALL_SUPPRESSED'))
    return refused(suppressed[0]?.text ?? 'All recipients are suppressed.', { kind: 'recipient' })
  const messageId = headers['x-message-id'] ?? null
  return { isAccepted: true, messageId, recipients: suppressed }
}

function suppression(recipient: Readonly<Record<string, unknown>>): ApiRecipient {
  const reasons = textsOf(recipient['reasons']).join(', ')
  return {
    address: textOf(recipient['email']),
    outcome: 'refused',
    text: `The recipient is suppressed: ${reasons}.`,
    isPermanent: true,
  }
}

/** @see https://developers.mailersend.com/general.html#validation-errors */
const kindOf = kindsBy(
  // Maintenance.
  ['provider', 421],
  ['quota', 422, /\b(quota|limit)\b/i, /^(?!.*(characters|size))/is],
)

/**
 * MailerSend. Symfony uses implicit TLS on port 587, where the server expects STARTTLS.
 * @see https://www.mailersend.com/help/smtp-relay
 */
export const mailersend: Provider = {
  name: 'mailersend',
  title: 'MailerSend',
  form: { link: 'https://app.mailersend.com/api-tokens' },
  /**
   * MailerSend has had several selectors, which lead to its own keys. It sends from a verified address of another domain,
   * too, without a signature of that domain. The return path may have another name.
   */
  domains: {
    selectors: [
      { name: 'mlsend', target: /^mlsend\._domainkey\.mailersend\.net$/i },
      { name: 'mlsend2', target: /^mlsend2\._domainkey\.mailersend\.net$/i },
    ],
    returnPaths: [{ name: 'mta', type: 'CNAME', target: /^mailersend\.net$/i }],
    link: 'https://www.mailersend.com/help/send-email-on-behalf-of-clients',
  },
  schemes: [
    mailersendApi,
    smtpPreset({
      names: ['mailersend', 'mailersend+smtp'],
      form: {
        link: 'https://app.mailersend.com/domains',
        fields: loginFields('An SMTP user of the domain, from "Domains", "Manage", "SMTP".'),
      },
      host: 'smtp.mailersend.net',
      port: 587,
    }),
  ],
  webhooks: mailersendWebhooks,
}
