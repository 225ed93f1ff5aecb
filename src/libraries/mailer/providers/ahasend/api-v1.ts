import type { ApiRecipient, ApiResult } from '../../api/api-adapter.ts'
import { refused } from '../../api/api-result.ts'
import { readJson, textOf, textsOf } from '../../api/json.ts'
import { emailName, emailNames, headerRecord, unlessEmpty } from '../../api/message-fields.ts'
import type { HttpResponse } from '../../connect/http-message.ts'
import { formatMailboxes } from '../../message/headers.ts'
import type { ParsedMessage } from '../../message/parse-message.ts'
import { attachment, kindOf } from './api-v2.ts'

/**
 * Builds a body of the API v1. Each recipient gets a separate message, whose To and Cc show no other recipient.
 * https://ahasend.com/docs/api-reference/v1
 */
export function bodyV1(message: ParsedMessage) {
  const isHeader = message.replyTo.length > 1
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
      reply_to: isHeader ? undefined : emailNames(message.replyTo)?.[0],
      headers: headerRecord(headers),
      attachments: unlessEmpty(message.attachments.map(attachment)),
    },
  }
}

export function readV1(response: HttpResponse): ApiResult | undefined {
  const body = readJson(response)
  if (body === undefined) return undefined
  // A message has at most 100 recipients.
  const errors = textsOf(body['errors']).slice(0, 100)
  if (response.status < 300) {
    if (typeof body['success_count'] !== 'number') return undefined
    if (body['success_count'] === 0) return refused(errors.join('; '), { kind: 'recipient' })
    return { isAccepted: true, messageId: null, recipients: failures(body, errors) }
  }
  const text = textOf(body['status']) || textOf(body['message']) || errors.join('; ')
  return text === '' ? undefined : refused(text, { kind: kindOf({ ...response, text }) })
}

/** Reads the failed recipients. Their reasons are `address: reason` in the same order. */
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
