import { acceptedAs, kindOfFields, refused } from '../../api/api-result.ts'
import { base64, objectsOf, readJson, textOf } from '../../api/json.ts'
import { commonFields, emailNames } from '../../api/message-fields.ts'
import { jsonScheme, parsed } from '../json-scheme.ts'
import type { Provider } from '../provider.ts'
import { keyField, loginFields } from '../provider-form.ts'
import { smtpPreset } from '../smtp-preset.ts'
import { mailomatWebhooks } from './webhooks.ts'

/**
 * Mailomat's API as Symfony's bridge uses it. The message is parsed; custom headers are not supported.
 * @see https://github.com/symfony/mailomat-mailer
 * @see https://api.mailomat.swiss/docs
 */
const mailomatApi = jsonScheme({
  names: ['mailomat+api'],
  form: { fields: [keyField('API key', 'An API key of the domain.')] },
  host: 'api.mailomat.swiss',
  path: '/message',
  headers: (dsn) => ({ authorization: `Bearer ${dsn.requireUser('the API key')}` }),
  limits: {},
  body: parsed((message) => ({
    ...commonFields(message),
    replyTo: emailNames(message.replyTo),
    attachments: message.attachments.map(({ filename, contentType, content, embeddedId }) => ({
      filename,
      contentBase64: base64(content),
      contentType,
      ContentID: embeddedId === undefined ? undefined : `cid:${embeddedId}`,
    })),
  })),
  readResponse(response) {
    const body = readJson(response)
    if (response.status < 300) return acceptedAs(body?.['messageUuid'])
    const violations = objectsOf(body?.['violations'])
    const paths = violations.map((violation) => textOf(violation['propertyPath']))
    const words = violations.map((violation, index) =>
      `${paths[index] ?? ''} ${textOf(violation['message'])}`.trim(),
    )
    const text = words.join('; ') || textOf(body?.['detail']) || textOf(body?.['message'])
    return text === ''
      ? undefined
      : refused(text, { kind: kindOfFields(paths, { recipient: /^(to|cc|bcc)\[/ }) })
  },
})

/**
 * Mailomat.
 * @see https://mailomat.swiss/docs/smtp
 */
export const mailomat: Provider = {
  name: 'mailomat',
  title: 'Mailomat',
  form: { link: 'https://mailomat.swiss/docs' },
  // Each domain has records that only the account knows.
  domains: { link: 'https://mailomat.swiss/docs' },
  schemes: [
    mailomatApi,
    smtpPreset({
      names: ['mailomat', 'mailomat+smtp', 'mailomat+smtps'],
      form: { fields: loginFields('An SMTP credential of the domain.') },
      host: 'smtp.mailomat.cloud',
      port: 587,
    }),
  ],
  webhooks: mailomatWebhooks,
}
