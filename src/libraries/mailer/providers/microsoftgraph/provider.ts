import type { ApiAdapter, ApiMessage, ApiResult, ApiTools } from '../../api/api-adapter.ts'
import { kindsBy, refused } from '../../api/api-result.ts'
import { base64, isObject, postJson, readJson, textOf } from '../../api/json.ts'
import type { HttpRequest, HttpResponse } from '../../connect/http-message.ts'
import { DsnError } from '../../grammar/dsn.ts'
import type { DsnReader } from '../dsn-reader.ts'
import { applicationsPage, entraFields, microsoft365Domains, readEntraGrant } from '../entra.ts'
import { type ApiScheme, apiEndpoint, type Provider } from '../provider.ts'
import { hostField, switchField } from '../provider-form.ts'
import { addressMime, jsonMessage } from './message.ts'

/**
 * @see https://learn.microsoft.com/graph/errors
 * @see https://learn.microsoft.com/graph/resolve-auth-errors
 */
const kindOf = kindsBy(
  ['credentials', 'Authorization_RequestDenied', 'ErrorAccessDenied'],
  ['quota', 'ErrorExceededMessageLimit', 'ErrorMessageSubmissionBlocked', 'ErrorQuotaExceeded'],
  ['throttled', 'ApplicationThrottled'],
  ['too_large', 'ErrorMessageSizeExceeded'],
  ['recipient', 'ErrorInvalidRecipients'],
  ['sender', 'ErrorInvalidUser', 'ErrorSendAsDenied'],
  ['sender', 'MailboxNotEnabledForRESTAPI', 'MailboxNotSupportedForRESTAPI'],
  ['sender', 'Request_ResourceNotFound', 'ResourceNotFound'],
)

/**
 * sendMail of Microsoft Graph. It sends the raw message, but for a message that is not saved in Sent Items (`noSave`)
 * Graph accepts only parsed fields.
 * @see https://learn.microsoft.com/graph/api/user-sendmail
 * @see https://learn.microsoft.com/graph/outlook-send-mime-message
 */
const microsoftgraphApi: ApiScheme = {
  kind: 'api',
  names: ['microsoftgraph+api'],
  isUserSecret: false,
  publicOptions: ['authEndpoint', 'noSave', 'tenantId'],
  form: {
    fields: [
      ...entraFields(
        'The id of an app registration with the application permission "Mail.Send" and admin consent.',
      ),
      switchField('noSave', 'No copy in Sent Items', {
        help: 'Graph then accepts only HTML or text, not both.',
      }),
      hostField('authEndpoint', 'Log-in host', {
        example: 'login.microsoftonline.us',
        help: 'Only for other clouds, with their API host.',
        isAdvanced: true,
      }),
    ],
  },
  read(dsn) {
    const endpoint = apiEndpoint(dsn, 'graph.microsoft.com')
    requireLoginHost(dsn)
    const isSaved = !(dsn.options.boolean('noSave') ?? false)
    return {
      endpoint,
      // The limit of a request is 4 MB, and base64 turns three bytes into four.
      limits: { recipientsMax: 1000, sizeBytesMax: 3 * 1024 * 1024 },
      grant: readEntraGrant(dsn, `${endpoint}/.default`),
      async request(message: ApiMessage, tools: ApiTools): Promise<HttpRequest> {
        const parsed = await message.parse()
        const body = isSaved ? undefined : jsonMessage(parsed)
        const authorization = `Bearer ${(await tools.accessToken()).reveal()}`
        // The sender is the owner of the sending mailbox.
        const url = `${endpoint}/v1.0/users/${encodeURIComponent(parsed.from.address)}/sendMail`
        if (body !== undefined) return postJson(url, { authorization }, body)
        return {
          method: 'POST',
          url,
          headers: { accept: 'application/json', 'content-type': 'text/plain', authorization },
          body: base64(addressMime(message)),
        }
      },
      readResponse,
    } satisfies ApiAdapter
  },
}

/** Each national cloud has its own log-in host, beside its host for Graph. */
function requireLoginHost({ options, hasDefaultHost }: DsnReader): void {
  if (hasDefaultHost || options.text('authEndpoint')) return
  throw new DsnError(
    'invalid_option',
    'A host other than "default" needs the option authEndpoint, such as login.microsoftonline.us.',
    'authEndpoint',
  )
}

function readResponse(response: HttpResponse): ApiResult | undefined {
  // Graph returns no id. A body would come from another server.
  if (response.status === 202)
    return response.body.trim() === '' ? { isAccepted: true, messageId: null } : undefined
  const { error } = readJson(response) ?? {}
  if (!isObject(error)) return undefined
  const code = textOf(error['code'])
  return refused(textOf(error['message']), { code, kind: kindOf({ ...response, code }) })
}

/**
 * Microsoft Graph.
 * @see https://learn.microsoft.com/graph/outlook-send-mime-message
 */
export const microsoftgraph: Provider = {
  name: 'microsoftgraph',
  title: 'Microsoft Graph',
  accountLimits: [
    {
      title: 'Mailbox',
      perMinute: 30,
      perDay: 10_000,
      connectionsMax: 4,
      link: 'https://learn.microsoft.com/office365/servicedescriptions/exchange-online-service-description/exchange-online-limits',
    },
  ],
  form: { link: applicationsPage },
  domains: microsoft365Domains,
  schemes: [microsoftgraphApi],
  advise({ code, reply }) {
    if (
      reply?.enhancedCode === 'ErrorAccessDenied' ||
      reply?.enhancedCode === 'Authorization_RequestDenied'
    )
      return 'Give the application the permission Mail.Send of Microsoft Graph (of the type Application), with admin consent; an application access policy in Exchange may deny it this mailbox.'
    if (code === 'sender_refused')
      return 'The sender must be a mailbox of this tenant (the user principal name, or the id, of a user or shared mailbox), or one that it may send as.'
    return undefined
  },
}
