import type { ApiAdapter, ApiMessage, ApiVerdict, RefusalKind } from '../../api/api-adapter.ts'
import { basicAuthorization } from '../../api/basic-authorization.ts'
import { withoutHeaders } from '../../api/find-header.ts'
import { headerRecord } from '../../api/header-record.ts'
import { base64, postJson, readJson, textOf } from '../../api/json.ts'
import { objectsOf, textsOf } from '../../api/json-list.ts'
import { refused } from '../../api/refused.ts'
import type { HttpAnswer, HttpRequest } from '../../http/http-exchange.ts'
import type { Attachment, Mailbox, ParsedMessage } from '../../message/parsed-message.ts'
import { apiEndpoint } from '../api-endpoint.ts'
import type { ApiScheme } from '../provider.ts'
import { messageFields } from './message-fields.ts'

/** Headers that Mailjet writes itself; with one of them it refuses the message. */
const ownHeaders = new Set([
  'authentication-results',
  'delivered-to',
  'domainkey-status',
  'list-id',
  'received-spf',
  'user-agent',
  'x-csa-complaints',
  'x-feedback-id',
  'x-mailer',
  'x-mailjet-debug',
  'x-mailjet-segmentation',
  'x-mj-errormessage',
  'x-mj-mid',
  'x-mj-statisticscontactslistid',
  'x-mj-workflowid',
])

/**
 * Mailjet's Send API 3.1 takes no raw MIME, so the message is taken apart.
 * https://dev.mailjet.com/email/guides/send-api-v31/
 */
export const mailjetApi: ApiScheme = {
  kind: 'api',
  names: ['mailjet+api', 'mautic+mailjet+api'],
  isUserSecret: false,
  publicOptions: ['sandbox'],
  read(dsn) {
    const authorization = basicAuthorization(
      dsn.requireUser('the API key'),
      dsn.requirePassword('the secret key'),
    )
    const isSandbox = dsn.options.boolean('sandbox') ?? false
    const endpoint = apiEndpoint(dsn, 'api.mailjet.com')
    return {
      endpoint,
      limits: { recipientsMax: 50, sizeBytesMax: 15 * 1024 * 1024, batchMax: 50 },
      async request(message: ApiMessage): Promise<HttpRequest> {
        const body = { Messages: [buildMessage(await message.parse())], SandboxMode: isSandbox }
        return postJson(`${endpoint}/v3.1/send`, { authorization }, body)
      },
      readAnswer,
    } satisfies ApiAdapter
  },
}

function buildMessage(message: ParsedMessage) {
  const { fields, rest } = messageFields(message.headers)
  const inline = message.attachments.filter((one) => one.isInline && one.contentId !== null)
  const [replyTo] = message.replyTo
  return {
    From: mailbox(message.from),
    To: message.to.map(mailbox),
    Cc: message.cc.length > 0 ? message.cc.map(mailbox) : undefined,
    Bcc: message.bcc.length > 0 ? message.bcc.map(mailbox) : undefined,
    // One is all that Mailjet takes.
    ReplyTo: replyTo === undefined ? undefined : mailbox(replyTo),
    Subject: message.subject,
    TextPart: message.text ?? undefined,
    HTMLPart: message.html ?? undefined,
    Attachments: message.attachments.filter((one) => !inline.includes(one)).map(attachment),
    InlinedAttachments: inline.map((one) => ({ ...attachment(one), ContentID: one.contentId })),
    Headers: headerRecord(withoutHeaders(rest, ownHeaders)),
    ...fields,
  }
}

function mailbox({ name, address }: Mailbox) {
  return { Email: address, Name: name === '' ? undefined : name }
}

function attachment({ filename, contentType, content }: Attachment) {
  return { ContentType: contentType, Filename: filename, Base64Content: base64(content) }
}

function readAnswer(answer: HttpAnswer): ApiVerdict | undefined {
  const body = readJson(answer)
  const [message] = objectsOf(body?.['Messages'])
  const [error = body] = objectsOf(message?.['Errors'])
  if (answer.status === 200 && message?.['Status'] === 'success')
    return { isAccepted: true, messageId: idOf(message) }
  if (error === undefined || textOf(error['ErrorMessage']) === '') return undefined
  const code = textOf(error['ErrorCode'])
  const about = textsOf(error['ErrorRelatedTo'])
  return refused(textOf(error['ErrorMessage']), { code, kind: kindOf(code, about) })
}

/** The id is a number that JavaScript rounds, so it is read from the address of the message. */
function idOf(message: Readonly<Record<string, unknown>>): string | null {
  const [first] = objectsOf(message['To'])
  const id = /\/(\d+)$/.exec(textOf(first?.['MessageHref']))?.[1]
  return id ?? (textOf(first?.['MessageUUID']) || null)
}

/** https://dev.mailjet.com/email/guides/send-api-v31/#sandbox-mode and the error list below it. */
function kindOf(code: string, about: readonly string[]): RefusalKind | undefined {
  if (code === 'send-0008') return 'sender'
  if (code !== 'mj-0013') return code.startsWith('send-') ? 'message' : undefined
  if (about.some((path) => path.startsWith('From'))) return 'sender'
  return about.some((path) => /^(To|Cc|Bcc)\b/.test(path)) ? 'recipient' : 'message'
}
