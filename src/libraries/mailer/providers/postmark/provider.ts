import { kindsBy, refused } from '../../api/api-result.ts'
import { base64, readJson, textOf } from '../../api/json.ts'
import { formatMailbox, formatMailboxes } from '../../message/headers.ts'
import type { Attachment, ParsedMessage } from '../../message/parse-message.ts'
import { jsonScheme, parsed } from '../json-scheme.ts'
import { apiKey, type Provider } from '../provider.ts'
import { keyField, textField } from '../provider-form.ts'
import { keyLogin, smtpPreset } from '../smtp-preset.ts'
import { postmarkWebhooks } from './webhooks.ts'

/** @see https://postmarkapp.com/developer/api/overview#error-codes */
const kindOf = kindsBy(
  ['credentials', '10'],
  ['provider', '100'],
  ['sender', '400', '401'],
  ['quota', '405', '412', '413'],
  ['recipient', '406'],
  ['throttled', '429'],
)

const serverFields = [
  keyField('Server API token', 'From "Server", "API Tokens".'),
  textField('message_stream', 'Message stream', {
    example: 'broadcast',
    help: 'The id of the stream. Empty for the default transactional stream.',
    isOptional: true,
  }),
]

/**
 * Postmark's API has no raw MIME, so the message is parsed.
 * @see https://postmarkapp.com/developer/api/email-api#send-a-single-email
 */
const postmarkApi = jsonScheme({
  names: ['postmark+api', 'mautic+postmark+api'],
  publicOptions: ['message_stream', 'messageStream'],
  form: { pluginOptions: { messageStream: 'message_stream' }, fields: serverFields },
  host: 'api.postmarkapp.com',
  path: '/email',
  headers: (dsn) => ({ 'x-postmark-server-token': apiKey(dsn, 'the server API token') }),
  limits: { recipientsMax: 50, sizeBytesMax: 10 * 1024 * 1024, batchMax: 500 },
  options: ({ options }) => options.text('message_stream') ?? options.text('messageStream') ?? '',
  body: parsed(buildBody),
  readResponse(response) {
    const body = readJson(response)
    const code = textOf(body?.['ErrorCode'])
    if (body === undefined || code === '') return undefined
    if (response.status === 200 && code === '0')
      return { isAccepted: true, messageId: textOf(body['MessageID']) || null }
    return refused(textOf(body['Message']), { code, kind: kindOf({ ...response, code }) })
  },
})

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
    // Postmark supports one tag.
    Tag: tag,
    Metadata: message.metadata,
    MessageStream: stream === '' ? undefined : stream,
  }
}

function attachment({ filename, contentType, content, embeddedId }: Attachment) {
  return {
    Name: filename,
    ContentType: contentType,
    Content: base64(content),
    ContentID: embeddedId === undefined ? undefined : `cid:${embeddedId}`,
  }
}

/**
 * Postmark.
 * @see https://postmarkapp.com/developer/user-guide/send-email-with-smtp
 */
export const postmark: Provider = {
  name: 'postmark',
  title: 'Postmark',
  form: { link: 'https://account.postmarkapp.com/servers' },
  webhooks: postmarkWebhooks,
  /**
   * Postmark names the selector of a domain after a date. It sends from a confirmed address of any domain, too, without a
   * signature of that domain. The return path may have another name.
   */
  domains: {
    returnPaths: [{ name: 'pm-bounces', type: 'CNAME', target: /^pm\.mtasv\.net$/i }],
    link: 'https://postmarkapp.com/developer/api/domains-api',
    cnames: { 'pm-bounces': 'pm.mtasv.net' },
  },
  schemes: [
    postmarkApi,
    smtpPreset({
      names: ['postmark', 'postmark+smtp', 'postmark+smtps'],
      form: { fields: serverFields },
      host: 'smtp.postmarkapp.com',
      port: 587,
      login: keyLogin('the server API token'),
      publicOptions: ['message_stream'],
      headers: ({ options }) => {
        const stream = options.text('message_stream') ?? ''
        const keepId = ['X-PM-KeepID', 'true'] as const
        return stream === '' ? [keepId] : [keepId, ['X-PM-Message-Stream', stream]]
      },
    }),
  ],
  smtpHosts: ['smtp-broadcasts.postmarkapp.com'],
}
