import type { ApiAdapter, ApiMessage, ApiVerdict, RefusalKind } from '../../api/api-adapter.ts'
import { headerRecord } from '../../api/header-record.ts'
import { base64, postJson, readJson, textOf } from '../../api/json.ts'
import { refused } from '../../api/refused.ts'
import type { HttpAnswer, HttpRequest } from '../../http/http-exchange.ts'
import { encodedWords } from '../../message/encode-words.ts'
import { formatMailbox } from '../../message/format-mailbox.ts'
import type { Attachment, Mailbox, ParsedMessage } from '../../message/parsed-message.ts'
import { apiEndpoint } from '../api-endpoint.ts'
import type { ApiScheme } from '../provider.ts'

/** https://resend.com/docs/api-reference/errors; the status decides for the others. */
const kinds: Record<string, RefusalKind> = {
  missing_api_key: 'credentials',
  restricted_api_key: 'credentials',
  invalid_api_key: 'credentials',
  daily_quota_exceeded: 'quota',
  monthly_quota_exceeded: 'quota',
  rate_limit_exceeded: 'throttled',
  invalid_from_address: 'sender',
  concurrent_idempotent_requests: 'provider',
}

/**
 * Resend's API takes no raw MIME, so the message is taken apart.
 * https://resend.com/docs/api-reference/emails/send-email
 */
export const resendApi: ApiScheme = {
  kind: 'api',
  names: ['resend+api'],
  isUserSecret: true,
  read(dsn) {
    const authorization = `Bearer ${dsn.requireUser('the API key')}`
    const endpoint = apiEndpoint(dsn, 'api.resend.com')
    return {
      endpoint,
      limits: { recipientsMax: 50, sizeBytesMax: 40 * 1024 * 1024, batchMax: 100 },
      async request(message: ApiMessage): Promise<HttpRequest> {
        const body = buildBody(await message.parse())
        return postJson(`${endpoint}/emails`, { authorization }, body)
      },
      readAnswer,
    } satisfies ApiAdapter
  },
}

function buildBody(message: ParsedMessage) {
  const { from } = message
  const tags = labels(message)
  return {
    // Resend refuses a sender's name that is quoted or encoded.
    from: from.name === '' ? from.address : `${from.name} <${from.address}>`,
    to: message.to.map(mailbox),
    cc: message.cc.length > 0 ? message.cc.map(mailbox) : undefined,
    bcc: message.bcc.length > 0 ? message.bcc.map(mailbox) : undefined,
    reply_to: message.replyTo.length > 0 ? message.replyTo.map(mailbox) : undefined,
    subject: message.subject,
    text: message.text ?? undefined,
    html: message.html ?? undefined,
    attachments: message.attachments.length > 0 ? message.attachments.map(attachment) : undefined,
    headers: headerRecord(message.headers),
    tags: tags.length > 0 ? tags : undefined,
  }
}

/** Resend refuses a recipient's name in quotes, but takes it encoded. */
function mailbox(one: Mailbox): string {
  const formatted = formatMailbox(one)
  return formatted.startsWith('"') ? `${encodedWords(one.name)} <${one.address}>` : formatted
}

/** Only letters, digits, "_" and "-" make a tag; with others Resend refuses the whole message. */
function labels({ tags, metadata }: ParsedMessage): { name: string; value: string }[] {
  return [
    ...tags.map((value, index) => ({ name: index === 0 ? 'tag' : `tag_${index + 1}`, value })),
    ...Object.entries(metadata).map(([name, value]) => ({ name, value })),
  ].filter(({ name, value }) => [name, value].every((one) => /^[\w-]{1,256}$/.test(one)))
}

function attachment({ filename, contentType, content, contentId, isInline }: Attachment) {
  return {
    filename,
    content: base64(content),
    content_type: contentType,
    content_id: isInline && contentId !== null ? contentId : undefined,
  }
}

function readAnswer(answer: HttpAnswer): ApiVerdict | undefined {
  const body = readJson(answer)
  if (answer.status < 300) {
    const messageId = textOf(body?.['id'])
    return messageId === '' ? undefined : { isAccepted: true, messageId }
  }
  const name = textOf(body?.['name'])
  if (name === '') return undefined
  const text = textOf(body?.['message'])
  return refused(text, { code: name, kind: kinds[name] ?? kindOf(answer.status, text) })
}

function kindOf(status: number, text: string): RefusalKind | undefined {
  // "The example.com domain is not verified", "You can only send testing emails to your own".
  if (status === 403 && /domain|testing emails/i.test(text)) return 'sender'
  if (status !== 400 && status !== 422) return undefined
  if (/`from`/.test(text)) return 'sender'
  return /`(to|cc|bcc)`/.test(text) ? 'recipient' : undefined
}
