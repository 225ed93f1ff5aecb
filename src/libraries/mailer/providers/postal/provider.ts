import { kindsBy, refused } from '../../api/api-result.ts'
import { base64, isObject, readJson, textOf } from '../../api/json.ts'
import { DsnError } from '../../grammar/dsn.ts'
import { jsonScheme } from '../json-scheme.ts'
import { apiKey, type Provider } from '../provider.ts'
import { hostField, keyField } from '../provider-form.ts'
import { postalWebhooks } from './webhooks.ts'

/** From Postal's documentation and controllers. */
const kindOf = kindsBy(
  ['credentials', 'AccessDenied', 'InvalidServerAPIKey'],
  ['quota', 'ServerSuspended'],
  ['sender', 'UnauthenticatedFromAddress', 'FromAddressMissing'],
  ['message', 'NoRecipients', 'NoContent', 'ValidationError'],
)

/**
 * Postal's send/raw, which sends the raw message. The key is the user part in Symfony's README and the password part in
 * its code; both work here.
 * @see https://apiv1.postalserver.io/controllers/send/raw
 */
const postalApi = jsonScheme({
  names: ['postal+api'],
  form: {
    fields: [
      keyField('API credential', 'A credential of the mail server, from "Credentials".'),
      hostField('host', 'Postal server', {
        example: 'postal.example.com',
        help: 'The host of your own Postal.',
      }),
    ],
  },
  headers: (dsn) => ({
    'x-server-api-key': apiKey(dsn, 'the API credential of the mail server'),
  }),
  host({ host, hasDefaultHost }) {
    if (!hasDefaultHost) return host
    throw new DsnError(
      'no_host',
      'Postal runs on your own host; write it after the "@": postal+api://KEY@postal.example.com.',
    )
  },
  path: '/api/v1/send/raw',
  limits: {},
  body: async (message) => ({
    rcpt_to: message.envelope.to,
    // Postal requires a sender, and the null sender has no address.
    mail_from: message.envelope.from || (await message.parse()).from.address,
    data: base64(message.raw),
  }),
  /** Reads a response. Its HTTP status is always 200; `status` in the body decides. */
  readResponse(response) {
    const body = readJson(response)
    const data = body?.['data']
    if (!isObject(data)) return undefined
    if (body?.['status'] === 'success')
      return { isAccepted: true, messageId: textOf(data['message_id']) || null }
    const text = textOf(data['message'])
    if (body?.['status'] === 'parameter-error') return refused(text, { kind: 'message' })
    if (body?.['status'] !== 'error') return undefined
    const code = textOf(data['code'])
    return refused(text === '' ? code : text, { code, kind: kindOf({ ...response, code }) })
  },
})

/**
 * Postal. For its SMTP server use smtp://.
 * @see https://docs.postalserver.io/developer/api
 */
export const postal: Provider = {
  name: 'postal',
  title: 'Postal',
  form: { link: 'https://docs.postalserver.io/developer/api' },
  webhooks: postalWebhooks,
  // Each domain has a selector of its own, and each server a return path.
  domains: { link: 'https://docs.postalserver.io/getting-started/dns-configuration' },
  schemes: [postalApi],
}
