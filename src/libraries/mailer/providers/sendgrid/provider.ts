import { kindsBy, refused } from '../../api/api-result.ts'
import { objectsOf, readJson, textOf } from '../../api/json.ts'
import { attachmentFields, emailName, headerRecord, unlessEmpty } from '../../api/message-fields.ts'
import { DsnError } from '../../grammar/dsn.ts'
import type { Mailbox } from '../../message/parse-message.ts'
import type { DsnReader } from '../dsn-reader.ts'
import { jsonScheme, parsed } from '../json-scheme.ts'
import { type Provider, regionHost } from '../provider.ts'
import { keyField, regionField } from '../provider-form.ts'
import { smtpPreset } from '../smtp-preset.ts'
import { sendgridWebhooks } from './webhooks.ts'

const form = {
  fields: [
    keyField('API key', 'With "Mail Send" rights.'),
    regionField({ global: 'Global', eu: 'Europe' }, { default: 'global' }),
  ],
}

/**
 * SendGrid's API has no raw MIME, so the message is parsed.
 * @see https://www.twilio.com/docs/sendgrid/api-reference/mail-send/mail-send
 */
const sendgridApi = jsonScheme({
  names: ['sendgrid+api'],
  publicOptions: ['region'],
  form,
  host: regionHost('api.sendgrid.com', 'global'),
  path: '/v3/mail/send',
  headers: (dsn) => ({ authorization: `Bearer ${sendgridKey(dsn)}` }),
  limits: { recipientsMax: 1000, sizeBytesMax: 30 * 1024 * 1024, batchMax: 1000 },
  body: parsed((message) => {
    const { subject, text, html, replyTo, tags, metadata, messageId } = message
    const ownId = messageId === null ? [] : [{ name: 'Message-ID', value: messageId }]
    return {
      personalizations: [
        {
          to: message.to.map(recipient),
          cc: unlessEmpty(message.cc.map(recipient)),
          bcc: unlessEmpty(message.bcc.map(recipient)),
        },
      ],
      from: emailName(message.from),
      reply_to_list: unlessEmpty(replyTo.map(emailName)),
      subject,
      content: [
        ...(text === null ? [] : [{ type: 'text/plain', value: text }]),
        ...(html === null ? [] : [{ type: 'text/html', value: html }]),
      ],
      attachments: unlessEmpty(message.attachments.map(attachmentFields)),
      headers: headerRecord([...message.headers, ...ownId]),
      // A message may have at most ten categories.
      categories: unlessEmpty(tags.slice(0, 10)),
      custom_args: Object.keys(metadata).length > 0 ? metadata : undefined,
    }
  }),
  readResponse(response) {
    if (response.status === 202 && response.body.trim() === '')
      return { isAccepted: true, messageId: response.headers['x-message-id'] ?? null }
    const errors = objectsOf(readJson(response)?.['errors'])
    if (errors.length === 0) return undefined
    const text = errors.map((error) => textOf(error['message'])).join('; ')
    const field = errors.map((error) => textOf(error['field'])).find((name) => name !== '') ?? ''
    return refused(text, { code: field, kind: kindOf({ ...response, text: `${field}: ${text}` }) })
  },
})

/**
 * Quotes the name of a recipient. SendGrid writes it to the header as it is, where a comma or semicolon would start
 * another address.
 * @see https://www.twilio.com/docs/sendgrid/api-reference/mail-send/limitations
 */
function recipient({ name, address }: Mailbox) {
  const isSafe = !/[;,"\\]/.test(name)
  return emailName({ address, name: isSafe ? name : `"${name.replace(/[\\"]/g, '\\$&')}"` })
}

/**
 * The kinds of refusals, from field and text: there are no error codes.
 * @see https://www.twilio.com/docs/sendgrid/api-reference/mail-send/errors
 */
const kindOf = kindsBy(
  ['quota', 401, /credits/i],
  ['sender', 403, /^from|sender identity/i],
  ['sender', 400, /^from[.:]/],
  ['recipient', 400, /^personalizations\.\d+\.(to|cc|bcc)\b/],
)

/**
 * Reads the API key from the user part.
 * @throws {DsnError} when the user part is the word "apikey".
 */
function sendgridKey(dsn: DsnReader): string {
  // Symfony uses the word as the key, and every log-in fails.
  if (dsn.user === 'apikey' && dsn.password !== undefined)
    throw new DsnError(
      'misplaced_key',
      `The API key goes in the user part, without "apikey": ${dsn.scheme}://KEY@default.`,
    )
  return dsn.requireUser('the API key')
}

/**
 * SendGrid.
 * @see https://www.twilio.com/docs/sendgrid/for-developers/sending-email/integrating-with-the-smtp-api
 */
export const sendgrid: Provider = {
  name: 'sendgrid',
  title: 'SendGrid',
  accountLimits: [
    {
      title: 'Trial',
      perDay: 100,
      link: 'https://support.sendgrid.com/hc/en-us/articles/35270136965403-Twilio-SendGrid-Trial-Account-Plan',
    },
  ],
  form: { link: 'https://app.sendgrid.com/settings/api_keys' },
  /**
   * An account may have other selectors of three characters. It sends from a verified single sender of any domain, too,
   * without a signature of that domain.
   * @see https://www.twilio.com/docs/sendgrid/api-reference/domain-authentication/authenticate-a-domain
   */
  domains: {
    selectors: ['s1', 's2'].map((name) => ({
      name,
      target: new RegExp(
        `^${name}\\.(_?domainkey)\\.u\\d+\\.wl\\d*\\.(eu\\.)?sendgrid\\.net$`,
        'i',
      ),
    })),
    link: 'https://www.twilio.com/docs/sendgrid/ui/account-and-settings/how-to-set-up-domain-authentication',
  },
  schemes: [
    sendgridApi,
    smtpPreset({
      names: ['sendgrid', 'sendgrid+smtp', 'sendgrid+smtps'],
      form,
      host: regionHost('smtp.sendgrid.net', 'global'),
      port: 465,
      login: (dsn) => ({ user: 'apikey', password: sendgridKey(dsn) }),
      publicOptions: ['region'],
    }),
  ],
  webhooks: sendgridWebhooks,
  smtpHosts: ['smtp.sendgrid.net', 'smtp.eu.sendgrid.net'],
  advise({ code, reply }) {
    if (code === 'login_refused')
      return 'SendGrid requires the word "apikey" as user name and an API key with Mail Send rights as password; with sendgrid+smtp://KEY@default the key alone is enough.'
    if (code === 'credentials_refused')
      return 'Check that the API key is complete (SG.….…) and has the right "Mail Send" (SendGrid, Settings, API Keys); the key of an EU subuser needs region=eu in the DSN.'
    if (/verified sender identity/i.test(reply?.text ?? ''))
      return 'Verify this sender or its domain in SendGrid (Settings, Sender Authentication).'
    return undefined
  },
}
