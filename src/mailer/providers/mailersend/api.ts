import type {
  ApiAdapter,
  ApiMessage,
  ApiRecipient,
  ApiVerdict,
  RefusalKind,
} from '../../api/api-adapter.ts'
import { emailName, emailNames } from '../../api/email-name.ts'
import { findHeader, withoutHeaders } from '../../api/find-header.ts'
import { base64, isObject, postJson, readJson, textOf } from '../../api/json.ts'
import { objectsOf, textsOf } from '../../api/json-list.ts'
import { refused } from '../../api/refused.ts'
import type { HttpAnswer, HttpRequest } from '../../http/http-exchange.ts'
import type { Attachment, ParsedMessage } from '../../message/parsed-message.ts'
import { apiEndpoint } from '../api-endpoint.ts'
import type { ApiScheme } from '../provider.ts'

/** Headers that MailerSend has parameters of its own for, or writes itself from them. */
const parameterHeaders = new Set([
  'in-reply-to',
  'list-unsubscribe',
  'list-unsubscribe-post',
  'precedence',
  'references',
])

/**
 * MailerSend's API takes no raw MIME, so the message is taken apart.
 * https://developers.mailersend.com/api/v1/email.html#send-an-email
 */
export const mailersendApi: ApiScheme = {
  kind: 'api',
  names: ['mailersend+api'],
  isUserSecret: true,
  publicOptions: ['headers'],
  read(dsn) {
    const authorization = `Bearer ${dsn.requireUser('the API token')}`
    const hasHeaders = dsn.options.boolean('headers') ?? true
    const endpoint = apiEndpoint(dsn, 'api.mailersend.com')
    return {
      endpoint,
      limits: { recipientsMax: 70, sizeBytesMax: 25 * 1024 * 1024, batchMax: 500 },
      async request(message: ApiMessage): Promise<HttpRequest> {
        const parsed = await message.parse()
        const headers = hasHeaders ? headerFields(parsed.headers) : {}
        const body = { ...buildBody(parsed), ...headers }
        return postJson(`${endpoint}/v1/email`, { authorization }, body)
      },
      readAnswer,
    } satisfies ApiAdapter
  },
}

function buildBody(message: ParsedMessage) {
  const [replyTo] = message.replyTo
  return {
    from: emailName(message.from),
    to: message.to.map(emailName),
    cc: emailNames(message.cc),
    bcc: emailNames(message.bcc),
    // One is all that MailerSend takes.
    reply_to: replyTo === undefined ? undefined : emailName(replyTo),
    subject: message.subject,
    text: message.text ?? undefined,
    html: message.html ?? undefined,
    attachments: message.attachments.length > 0 ? message.attachments.map(attachment) : undefined,
    // Five tags are all that a message may have.
    tags: message.tags.length > 0 ? message.tags.slice(0, 5) : undefined,
    in_reply_to: messageIds(message, 'in-reply-to')?.[0],
    references: messageIds(message, 'references'),
    precedence_bulk: /^(bulk|list|junk)$/i.test(findHeader(message.headers, 'precedence') ?? '')
      ? true
      : undefined,
  }
}

/** The message ids of a header, without their angle brackets, as MailerSend wants them. */
function messageIds({ headers }: ParsedMessage, name: string): string[] | undefined {
  return findHeader(headers, name)
    ?.split(/[\s<>]+/)
    .filter((id) => id !== '')
}

/** https://www.mailersend.com/help/custom-headers: what only the larger plans take. */
function headerFields(headers: ParsedMessage['headers']) {
  const custom = withoutHeaders(headers, parameterHeaders)
  const unsubscribe = findHeader(headers, 'list-unsubscribe') ?? ''
  const targets = [...unsubscribe.matchAll(/<([^>]+)>/g)].map(([, target = '']) => target)
  return {
    headers: custom.length > 0 ? custom : undefined,
    // It takes one target and writes the header, and its one-click companion, itself.
    list_unsubscribe: targets.find((target) => target.startsWith('https:')) ?? targets[0],
  }
}

function attachment({ filename, content, contentId, isInline }: Attachment) {
  const isEmbedded = isInline && contentId !== null
  return {
    filename,
    content: base64(content),
    disposition: isEmbedded ? 'inline' : 'attachment',
    id: isEmbedded ? contentId : undefined,
  }
}

function readAnswer(answer: HttpAnswer): ApiVerdict | undefined {
  const body = readJson(answer)
  if (answer.status === 202) return readAcceptance(answer, body)
  if (answer.status < 300) return undefined
  const text = textOf(body?.['message'])
  if (text === '') return undefined
  const errors = isObject(body?.['errors']) ? body['errors'] : {}
  const fields = Object.keys(errors)
  const details = fields.flatMap((field) => textsOf(errors[field]))
  const [code = ''] = /#MS\d+/.exec([text, ...details].join(' ')) ?? []
  return refused(details[0] ?? text, {
    code: code.slice(1),
    kind: kindOf(answer.status, fields, details.join(' ')),
  })
}

/** A 202 may say that all recipients are suppressed, and then nothing is sent. */
function readAcceptance(
  { body: text, headers }: HttpAnswer,
  body: Readonly<Record<string, unknown>> | undefined,
): ApiVerdict | undefined {
  if (body === undefined && text.trim() !== '') return undefined
  const warnings = objectsOf(body?.['warnings'])
  const suppressed = warnings.flatMap(({ recipients }) => objectsOf(recipients).map(suppression))
  if (warnings.some(({ type }) => type === 'ALL_SUPPRESSED'))
    return refused(suppressed[0]?.text ?? 'All recipients are suppressed.', { kind: 'recipient' })
  const messageId = headers['x-message-id'] ?? null
  return { isAccepted: true, messageId, recipients: suppressed }
}

function suppression(recipient: Readonly<Record<string, unknown>>): ApiRecipient {
  const reasons = textsOf(recipient['reasons']).join(', ')
  return {
    address: textOf(recipient['email']),
    outcome: 'refused',
    text: `The recipient is suppressed: ${reasons}.`,
    isPermanent: true,
  }
}

/** https://developers.mailersend.com/general.html#validation-errors */
function kindOf(status: number, fields: readonly string[], details: string) {
  // Maintenance, and no fault of the request.
  if (status === 421) return 'provider' satisfies RefusalKind
  if (status !== 422) return undefined
  if (/\b(quota|limit)\b/i.test(details) && !/characters|size/i.test(details)) return 'quota'
  if (fields.some((field) => field.startsWith('from'))) return 'sender'
  return fields.some((field) => /^(to|cc|bcc)\.\d/.test(field)) ? 'recipient' : undefined
}
