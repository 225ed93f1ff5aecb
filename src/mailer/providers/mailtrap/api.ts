import type { ApiAdapter, ApiMessage, ApiVerdict, RefusalKind } from '../../api/api-adapter.ts'
import { emailName, emailNames } from '../../api/email-name.ts'
import { headerRecord } from '../../api/header-record.ts'
import { base64, postJson, readJson } from '../../api/json.ts'
import { textsOf } from '../../api/json-list.ts'
import { refused } from '../../api/refused.ts'
import { DsnError } from '../../grammar/dsn-error.ts'
import type { HttpAnswer, HttpRequest } from '../../http/http-exchange.ts'
import { formatMailboxes } from '../../message/format-mailbox.ts'
import type { Attachment, ParsedMessage } from '../../message/parsed-message.ts'
import { apiEndpoint } from '../api-endpoint.ts'
import type { DsnReader } from '../dsn-reader.ts'
import type { ApiScheme } from '../provider.ts'

/**
 * Mailtrap's API takes no raw MIME, so the message is taken apart.
 * https://docs.mailtrap.io/developers/email-sending/transactional
 */
export const mailtrapApi: ApiScheme = {
  kind: 'api',
  names: ['mailtrap+api'],
  isUserSecret: true,
  read: (dsn) => createAdapter(dsn, 'send.api.mailtrap.io', ''),
}

/** Messages to an inbox for tests. https://docs.mailtrap.io/developers/email-sandbox */
export const mailtrapSandbox: ApiScheme = {
  kind: 'api',
  names: ['mailtrap+sandbox'],
  isUserSecret: true,
  publicOptions: ['inboxId'],
  read(dsn) {
    const inboxId = dsn.options.integer('inboxId')
    // Symfony sends for real without it.
    if (inboxId === undefined)
      throw new DsnError(
        'invalid_option',
        'The DSN needs the option inboxId, the number of the sandbox that gets the messages.',
      )
    return createAdapter(dsn, 'sandbox.api.mailtrap.io', `/${inboxId}`)
  },
}

function createAdapter(dsn: DsnReader, host: string, path: string): ApiAdapter {
  const authorization = `Bearer ${dsn.requireUser('the API token')}`
  const endpoint = apiEndpoint(dsn, host)
  return {
    endpoint,
    limits: { recipientsMax: 1000, sizeBytesMax: 50 * 1024 * 1024, batchMax: 500 },
    async request(message: ApiMessage): Promise<HttpRequest> {
      const body = buildBody(await message.parse())
      return postJson(`${endpoint}/api/send${path}`, { authorization }, body)
    },
    readAnswer,
  }
}

function buildBody(message: ParsedMessage) {
  const { metadata, replyTo, tags } = message
  // Its field takes one Reply-To only, the header several.
  const own = replyTo.length > 0 ? [{ name: 'Reply-To', value: formatMailboxes(replyTo) }] : []
  return {
    from: emailName(message.from),
    to: message.to.map(emailName),
    cc: emailNames(message.cc),
    bcc: emailNames(message.bcc),
    subject: message.subject,
    text: message.text ?? undefined,
    html: message.html ?? undefined,
    attachments: message.attachments.length > 0 ? message.attachments.map(attachment) : undefined,
    headers: headerRecord([...message.headers, ...own]),
    // One category is all that Mailtrap has.
    category: tags[0],
    custom_variables: Object.keys(metadata).length > 0 ? metadata : undefined,
  }
}

function attachment({ filename, contentType, content, contentId, isInline }: Attachment) {
  const isEmbedded = isInline && contentId !== null
  return {
    filename,
    type: contentType,
    content: base64(content),
    disposition: isEmbedded ? 'inline' : 'attachment',
    content_id: isEmbedded ? contentId : undefined,
  }
}

function readAnswer(answer: HttpAnswer): ApiVerdict | undefined {
  const body = readJson(answer)
  if (answer.status === 200 && body?.['success'] === true)
    return { isAccepted: true, messageId: textsOf(body['message_ids'])[0] ?? null }
  const errors = textsOf(body?.['errors'])
  if (errors.length === 0) return undefined
  const text = errors.join('; ')
  return refused(text, { kind: kindOf(answer.status, text) })
}

/** There are no codes; its sentences are all there is. */
function kindOf(status: number, text: string): RefusalKind | undefined {
  if (status === 403 && /domain/i.test(text)) return 'sender'
  if ((status === 403 || status === 402) && /limit|quota|plan|billing/i.test(text)) return 'quota'
  if (status !== 400 && status !== 422) return undefined
  if (/'from'/.test(text)) return 'sender'
  return /'(to|cc|bcc)'[^,]*(address|email) is invalid/i.test(text) ? 'recipient' : undefined
}
