import { acceptedAs, kindOfFields, kindsBy, refused } from '../../api/api-result.ts'
import { base64, objectsOf, readJson, textOf } from '../../api/json.ts'
import {
  emailName,
  emailNames,
  headerRecord,
  unlessEmpty,
  unsupportedMessage,
} from '../../api/message-fields.ts'
import { DsnError } from '../../grammar/dsn.ts'
import type { Attachment } from '../../message/parse-message.ts'
import type { DsnReader } from '../dsn-reader.ts'
import { jsonScheme, parsed } from '../json-scheme.ts'
import type { Provider } from '../provider.ts'
import { hostField, keyField, loginFields, numberField } from '../provider-form.ts'
import { smtpPreset } from '../smtp-preset.ts'
import { sweegoWebhooks } from './webhooks.ts'

const headersMax = 5

/**
 * Sweego's API has no raw MIME, so the message is parsed.
 * @see https://learn.sweego.io/docs/sending/send_api
 */
const sweegoApi = jsonScheme({
  names: ['sweego+api'],
  form: {
    link: 'https://learn.sweego.io/docs/sending/send_api',
    fields: [keyField('API key', 'An API key of the account.')],
  },
  host: 'api.sweego.io',
  path: '/send',
  headers: (dsn) => ({ 'api-key': dsn.requireUser('the API key') }),
  limits: {},
  body: parsed((message) => {
    const headers = headerRecord(message.headers)
    const names = Object.keys(headers ?? {})
    if (names.length > headersMax)
      throw unsupportedMessage(
        `Sweego accepts at most ${headersMax} custom headers; this message has ${names.length} (${names.join(', ')}).`,
        'Leave some out, or use the SMTP scheme.',
      )
    return {
      channel: 'email',
      provider: 'sweego',
      'campaign-type': 'transac',
      from: emailName(message.from),
      recipients: message.to.map(emailName),
      cc: emailNames(message.cc),
      bcc: emailNames(message.bcc),
      // Sweego accepts only one.
      'reply-to': emailNames(message.replyTo)?.[0],
      subject: message.subject,
      'message-txt': message.text ?? undefined,
      'message-html': message.html ?? undefined,
      attachments: unlessEmpty(message.attachments.map(attachment)),
      headers,
      'campaign-tags': unlessEmpty(message.tags),
    }
  }),
  readResponse(response) {
    const body = readJson(response)
    if (response.status < 300) return acceptedAs(body?.['transaction_id'])
    const details = objectsOf(body?.['detail'])
    const paths = details.map(({ loc }) => (Array.isArray(loc) ? loc.join('.') : ''))
    const words = details.map((detail, index) => `${paths[index] ?? ''} ${textOf(detail['msg'])}`)
    const text = words.join('; ') || textOf(body?.['detail']) || textOf(body?.['message'])
    if (text === '') return undefined
    return refused(text, {
      kind: kindOf({ ...response, text }) ?? kindOfFields(paths, fieldsOfKinds),
    })
  },
})

function attachment({ filename, content, embeddedId }: Attachment) {
  return {
    content: base64(content),
    filename,
    disposition: embeddedId === undefined ? 'attachment' : 'inline',
    content_id: embeddedId,
    is_related: embeddedId === undefined ? undefined : true,
  }
}

const kindOf = kindsBy(
  ['sender', 403, /domain|sender/i],
  ['quota', 403, /credit|quota|limit/i],
  // A conflict, for example with a change of the account. It may be tried again.
  ['provider', 409],
)
const fieldsOfKinds = { sender: /^body\.from\b/, recipient: /^body\.(recipients|cc|bcc)\.\d/ }

/**
 * Sweego. Each account has its own SMTP host and port.
 * @see https://learn.sweego.io/docs/sending/smtp
 */
export const sweego: Provider = {
  name: 'sweego',
  title: 'Sweego',
  form: { link: 'https://learn.sweego.io/docs/sending/smtp' },
  // Each client has a CNAME of its own for DKIM, and a subdomain for SPF and bounces.
  domains: { link: 'https://learn.sweego.io/docs/' },
  schemes: [
    sweegoApi,
    smtpPreset({
      names: ['sweego', 'sweego+smtp'],
      form: {
        fields: [
          hostField('host', 'Server', {
            example: 'smtp.example.com',
            help: 'As shown in your account.',
          }),
          numberField('port', 'Port', { example: '465', help: 'As shown in your account.' }),
          ...loginFields('The SMTP log-in that your account shows.'),
        ],
      },
      host: ownHost,
      port: (dsn) => dsn.port ?? missing('port', dsn),
      tls: 'implicit',
    }),
  ],
  webhooks: sweegoWebhooks,
}

function ownHost(dsn: DsnReader): string {
  return dsn.hasDefaultHost ? missing('host', dsn) : dsn.host
}

function missing(part: 'host' | 'port', { scheme }: DsnReader): never {
  throw new DsnError(
    part === 'host' ? 'no_host' : 'invalid_port',
    `Each Sweego account has its own host and port; write ${scheme}://LOGIN:PASSWORD@HOST:PORT.`,
  )
}
