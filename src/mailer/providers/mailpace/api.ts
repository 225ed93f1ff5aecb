import type { ApiAdapter, ApiMessage, ApiVerdict, RefusalKind } from '../../api/api-adapter.ts'
import { findHeader } from '../../api/find-header.ts'
import { base64, isObject, postJson, readJson, textOf } from '../../api/json.ts'
import { textsOf } from '../../api/json-list.ts'
import { refused } from '../../api/refused.ts'
import type { HttpAnswer, HttpRequest } from '../../http/http-exchange.ts'
import { formatMailbox, formatMailboxes } from '../../message/format-mailbox.ts'
import type { ParsedMessage } from '../../message/parsed-message.ts'
import { apiEndpoint } from '../api-endpoint.ts'
import type { ApiScheme } from '../provider.ts'

/**
 * MailPace's API takes no raw MIME, so the message is taken apart; of other headers it has fields for
 * three. https://docs.mailpace.com/reference/send
 */
export const mailpaceApi: ApiScheme = {
  kind: 'api',
  names: ['mailpace+api', 'ohmysmtp+api'],
  isUserSecret: true,
  read(dsn) {
    const token = dsn.requireUser('the API token')
    const endpoint = apiEndpoint(dsn, 'app.mailpace.com')
    return {
      endpoint,
      limits: { recipientsMax: 50, sizeBytesMax: 50 * 1024 * 1024, batchMax: 100 },
      async request(message: ApiMessage): Promise<HttpRequest> {
        const body = buildBody(await message.parse())
        return postJson(`${endpoint}/api/v1/send`, { 'mailpace-server-token': token }, body)
      },
      readAnswer,
    } satisfies ApiAdapter
  },
}

function buildBody(message: ParsedMessage) {
  return {
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
    attachments: message.attachments.map(
      ({ filename, contentType, content, contentId, isInline }) => ({
        name: filename,
        content: base64(content),
        content_type: contentType,
        cid: isInline && contentId !== null ? `cid:${contentId}` : undefined,
      }),
    ),
    tags: message.tags.length > 0 ? message.tags : undefined,
  }
}

function readAnswer(answer: HttpAnswer): ApiVerdict | undefined {
  const body = readJson(answer)
  if (answer.status < 300) {
    const messageId = textOf(body?.['id'])
    return messageId === '' ? undefined : { isAccepted: true, messageId }
  }
  const error = textOf(body?.['error'])
  if (error !== '') return refused(error, { kind: kindOfError(answer.status, error) })
  const errors = body?.['errors']
  if (!isObject(errors)) return undefined
  const fields = Object.keys(errors)
  const text = fields.map((field) => `${field} ${textsOf(errors[field]).join(', ')}`).join('; ')
  return refused(text, { kind: kindOfFields(fields, text) })
}

/** https://docs.mailpace.com/reference/responses/ */
function kindOfError(status: number, error: string): RefusalKind | undefined {
  if (/api token/i.test(error)) return 'credentials'
  if (/active plan|unable to send/i.test(error)) return 'quota'
  if (/domain|from address/i.test(error) && (status === 400 || status === 403)) return 'sender'
  return status === 406 ? 'message' : undefined
}

function kindOfFields(fields: readonly string[], text: string): RefusalKind | undefined {
  if (fields.includes('from')) return 'sender'
  if (!fields.some((field) => /^(to|cc|bcc)$/.test(field))) return undefined
  return /maximum volume|undefined field/.test(text) ? 'message' : 'recipient'
}
