import type { ApiAdapter, ApiMessage, ApiVerdict, RefusalKind } from '../../api/api-adapter.ts'
import { emailName, emailNames } from '../../api/email-name.ts'
import { headerRecord } from '../../api/header-record.ts'
import { base64, postJson, readJson, textOf } from '../../api/json.ts'
import { objectsOf } from '../../api/json-list.ts'
import { refused } from '../../api/refused.ts'
import { uncarriable } from '../../api/uncarriable.ts'
import type { HttpAnswer, HttpRequest } from '../../http/http-exchange.ts'
import type { Attachment, ParsedMessage } from '../../message/parsed-message.ts'
import { apiEndpoint } from '../api-endpoint.ts'
import type { ApiScheme } from '../provider.ts'

const headersMax = 5

/**
 * Sweego's API takes no raw MIME, so the message is taken apart.
 * https://learn.sweego.io/docs/sending/send_api
 */
export const sweegoApi: ApiScheme = {
  kind: 'api',
  names: ['sweego+api'],
  isUserSecret: true,
  read(dsn) {
    const key = dsn.requireUser('the API key')
    const endpoint = apiEndpoint(dsn, 'api.sweego.io')
    return {
      endpoint,
      limits: {},
      async request(message: ApiMessage): Promise<HttpRequest> {
        const body = buildBody(await message.parse())
        return postJson(`${endpoint}/send`, { 'api-key': key }, body)
      },
      readAnswer,
    } satisfies ApiAdapter
  },
}

function buildBody(message: ParsedMessage) {
  const headers = headerRecord(message.headers)
  const names = Object.keys(headers ?? {})
  if (names.length > headersMax)
    throw uncarriable(
      `Sweego takes at most ${headersMax} headers beside its own; this message has ${names.length} (${names.join(', ')}).`,
      'Leave some out, or use the SMTP scheme.',
    )
  const [replyTo] = message.replyTo
  return {
    channel: 'email',
    provider: 'sweego',
    'campaign-type': 'transac',
    from: emailName(message.from),
    recipients: message.to.map(emailName),
    cc: emailNames(message.cc),
    bcc: emailNames(message.bcc),
    // One is all that Sweego takes.
    'reply-to': replyTo === undefined ? undefined : emailName(replyTo),
    subject: message.subject,
    'message-txt': message.text ?? undefined,
    'message-html': message.html ?? undefined,
    attachments: message.attachments.length > 0 ? message.attachments.map(attachment) : undefined,
    headers,
    'campaign-tags': message.tags.length > 0 ? message.tags : undefined,
  }
}

function attachment({ filename, content, contentId, isInline }: Attachment) {
  const isEmbedded = isInline && contentId !== null
  return {
    content: base64(content),
    filename,
    disposition: isEmbedded ? 'inline' : 'attachment',
    content_id: isEmbedded ? contentId : undefined,
    is_related: isEmbedded ? true : undefined,
  }
}

function readAnswer(answer: HttpAnswer): ApiVerdict | undefined {
  const body = readJson(answer)
  if (answer.status < 300) {
    const messageId = textOf(body?.['transaction_id'])
    return messageId === '' ? undefined : { isAccepted: true, messageId }
  }
  const details = objectsOf(body?.['detail'])
  const paths = details.map(({ loc }) => (Array.isArray(loc) ? loc.join('.') : ''))
  const words = details.map((detail, index) => `${paths[index] ?? ''} ${textOf(detail['msg'])}`)
  const text = words.join('; ') || textOf(body?.['detail']) || textOf(body?.['message'])
  return text === '' ? undefined : refused(text, { kind: kindOf(answer.status, text, paths) })
}

function kindOf(status: number, text: string, paths: readonly string[]): RefusalKind | undefined {
  if (status === 403 && /domain|sender/i.test(text)) return 'sender'
  if (status === 403 && /credit|quota|limit/i.test(text)) return 'quota'
  // A conflict, such as with a change of the account; it may be tried again.
  if (status === 409) return 'provider'
  if (paths.some((path) => /^body\.from\b/.test(path))) return 'sender'
  return paths.some((path) => /^body\.(recipients|cc|bcc)\.\d/.test(path)) ? 'recipient' : undefined
}
