import { acceptedAs, kindsBy, refused } from '../../api/api-result.ts'
import { base64, readJson, textOf } from '../../api/json.ts'
import { emailName, emailNames, headerRecord, unlessEmpty } from '../../api/message-fields.ts'
import { encodeWords } from '../../message/headers.ts'
import type { Mailbox } from '../../message/parse-message.ts'
import { jsonScheme, parsed } from '../json-scheme.ts'
import type { Provider } from '../provider.ts'
import { keyField, loginFields, startTlsPortField } from '../provider-form.ts'
import { smtpPreset } from '../smtp-preset.ts'
import { brevoWebhooks } from './webhooks.ts'

/** @see https://developers.brevo.com/docs/how-it-works#error-codes */
const kindOf = kindsBy(
  ['credentials', 'unauthorized', 'permission_denied'],
  ['quota', 'account_under_validation', 'not_enough_credits'],
  ['sender', 400, /\bsender\b/i],
  ['recipient', 400, /email is not valid in (to|cc|bcc)|valid email.*\b(to|cc|bcc)\b/i],
)

/**
 * Brevo's API has no raw MIME, so the message is parsed. It has no inline images: they arrive as attachments.
 * @see https://developers.brevo.com/reference/sendtransacemail
 */
const brevoApi = jsonScheme({
  names: ['brevo+api', 'sendinblue+api'],
  form: { fields: [keyField('API key', 'From "SMTP & API", "API keys". It is not the SMTP key.')] },
  host: 'api.brevo.com',
  path: '/v3/smtp/email',
  headers: (dsn) => ({ 'api-key': dsn.requireUser('the API key') }),
  limits: { recipientsMax: 99, sizeBytesMax: 20 * 1024 * 1024, batchMax: 1000 },
  body: parsed((message) => {
    const metadata = Object.entries(message.metadata).map(([name, value]) => ({
      name: `X-Mailin-${name.charAt(0).toUpperCase()}${name.slice(1).toLowerCase()}`,
      value,
    }))
    return {
      sender: emailName(message.from),
      to: message.to.map(safeName).map(emailName),
      cc: emailNames(message.cc.map(safeName)),
      bcc: emailNames(message.bcc.map(safeName)),
      // Brevo accepts only one.
      replyTo: emailNames(message.replyTo)?.[0],
      subject: message.subject,
      textContent: message.text ?? undefined,
      htmlContent: message.html ?? undefined,
      attachment:
        message.attachments.length > 0
          ? message.attachments.map(({ filename, content }) => ({
              name: filename,
              content: base64(content),
            }))
          : undefined,
      // Brevo would send characters beyond ASCII as raw UTF-8, which many servers refuse.
      headers: headerRecord(
        [...message.headers, ...metadata].map(({ name, value }) => ({
          name,
          value: encodeWords(value),
        })),
      ),
      tags: unlessEmpty(message.tags),
    }
  }),
  readResponse(response) {
    const body = readJson(response)
    if (response.status === 201 || response.status === 202) return acceptedAs(body?.['messageId'])
    const code = textOf(body?.['code'])
    if (code === '') return undefined
    const text = textOf(body?.['message'])
    return refused(text, { code, kind: kindOf({ ...response, code, text }) })
  },
})

/** Encodes a name with both non-ASCII characters and punctuation, because Brevo would drop it. */
function safeName({ name, address }: Mailbox): Mailbox {
  const isLost = /[^\u0020-\u007e]/.test(name) && /[()<>@,;:\\".[\]]/.test(name)
  return { address, name: isLost ? encodeWords(name) : name }
}

/**
 * Brevo, formerly Sendinblue.
 * @see https://developers.brevo.com/docs/smtp-integration
 */
export const brevo: Provider = {
  name: 'brevo',
  title: 'Brevo',
  accountLimits: [
    {
      title: 'Free plan',
      perDay: 300,
      link: 'https://help.brevo.com/hc/en-us/articles/8292912279954-Add-or-remove-emails-from-your-plan',
    },
  ],
  form: { link: 'https://app.brevo.com/settings/keys/api' },
  /**
   * The key of older set-ups is at `mail`. The envelope sender is one of Brevo, unless the account has an IP address.
   */
  domains: {
    selectors: [
      { name: 'brevo1', target: /^b1\.[a-z0-9-]+\.dkim\.brevo\.com$/i },
      { name: 'brevo2', target: /^b2\.[a-z0-9-]+\.dkim\.brevo\.com$/i },
      { name: 'mail' },
    ],
    isComplete: true,
    link: 'https://developers.brevo.com/docs/domain-authentication-and-verification',
  },
  schemes: [
    brevoApi,
    smtpPreset({
      names: ['brevo', 'brevo+smtp', 'sendinblue', 'sendinblue+smtp'],
      form: {
        link: 'https://app.brevo.com/settings/keys/smtp',
        fields: [
          ...loginFields('The SMTP log-in and, as password, the SMTP key.'),
          startTlsPortField,
        ],
      },
      host: 'smtp-relay.brevo.com',
      port: ({ port = 465 }) => port,
    }),
  ],
  smtpHosts: ['smtp-relay.sendinblue.com'],
  webhooks: brevoWebhooks,
}
