import { acceptedAs, kindsBy, refused } from '../../api/api-result.ts'
import { base64, readJson, textOf } from '../../api/json.ts'
import { headerRecord, unlessEmpty } from '../../api/message-fields.ts'
import { encodedWords, formatMailbox } from '../../message/headers.ts'
import type { Attachment, Mailbox, ParsedMessage } from '../../message/parse-message.ts'
import { jsonScheme, parsed } from '../json-scheme.ts'
import type { Provider } from '../provider.ts'
import { keyField } from '../provider-form.ts'
import { passwordLogin, smtpPreset } from '../smtp-preset.ts'
import { resendWebhooks } from './webhooks.ts'

/** @see https://resend.com/docs/api-reference/errors */
const kindOf = kindsBy(
  ['credentials', 'missing_api_key', 'restricted_api_key', 'invalid_api_key'],
  ['quota', 'daily_quota_exceeded', 'monthly_quota_exceeded'],
  ['throttled', 'rate_limit_exceeded'],
  ['provider', 'concurrent_idempotent_requests'],
  ['sender', 'invalid_from_address'],
  // "The example.com domain is not verified", "You can only send testing emails to your own".
  ['sender', 403, /domain|testing emails/i],
  ['sender', 400, 422, /`from`/],
  ['recipient', 400, 422, /`(to|cc|bcc)`/],
)

/**
 * Resend's API has no raw MIME, so the message is parsed.
 * @see https://resend.com/docs/api-reference/emails/send-email
 */
const resendApi = jsonScheme({
  names: ['resend+api'],
  form: { fields: [keyField('API key', 'With "Sending access".')] },
  host: 'api.resend.com',
  path: '/emails',
  headers: (dsn) => ({ authorization: `Bearer ${dsn.requireUser('the API key')}` }),
  limits: { recipientsMax: 50, sizeBytesMax: 40 * 1024 * 1024, batchMax: 100 },
  body: parsed((message) => {
    const { from } = message
    const tags = labels(message)
    return {
      // Resend refuses a sender name that is quoted or encoded.
      from: from.name === '' ? from.address : `${from.name} <${from.address}>`,
      to: message.to.map(mailbox),
      cc: unlessEmpty(message.cc.map(mailbox)),
      bcc: unlessEmpty(message.bcc.map(mailbox)),
      reply_to: unlessEmpty(message.replyTo.map(mailbox)),
      subject: message.subject,
      text: message.text ?? undefined,
      html: message.html ?? undefined,
      attachments: unlessEmpty(message.attachments.map(attachment)),
      headers: headerRecord(message.headers),
      tags: unlessEmpty(tags),
    }
  }),
  readResponse(response) {
    const body = readJson(response)
    if (response.status < 300) return acceptedAs(body?.['id'])
    const code = textOf(body?.['name'])
    if (code === '') return undefined
    const text = textOf(body?.['message'])
    return refused(text, { code, kind: kindOf({ ...response, code, text }) })
  },
})

/** Formats a recipient. Resend refuses a quoted name, but accepts encoded words. */
function mailbox(one: Mailbox): string {
  const formatted = formatMailbox(one)
  return formatted.startsWith('"') ? `${encodedWords(one.name)} <${one.address}>` : formatted
}

/** Builds the tags. Resend refuses the message if a tag contains anything but letters, digits, "_" and "-". */
function labels({ tags, metadata }: ParsedMessage): { name: string; value: string }[] {
  return [
    ...tags.map((value, index) => ({ name: index === 0 ? 'tag' : `tag_${index + 1}`, value })),
    ...Object.entries(metadata).map(([name, value]) => ({ name, value })),
  ].filter(({ name, value }) => [name, value].every((one) => /^[\w-]{1,256}$/.test(one)))
}

function attachment({ filename, contentType, content, embeddedId }: Attachment) {
  return {
    filename,
    content: base64(content),
    content_type: contentType,
    content_id: embeddedId,
  }
}

/**
 * Resend.
 * @see https://resend.com/docs/send-with-smtp
 */
export const resend: Provider = {
  name: 'resend',
  title: 'Resend',
  accountLimits: [
    {
      title: 'Free plan',
      perDay: 100,
      perMonth: 3_000,
      link: 'https://resend.com/docs/knowledge-base/account-quotas-and-limits',
    },
  ],
  form: { link: 'https://resend.com/api-keys' },
  /** @see https://resend.com/docs/knowledge-base/403-error-domain-mismatch */
  domains: {
    selectors: [{ name: 'resend' }],
    isComplete: true,
    returnPaths: [
      { name: 'send', type: 'MX', target: /^feedback-smtp\.[a-z0-9-]+\.amazonses\.com$/i },
    ],
    link: 'https://resend.com/docs/dashboard/domains/introduction',
  },
  schemes: [
    resendApi,
    smtpPreset({
      names: ['resend', 'resend+smtp'],
      form: {
        fixedUser: 'resend',
        fields: [{ ...keyField('API key', 'With "Sending access".'), name: 'password' }],
      },
      host: 'smtp.resend.com',
      port: 465,
      login: passwordLogin('the API key', 'resend'),
    }),
  ],
  webhooks: resendWebhooks,
}
