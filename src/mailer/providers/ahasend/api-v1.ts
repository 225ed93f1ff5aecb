import type { ApiAdapter, ApiMessage, ApiRecipient, ApiVerdict } from '../../api/api-adapter.ts'
import { emailName } from '../../api/email-name.ts'
import { headerRecord } from '../../api/header-record.ts'
import { postJson, readJson, textOf } from '../../api/json.ts'
import { textsOf } from '../../api/json-list.ts'
import { refused } from '../../api/refused.ts'
import type { HttpAnswer } from '../../http/http-exchange.ts'
import { formatMailboxes } from '../../message/format-mailbox.ts'
import type { ParsedMessage } from '../../message/parsed-message.ts'
import { attachment } from './attachment.ts'
import { kindOf } from './kind-of.ts'

interface Access {
  readonly endpoint: string
  readonly key: string
}

/**
 * The API v1: each recipient gets a message of their own, so To and Cc show nobody else.
 * https://ahasend.com/docs/api-reference/v1
 */
export function ahasendV1({ endpoint, key }: Access): Pick<ApiAdapter, 'request' | 'readAnswer'> {
  return {
    async request(message: ApiMessage) {
      const body = buildBody(await message.parse())
      return postJson(`${endpoint}/v1/email/send`, { 'x-api-key': key }, body)
    },
    readAnswer,
  }
}

function buildBody(message: ParsedMessage) {
  const [replyTo, ...others] = message.replyTo
  const isHeader = others.length > 0
  const headers = [...message.headers]
  if (isHeader) headers.push({ name: 'Reply-To', value: formatMailboxes(message.replyTo) })
  if (message.tags.length > 0) headers.push({ name: 'AhaSend-Tags', value: message.tags.join(',') })
  return {
    from: emailName(message.from),
    recipients: [...message.to, ...message.cc, ...message.bcc].map(emailName),
    content: {
      subject: message.subject,
      text_body: message.text ?? undefined,
      html_body: message.html ?? undefined,
      reply_to: isHeader || replyTo === undefined ? undefined : emailName(replyTo),
      headers: headerRecord(headers),
      attachments: message.attachments.length > 0 ? message.attachments.map(attachment) : undefined,
    },
  }
}

function readAnswer(answer: HttpAnswer): ApiVerdict | undefined {
  const body = readJson(answer)
  if (body === undefined) return undefined
  const errors = textsOf(body['errors'])
  if (answer.status < 300) {
    if (typeof body['success_count'] !== 'number') return undefined
    if (body['success_count'] === 0) return refused(errors.join('; '), { kind: 'recipient' })
    return { isAccepted: true, messageId: null, recipients: failures(body, errors) }
  }
  const text = textOf(body['status']) || textOf(body['message']) || errors.join('; ')
  return text === '' ? undefined : refused(text, { kind: kindOf(answer.status, text) })
}

/** The failed recipients, and their reasons as `address: reason` in the same order. */
function failures(
  body: Readonly<Record<string, unknown>>,
  errors: readonly string[],
): ApiRecipient[] {
  return textsOf(body['failed_recipients']).map((address, index) => ({
    address,
    outcome: 'refused',
    text: errors.find((error) => error.startsWith(`${address}:`)) ?? errors[index] ?? '',
    isPermanent: true,
  }))
}
