import { acceptedAs, kindOfFields, kindsBy, refused } from '../../api/api-result.ts'
import { base64, isObject, readJson, textOf, textsOf } from '../../api/json.ts'
import { findHeader, unlessEmpty } from '../../api/message-fields.ts'
import { formatMailbox, formatMailboxes } from '../../message/headers.ts'
import { jsonScheme, parsed } from '../json-scheme.ts'
import type { Provider } from '../provider.ts'
import { keyField } from '../provider-form.ts'
import { keyLogin, smtpPreset } from '../smtp-preset.ts'

const form = { fields: [keyField('API token', 'The API token of the domain.')] }

/**
 * MailPace's API has no raw MIME, so the message is parsed. Of the custom headers it supports three.
 * @see https://docs.mailpace.com/reference/send
 */
const mailpaceApi = jsonScheme({
  names: ['mailpace+api', 'ohmysmtp+api'],
  form,
  host: 'app.mailpace.com',
  path: '/api/v1/send',
  headers: (dsn) => ({ 'mailpace-server-token': dsn.requireUser('the API token') }),
  limits: { recipientsMax: 50, sizeBytesMax: 50 * 1024 * 1024, batchMax: 100 },
  body: parsed((message) => ({
    from: formatMailbox(message.from),
    to: formatMailboxes(message.to),
    cc: formatMailboxes(message.cc) || undefined,
    bcc: formatMailboxes(message.bcc) || undefined,
    replyto: formatMailboxes(message.replyTo) || undefined,
    subject: message.subject,
    textbody: message.text ?? undefined,
    htmlbody: message.html ?? undefined,
    list_unsubscribe: findHeader(message.headers, 'list-unsubscribe'),
    inreplyto: findHeader(message.headers, 'in-reply-to'),
    references: findHeader(message.headers, 'references'),
    attachments: message.attachments.map(({ filename, contentType, content, embeddedId }) => ({
      name: filename,
      content: base64(content),
      content_type: contentType,
      cid: embeddedId === undefined ? undefined : `cid:${embeddedId}`,
    })),
    tags: unlessEmpty(message.tags),
  })),
  readResponse(response) {
    const body = readJson(response)
    if (response.status < 300) return acceptedAs(body?.['id'])
    const error = textOf(body?.['error'])
    if (error !== '') return refused(error, { kind: kindOf({ ...response, text: error }) })
    const errors = body?.['errors']
    if (!isObject(errors)) return undefined
    const fields = Object.keys(errors)
    const text = fields.map((field) => `${field} ${textsOf(errors[field]).join(', ')}`).join('; ')
    const kind = kindOfFields(fields)
    const isOfMessage = kind === 'recipient' && /maximum volume|undefined field/.test(text)
    return refused(text, { kind: isOfMessage ? 'message' : kind })
  },
})

/** @see https://docs.mailpace.com/reference/responses/ */
const kindOf = kindsBy(
  ['credentials', /api token/i],
  ['quota', /active plan|unable to send/i],
  ['sender', 400, 403, /domain|from address/i],
  ['message', 406],
)

/**
 * MailPace, formerly OhMySMTP.
 * @see https://docs.mailpace.com/integrations/smtp/
 */
export const mailpace: Provider = {
  name: 'mailpace',
  title: 'MailPace',
  form: { link: 'https://app.mailpace.com/' },
  // Each domain has records that only the account knows.
  domains: { link: 'https://docs.mailpace.com/' },
  schemes: [
    mailpaceApi,
    smtpPreset({
      names: ['mailpace', 'ohmysmtp'].flatMap((name) => [name, `${name}+smtp`, `${name}+smtps`]),
      form,
      host: 'smtp.mailpace.com',
      port: 587,
      login: keyLogin('the API token'),
    }),
  ],
}
