import type { ApiAdapter, ApiMessage, ApiVerdict, RefusalKind } from '../../api/api-adapter.ts'
import { emailName, emailNames } from '../../api/email-name.ts'
import { base64, postJson, readJson, textOf } from '../../api/json.ts'
import { objectsOf } from '../../api/json-list.ts'
import { refused } from '../../api/refused.ts'
import type { HttpAnswer, HttpRequest } from '../../http/http-exchange.ts'
import { formatMailboxes } from '../../message/format-mailbox.ts'
import type { ParsedMessage } from '../../message/parsed-message.ts'
import { apiEndpoint } from '../api-endpoint.ts'
import type { ApiScheme } from '../provider.ts'

/** The `type` of an error; the status decides for the others. */
const kinds: Record<string, RefusalKind> = {
  denied_authentication: 'credentials',
  expired_resource: 'credentials',
  permissions_denied: 'credentials',
  quotas_exceeded: 'quota',
  too_many_requests: 'throttled',
  // The domain is not there, or not checked.
  precondition_failed: 'sender',
  transient_state: 'provider',
}

/**
 * Scaleway's API takes no raw MIME, so the message is taken apart; it has no inline parts.
 * https://www.scaleway.com/en/developers/api/transactional-email/#path-emails-send-an-email
 */
export const scalewayApi: ApiScheme = {
  kind: 'api',
  names: ['scaleway+api'],
  isUserSecret: false,
  publicOptions: ['region'],
  read(dsn) {
    const projectId = dsn.requireUser("the project's id")
    const token = dsn.requirePassword('the secret key')
    const region = dsn.options.word('region') ?? 'fr-par'
    const endpoint = apiEndpoint(dsn, 'api.scaleway.com')
    const url = `${endpoint}/transactional-email/v1alpha1/regions/${region}/emails`
    return {
      endpoint,
      // https://www.scaleway.com/en/docs/transactional-email/reference-content/tem-capabilities-and-limits/
      limits: { sizeBytesMax: 2 * 1024 * 1024, batchMax: 1 },
      async request(message: ApiMessage): Promise<HttpRequest> {
        const body = { project_id: projectId, ...buildBody(await message.parse()) }
        return postJson(url, { 'x-auth-token': token }, body)
      },
      readAnswer,
    } satisfies ApiAdapter
  },
}

function buildBody(message: ParsedMessage) {
  const headers = message.headers.map(({ name, value }) => ({ key: name, value }))
  if (message.replyTo.length > 0)
    headers.push({ key: 'Reply-To', value: formatMailboxes(message.replyTo) })
  return {
    from: emailName(message.from),
    to: message.to.map(emailName),
    cc: emailNames(message.cc),
    bcc: emailNames(message.bcc),
    subject: message.subject,
    text: message.text ?? undefined,
    html: message.html ?? undefined,
    attachments: message.attachments.map(({ filename, contentType, content }) => ({
      name: filename,
      type: contentType,
      content: base64(content),
    })),
    additional_headers: headers.length > 0 ? headers : undefined,
  }
}

function readAnswer(answer: HttpAnswer): ApiVerdict | undefined {
  const body = readJson(answer)
  if (answer.status < 300) {
    const [email] = objectsOf(body?.['emails'])
    const messageId = textOf(email?.['message_id']) || textOf(email?.['id'])
    return messageId === '' ? undefined : { isAccepted: true, messageId }
  }
  const type = textOf(body?.['type'])
  const message = textOf(body?.['message'])
  if (type === '' && message === '') return undefined
  const details = objectsOf(body?.['details'])
  const words = details.map(
    (detail) =>
      `${textOf(detail['argument_name'])} ${textOf(detail['help_message']) || textOf(detail['reason'])}`,
  )
  return refused([message, ...words].filter((word) => word.trim() !== '').join('; '), {
    code: type,
    kind: kinds[type] ?? kindOf(details.map((detail) => textOf(detail['argument_name']))),
  })
}

function kindOf(names: readonly string[]): RefusalKind | undefined {
  if (names.some((name) => name.startsWith('from'))) return 'sender'
  return names.some((name) => /^(to|cc|bcc)\b/.test(name)) ? 'recipient' : undefined
}
