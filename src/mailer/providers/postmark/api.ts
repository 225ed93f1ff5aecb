import type { ApiAdapter, ApiMessage, ApiVerdict, RefusalKind } from '../../api/api-adapter.ts'
import { base64, postJson, readJson, textOf } from '../../api/json.ts'
import type { HttpAnswer, HttpRequest } from '../../http/http-exchange.ts'
import { formatMailbox, formatMailboxes } from '../../message/format-mailbox.ts'
import type { Attachment, ParsedMessage } from '../../message/parsed-message.ts'
import { apiEndpoint, apiKey } from '../api-endpoint.ts'
import type { ApiScheme } from '../provider.ts'

/** https://postmarkapp.com/developer/api/overview#error-codes; the status decides for the others. */
const kinds: Record<string, RefusalKind> = {
  '10': 'credentials',
  '100': 'provider',
  '400': 'sender',
  '401': 'sender',
  '405': 'quota',
  '406': 'recipient',
  '412': 'quota',
  '413': 'quota',
  '429': 'throttled',
}

/**
 * Postmark's API takes no raw MIME, so the message is taken apart.
 * https://postmarkapp.com/developer/api/email-api#send-a-single-email
 */
export const postmarkApi: ApiScheme = {
  kind: 'api',
  names: ['postmark+api', 'mautic+postmark+api'],
  isUserSecret: true,
  publicOptions: ['message_stream', 'messageStream'],
  read(dsn) {
    const token = apiKey(dsn, 'the server API token')
    const stream = dsn.options.text('message_stream') ?? dsn.options.text('messageStream') ?? ''
    const endpoint = apiEndpoint(dsn, 'api.postmarkapp.com')
    return {
      endpoint,
      limits: { recipientsMax: 50, sizeBytesMax: 10 * 1024 * 1024, batchMax: 500 },
      async request(message: ApiMessage): Promise<HttpRequest> {
        const body = buildBody(await message.parse(), stream)
        return postJson(`${endpoint}/email`, { 'x-postmark-server-token': token }, body)
      },
      readAnswer,
    } satisfies ApiAdapter
  },
}

function buildBody(message: ParsedMessage, stream: string) {
  const headers = message.headers.map(({ name, value }) => ({ Name: name, Value: value }))
  if (message.messageId !== null)
    headers.push(
      { Name: 'Message-ID', Value: message.messageId },
      { Name: 'X-PM-KeepID', Value: 'true' },
    )
  const [tag] = message.tags
  return {
    From: formatMailbox(message.from),
    To: formatMailboxes(message.to),
    Cc: formatMailboxes(message.cc) || undefined,
    Bcc: formatMailboxes(message.bcc) || undefined,
    ReplyTo: formatMailboxes(message.replyTo) || undefined,
    Subject: message.subject,
    TextBody: message.text ?? undefined,
    HtmlBody: message.html ?? undefined,
    Headers: headers,
    Attachments: message.attachments.map(attachment),
    // One tag is all that Postmark has.
    Tag: tag,
    Metadata: message.metadata,
    MessageStream: stream === '' ? undefined : stream,
  }
}

function attachment({ filename, contentType, content, contentId, isInline }: Attachment) {
  return {
    Name: filename,
    ContentType: contentType,
    Content: base64(content),
    ContentID: isInline && contentId !== null ? `cid:${contentId}` : undefined,
  }
}

function readAnswer(answer: HttpAnswer): ApiVerdict | undefined {
  const body = readJson(answer)
  const code = textOf(body?.['ErrorCode'])
  if (body === undefined || code === '') return undefined
  if (answer.status === 200 && code === '0')
    return { isAccepted: true, messageId: textOf(body['MessageID']) || null }
  const kind = kinds[code]
  return {
    isAccepted: false,
    text: textOf(body['Message']),
    code,
    ...(kind === undefined ? {} : { kind }),
  }
}
