import type { ApiAdapter, ApiMessage, ApiRecipient, ApiVerdict } from '../../api/api-adapter.ts'
import { emailName, emailNames } from '../../api/email-name.ts'
import { headerRecord } from '../../api/header-record.ts'
import { isObject, postJson, readJson, textOf } from '../../api/json.ts'
import { objectsOf } from '../../api/json-list.ts'
import { refused } from '../../api/refused.ts'
import type { HttpAnswer } from '../../http/http-exchange.ts'
import { formatMailboxes } from '../../message/format-mailbox.ts'
import type { ParsedMessage } from '../../message/parsed-message.ts'
import { attachment } from './attachment.ts'
import { kindOf } from './kind-of.ts'

interface Access {
  readonly endpoint: string
  readonly key: string
  readonly account: string
}

/**
 * The API v2: one message to all of its recipients, and nothing in it is taken for a template.
 * https://ahasend.com/docs/api-reference/messages/create-conversation
 */
export function ahasendV2({
  endpoint,
  key,
  account,
}: Access): Pick<ApiAdapter, 'request' | 'readAnswer'> {
  const url = `${endpoint}/v2/accounts/${account}/messages/conversation`
  return {
    async request(message: ApiMessage) {
      const body = buildBody(await message.parse())
      return postJson(url, { authorization: `Bearer ${key}` }, body)
    },
    readAnswer,
  }
}

function buildBody(message: ParsedMessage) {
  const [replyTo, ...others] = message.replyTo
  // The parameter takes one mailbox; the header, which excludes the parameter, takes several.
  const isHeader = others.length > 0
  const headers = isHeader
    ? [...message.headers, { name: 'Reply-To', value: formatMailboxes(message.replyTo) }]
    : message.headers
  return {
    from: emailName(message.from),
    to: message.to.map(emailName),
    cc: emailNames(message.cc),
    bcc: emailNames(message.bcc),
    reply_to: isHeader || replyTo === undefined ? undefined : emailName(replyTo),
    subject: message.subject,
    text_content: message.text ?? undefined,
    html_content: message.html ?? undefined,
    attachments: message.attachments.length > 0 ? message.attachments.map(attachment) : undefined,
    headers: headerRecord(headers),
    tags: message.tags.length > 0 ? message.tags : undefined,
  }
}

function readAnswer(answer: HttpAnswer): ApiVerdict | undefined {
  const body = readJson(answer)
  if (answer.status < 300) return readMessages(objectsOf(body?.['data']))
  const text = textOf(body?.['message'])
  return text === '' ? undefined : refused(text, { kind: kindOf(answer.status, text) })
}

/** One entry for each recipient, each with a status of its own. */
function readMessages(
  messages: readonly Readonly<Record<string, unknown>>[],
): ApiVerdict | undefined {
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
