import type { ApiAdapter, ApiMessage, ApiVerdict, RefusalKind } from '../../api/api-adapter.ts'
import { emailName } from '../../api/email-name.ts'
import { headerRecord } from '../../api/header-record.ts'
import { base64, postJson, readJson, textOf } from '../../api/json.ts'
import { objectsOf } from '../../api/json-list.ts'
import { refused } from '../../api/refused.ts'
import type { HttpAnswer, HttpRequest } from '../../http/http-exchange.ts'
import type { Attachment, Mailbox, ParsedMessage } from '../../message/parsed-message.ts'
import { apiEndpoint } from '../api-endpoint.ts'
import type { ApiScheme } from '../provider.ts'
import { sendgridKey } from './key.ts'

/**
 * SendGrid's API takes no raw MIME, so the message is taken apart.
 * https://www.twilio.com/docs/sendgrid/api-reference/mail-send/mail-send
 */
export const sendgridApi: ApiScheme = {
  kind: 'api',
  names: ['sendgrid+api'],
  isUserSecret: true,
  publicOptions: ['region'],
  read(dsn) {
    const authorization = `Bearer ${sendgridKey(dsn)}`
    const region = dsn.options.word('region') ?? 'global'
    const host = region === 'global' ? 'api.sendgrid.com' : `api.${region}.sendgrid.com`
    const endpoint = apiEndpoint(dsn, host)
    return {
      endpoint,
      limits: { recipientsMax: 1000, sizeBytesMax: 30 * 1024 * 1024, batchMax: 1000 },
      async request(message: ApiMessage): Promise<HttpRequest> {
        const body = buildBody(await message.parse())
        return postJson(`${endpoint}/v3/mail/send`, { authorization }, body)
      },
      readAnswer,
    } satisfies ApiAdapter
  },
}

function buildBody(message: ParsedMessage) {
  const { subject, text, html, replyTo, tags, metadata, messageId } = message
  const ownId = messageId === null ? [] : [{ name: 'Message-ID', value: messageId }]
  return {
    personalizations: [
      {
        to: message.to.map(recipient),
        cc: message.cc.length > 0 ? message.cc.map(recipient) : undefined,
        bcc: message.bcc.length > 0 ? message.bcc.map(recipient) : undefined,
      },
    ],
    from: emailName(message.from),
    reply_to_list: replyTo.length > 0 ? replyTo.map(emailName) : undefined,
    subject,
    content: [
      ...(text === null ? [] : [{ type: 'text/plain', value: text }]),
      ...(html === null ? [] : [{ type: 'text/html', value: html }]),
    ],
    attachments: message.attachments.length > 0 ? message.attachments.map(attachment) : undefined,
    headers: headerRecord([...message.headers, ...ownId]),
    // Ten categories are all that a message may have.
    categories: tags.length > 0 ? tags.slice(0, 10) : undefined,
    custom_args: Object.keys(metadata).length > 0 ? metadata : undefined,
  }
}

/**
 * SendGrid puts the name of a recipient into the header as it is, where a comma or semicolon would
 * begin another address: https://www.twilio.com/docs/sendgrid/api-reference/mail-send/limitations
 */
function recipient({ name, address }: Mailbox) {
  const isSafe = !/[;,"\\]/.test(name)
  return emailName({ address, name: isSafe ? name : `"${name.replace(/[\\"]/g, '\\$&')}"` })
}

function attachment({ filename, contentType, content, contentId, isInline }: Attachment) {
  const isEmbedded = isInline && contentId !== null
  return {
    content: base64(content),
    type: contentType,
    filename,
    disposition: isEmbedded ? 'inline' : 'attachment',
    content_id: isEmbedded ? contentId : undefined,
  }
}

function readAnswer(answer: HttpAnswer): ApiVerdict | undefined {
  if (answer.status === 202 && answer.body.trim() === '')
    return { isAccepted: true, messageId: answer.headers['x-message-id'] ?? null }
  const errors = objectsOf(readJson(answer)?.['errors'])
  if (errors.length === 0) return undefined
  const text = errors.map((error) => textOf(error['message'])).join('; ')
  const field = errors.map((error) => textOf(error['field'])).find((name) => name !== '') ?? ''
  return refused(text, { code: field, kind: kindOf(answer.status, text, field) })
}

/** https://www.twilio.com/docs/sendgrid/api-reference/mail-send/errors; there are fields, but no codes. */
function kindOf(status: number, text: string, field: string): RefusalKind | undefined {
  if (status === 401 && /credits/i.test(text)) return 'quota'
  if (status === 403 && (field.startsWith('from') || /sender identity/i.test(text))) return 'sender'
  if (status !== 400) return undefined
  if (field === 'from' || field.startsWith('from.')) return 'sender'
  return /^personalizations\.\d+\.(to|cc|bcc)\b/.test(field) ? 'recipient' : undefined
}
