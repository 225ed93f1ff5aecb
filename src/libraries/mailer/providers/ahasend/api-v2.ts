import type { ApiRecipient, ApiResult } from '../../api/api-adapter.ts'
import { kindsBy, refused } from '../../api/api-result.ts'
import { base64, isObject, objectsOf, readJson, textOf } from '../../api/json.ts'
import { emailName, emailNames, headerRecord, unlessEmpty } from '../../api/message-fields.ts'
import type { HttpResponse } from '../../connect/http-message.ts'
import { formatMailboxes } from '../../message/headers.ts'
import type { Attachment, ParsedMessage } from '../../message/parse-message.ts'

/**
 * Builds a body of the API v2. It sends one message to all recipients and does not read it as a template.
 * https://ahasend.com/docs/api-reference/messages/create-conversation
 */
export function bodyV2(message: ParsedMessage) {
  // The parameter takes one mailbox, the header several; only one of both is allowed.
  const isHeader = message.replyTo.length > 1
  const headers = isHeader
    ? [...message.headers, { name: 'Reply-To', value: formatMailboxes(message.replyTo) }]
    : message.headers
  return {
    from: emailName(message.from),
    to: message.to.map(emailName),
    cc: emailNames(message.cc),
    bcc: emailNames(message.bcc),
    reply_to: isHeader ? undefined : emailNames(message.replyTo)?.[0],
    subject: message.subject,
    text_content: message.text ?? undefined,
    html_content: message.html ?? undefined,
    attachments: unlessEmpty(message.attachments.map(attachment)),
    headers: headerRecord(headers),
    tags: unlessEmpty(message.tags),
  }
}

export function readV2(response: HttpResponse): ApiResult | undefined {
  const body = readJson(response)
  if (response.status < 300) return readMessages(objectsOf(body?.['data']))
  const text = textOf(body?.['message'])
  return text === '' ? undefined : refused(text, { kind: kindOf({ ...response, text }) })
}

/** Reads the entries of the recipients, each with its own status. */
function readMessages(
  messages: readonly Readonly<Record<string, unknown>>[],
): ApiResult | undefined {
  const [first] = messages
  if (first === undefined) return undefined
  const failed = messages.filter(({ status }) => status === 'error' || status === 'failed')
  if (failed.length === messages.length)
    return refused(textOf(first['error']), { kind: 'recipient' })
  const messageId = messages.map(({ id }) => textOf(id)).find((id) => id !== '') ?? null
  return { isAccepted: true, messageId, recipients: failed.map(failure) }
}

function failure({ recipient, error }: Readonly<Record<string, unknown>>): ApiRecipient {
  return {
    address: isObject(recipient) ? textOf(recipient['email']) : '',
    outcome: 'refused',
    text: textOf(error),
    isPermanent: true,
  }
}

/** Converts an attachment for both API versions. An inline one has a `content_id`. */
export function attachment({ filename, contentType, content, embeddedId }: Attachment) {
  return {
    base64: true,
    data: base64(content),
    content_type: contentType,
    file_name: filename,
    content_id: embeddedId,
  }
}

/** Finds the kind of a refusal when the HTTP status alone would be misleading. */
export const kindOf = kindsBy(
  // A conflict with a request with the same idempotency key, or with a change of the account.
  ['provider', 409],
  ['quota', /credit|quota|plan|suspended/i],
  // "domain is not yours", "domain DNS records are not valid".
  ['sender', 400, 401, 402, 403, 404, 422, 429, /\bdomain\b/i],
  ['credentials', 404, /account/i],
)
