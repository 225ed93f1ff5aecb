import type {
  ApiAdapter,
  ApiMessage,
  ApiTools,
  ApiVerdict,
  RefusalKind,
} from '../../api/api-adapter.ts'
import { base64, isObject, postJson, readJson, textOf } from '../../api/json.ts'
import { refused } from '../../api/refused.ts'
import { DsnError } from '../../grammar/dsn-error.ts'
import type { HttpAnswer, HttpRequest } from '../../http/http-exchange.ts'
import { Secret } from '../../secret.ts'
import { apiEndpoint, httpsEndpoint } from '../api-endpoint.ts'
import type { DsnReader } from '../dsn-reader.ts'
import type { ApiScheme } from '../provider.ts'
import { type AccessToken, createAccessToken } from './access-token.ts'
import { addressMime } from './address-mime.ts'
import { jsonMessage } from './json-message.ts'

/**
 * What an error code is about; the status decides for the others.
 * https://learn.microsoft.com/graph/errors, https://learn.microsoft.com/graph/resolve-auth-errors
 */
const kinds: Record<string, RefusalKind> = {
  ApplicationThrottled: 'throttled',
  Authorization_RequestDenied: 'credentials',
  ErrorAccessDenied: 'credentials',
  ErrorExceededMessageLimit: 'quota',
  ErrorInvalidRecipients: 'recipient',
  ErrorInvalidUser: 'sender',
  ErrorMessageSizeExceeded: 'too_large',
  ErrorMessageSubmissionBlocked: 'quota',
  ErrorQuotaExceeded: 'quota',
  ErrorSendAsDenied: 'sender',
  MailboxNotEnabledForRESTAPI: 'sender',
  MailboxNotSupportedForRESTAPI: 'sender',
  Request_ResourceNotFound: 'sender',
  ResourceNotFound: 'sender',
}

/**
 * sendMail of Microsoft Graph with MIME content: the message arrives as it was written. Without a copy
 * in Sent Items (`noSave`) Graph wants it taken apart.
 * https://learn.microsoft.com/graph/api/user-sendmail, https://learn.microsoft.com/graph/outlook-send-mime-message
 */
export const microsoftgraphApi: ApiScheme = {
  kind: 'api',
  names: ['microsoftgraph+api'],
  isUserSecret: false,
  publicOptions: ['authEndpoint', 'noSave', 'tenantId'],
  read(dsn) {
    const endpoint = apiEndpoint(dsn, 'graph.microsoft.com')
    const token = readToken(dsn, endpoint)
    const isSaved = !(dsn.options.boolean('noSave') ?? false)
    return {
      endpoint,
      // A request may have 4 MB, and base64 makes four bytes of three.
      limits: { recipientsMax: 1000, sizeBytesMax: 3 * 1024 * 1024 },
      request: (message, tools) => buildRequest(message, { endpoint, token, isSaved, tools }),
      readAnswer: (answer) => readAnswer(answer, token),
    } satisfies ApiAdapter
  },
}

function readToken(dsn: DsnReader, endpoint: string): AccessToken {
  const clientId = dsn.requireUser('the application (client) id')
  const clientSecret = new Secret(dsn.requirePassword('the client secret'))
  // An id or a domain, which has dots, so it is no word.
  const tenant = dsn.options.text('tenantId') ?? ''
  if (!/^[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)*$/.test(tenant))
    throw new DsnError(
      'invalid_option',
      'The option tenantId must be the directory (tenant) id, or a domain of the tenant.',
    )
  return createAccessToken({
    url: `${readLogin(dsn)}/${tenant}/oauth2/v2.0/token`,
    clientId,
    clientSecret,
    scope: `${endpoint}/.default`,
  })
}

/** Each national cloud has a host for log-ins that goes with its host for Graph. */
function readLogin(dsn: DsnReader): string {
  const own = dsn.options.text('authEndpoint') ?? ''
  if (own === '' && dsn.hasDefaultHost) return 'https://login.microsoftonline.com'
  const [, host = '', port] = /^([A-Za-z0-9.-]+)(?::(\d{1,5}))?$/.exec(own) ?? []
  if (host !== '') return httpsEndpoint(host, port === undefined ? undefined : Number(port))
  throw new DsnError(
    'invalid_option',
    own === ''
      ? 'A host other than "default" needs the option authEndpoint, such as login.microsoftonline.us.'
      : 'The option authEndpoint must be a host, such as login.microsoftonline.us.',
  )
}

interface RequestContext {
  readonly endpoint: string
  readonly token: AccessToken
  readonly isSaved: boolean
  readonly tools: ApiTools
}

async function buildRequest(
  message: ApiMessage,
  { endpoint, token, isSaved, tools }: RequestContext,
): Promise<HttpRequest> {
  const parsed = await message.parse()
  const body = isSaved ? undefined : jsonMessage(parsed)
  const authorization = `Bearer ${(await token.get(tools)).reveal()}`
  // The mailbox that sends is the sender's own.
  const url = `${endpoint}/v1.0/users/${encodeURIComponent(parsed.from.address)}/sendMail`
  if (body !== undefined) return postJson(url, { authorization }, body)
  return {
    method: 'POST',
    url,
    headers: { accept: 'application/json', 'content-type': 'text/plain', authorization },
    body: base64(addressMime(message)),
  }
}

function readAnswer(answer: HttpAnswer, token: AccessToken): ApiVerdict | undefined {
  // Graph tells no id; a body would be somebody else's.
  if (answer.status === 202)
    return answer.body.trim() === '' ? { isAccepted: true, messageId: null } : undefined
  if (answer.status === 401) token.forget()
  const { error } = readJson(answer) ?? {}
  if (!isObject(error)) return undefined
  const code = textOf(error['code'])
  const text = token.blank(textOf(error['message']))
  return refused(text, { code, kind: kinds[code] })
}
