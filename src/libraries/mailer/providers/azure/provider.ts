import { createHash, createHmac } from 'node:crypto'
import type { ApiAdapter, ApiMessage, ApiResult, ApiTools } from '../../api/api-adapter.ts'
import { acceptedAs, kindsBy, refused } from '../../api/api-result.ts'
import { base64, isObject, postJson, readJson, textOf } from '../../api/json.ts'
import { headerRecord, unlessEmpty } from '../../api/message-fields.ts'
import type { HttpRequest, HttpResponse } from '../../connect/http-message.ts'
import { DsnError } from '../../grammar/dsn.ts'
import type { Attachment, Mailbox, ParsedMessage } from '../../message/parse-message.ts'
import { Secret } from '../../secret.ts'
import { type DsnReader, invalidOption } from '../dsn-reader.ts'
import { type ApiScheme, apiEndpoint, type Provider } from '../provider.ts'
import { secretField, switchField, textField } from '../provider-form.ts'

const kindOf = kindsBy(
  ['credentials', 'Denied', 'Unauthorized'],
  ['sender', 'DomainNotFound', 'DomainNotLinked'],
  ['sender', 'EmailSenderAddressNotAllowed', 'InvalidSenderUserName'],
  ['recipient', 'EmailDroppedAllRecipientsSuppressed'],
  ['too_large', 'RequestEntityTooLarge'],
  ['quota', 'SubscriptionBlocked'],
  ['throttled', 'TooManyRequests'],
  // Codes such as BadRequest name the field in the text.
  ['sender', /\bsender(Address|'s| address)?\b/i],
  ['recipient', /\brecipients?\b|\bemail address(es)?\b/i, /invalid/i],
)

/** The first version with inline attachments. */
const inlineVersion = '2024-07-01'

/**
 * Azure's API has no raw MIME, so the message is parsed.
 * @see https://learn.microsoft.com/rest/api/communication/email/send
 */
const azureApi: ApiScheme = {
  kind: 'api',
  names: ['azure+api', 'azure'],
  isUserSecret: false,
  publicOptions: ['api_version', 'disable_tracking'],
  form: {
    fields: [
      textField('user', 'Resource', {
        example: 'my-resource',
        help: 'The name of the Communication Services resource: the first part of its endpoint.',
      }),
      secretField('password', 'Access key', {
        example: 'c2FtcGxlLWtleS1zYW1wbGUta2V5',
        help: 'One of the two access keys, from "Keys".',
      }),
      switchField('disable_tracking', 'No open and click tracking'),
      textField('api_version', 'API version', {
        example: '2024-07-01',
        isAdvanced: true,
        default: '2025-09-01',
      }),
    ],
  },
  read(dsn) {
    const endpoint = apiEndpoint(dsn, `${readResource(dsn)}.communication.azure.com`)
    const accessKey = readAccessKey(dsn)
    const version = readVersion(dsn)
    const isUntracked = dsn.options.boolean('disable_tracking')
    const url = `${endpoint}/emails:send?api-version=${version}`
    return {
      endpoint,
      limits: { recipientsMax: 50, sizeBytesMax: 10 * 1024 * 1024 },
      async request(message: ApiMessage, tools: ApiTools): Promise<HttpRequest> {
        const body = buildBody(await message.parse(), { version, isUntracked })
        return signRequest(postJson(url, {}, body), { accessKey, now: tools.now() })
      },
      readResponse,
    } satisfies ApiAdapter
  },
}

/** Reads the resource, which becomes part of the host name. */
function readResource(dsn: DsnReader): string {
  const resource = dsn.requireUser('the name of the Communication Services resource')
  if (/^[A-Za-z0-9-]{1,63}$/.test(resource)) return resource
  throw new DsnError(
    'invalid_option',
    'The user part must be the name of the resource (letters, digits and "-"), without .communication.azure.com.',
    'user',
  )
}

function readAccessKey(dsn: DsnReader): Secret {
  const key = dsn.requirePassword('the access key')
  // Invalid base64 would be decoded to another key, and the only symptom would be a wrong signature.
  if (/^[A-Za-z0-9+/]+={0,2}$/.test(key) && key.length % 4 === 0) return new Secret(key)
  throw new DsnError(
    'invalid_option',
    'The password part must be the access key in base64, as Azure shows it, with / written as %2F.',
    'password',
  )
}

function readVersion(dsn: DsnReader): string {
  const version = dsn.options.word('api_version') ?? '2025-09-01'
  if (/^\d{4}-\d\d-\d\d(-preview)?$/.test(version)) return version
  throw invalidOption('api_version', 'must be a date such as 2023-03-31.')
}

interface BodyOptions {
  readonly version: string
  readonly isUntracked: boolean | undefined
}

function buildBody(message: ParsedMessage, { version, isUntracked }: BodyOptions) {
  const { messageId, replyTo, attachments } = message
  const ownId = messageId === null ? [] : [{ name: 'Message-ID', value: messageId }]
  return {
    // The API takes the address only; Azure adds the name of the sender username.
    senderAddress: message.from.address,
    recipients: {
      to: message.to.map(mailbox),
      cc: unlessEmpty(message.cc.map(mailbox)),
      bcc: unlessEmpty(message.bcc.map(mailbox)),
    },
    replyTo: unlessEmpty(replyTo.map(mailbox)),
    content: {
      subject: message.subject,
      plainText: message.text ?? undefined,
      html: message.html ?? undefined,
    },
    headers: headerRecord([...message.headers, ...ownId]),
    attachments:
      attachments.length > 0 ? attachments.map((one) => attachment(one, version)) : undefined,
    userEngagementTrackingDisabled: isUntracked,
  }
}

function mailbox({ name, address }: Mailbox) {
  return name === '' ? { address } : { address, displayName: name }
}

function attachment({ filename, contentType, content, embeddedId }: Attachment, version: string) {
  return {
    name: filename,
    contentType,
    contentInBase64: base64(content),
    contentId: version >= inlineVersion ? embeddedId : undefined,
  }
}

function readResponse(response: HttpResponse): ApiResult | undefined {
  const body = readJson(response)
  const { code, message } = isObject(body?.['error']) ? body['error'] : {}
  const error = { status: response.status, code: textOf(code), text: textOf(message) }
  const kind = kindOf(error)
  if (response.status !== 202)
    return error.code === '' ? undefined : refused(error.text, { code: error.code, kind })
  const status = textOf(body?.['status'])
  if (status === 'Failed' || status === 'Canceled')
    return refused(error.text || status, { code: error.code, kind: kind ?? 'message' })
  return acceptedAs(body?.['id'])
}

/** The key and the time of a signature. */
export interface SigningScope {
  /** In base64, as Azure shows it. */
  readonly accessKey: Secret
  readonly now: Date
}

/**
 * Signs a request with HMAC-SHA256 and an access key: adds `x-ms-date`, `x-ms-content-sha256` and `authorization`.
 * @see https://learn.microsoft.com/azure/communication-services/tutorials/hmac-header-tutorial
 */
export function signRequest(request: HttpRequest, { accessKey, now }: SigningScope): HttpRequest {
  const { host, pathname, search } = new URL(request.url)
  const date = now.toUTCString()
  const contentHash = createHash('sha256').update(request.body).digest('base64')
  const stringToSign = `${request.method}\n${pathname}${search}\n${date};${host};${contentHash}`
  const signature = createHmac('sha256', Buffer.from(accessKey.reveal(), 'base64'))
    .update(stringToSign)
    .digest('base64')
  return {
    ...request,
    headers: {
      ...request.headers,
      'x-ms-date': date,
      'x-ms-content-sha256': contentHash,
      authorization: `HMAC-SHA256 SignedHeaders=x-ms-date;host;x-ms-content-sha256&Signature=${signature}`,
    },
  }
}

/** https://learn.microsoft.com/azure/communication-services/concepts/email/email-overview */
export const azure: Provider = {
  name: 'azure',
  title: 'Azure Communication Services',
  form: {
    link: 'https://portal.azure.com/#browse/Microsoft.Communication%2FCommunicationServices',
  },
  /**
   * Azure connects a domain to a resource after all of its records were verified, and sends from connected domains
   * only. Domains that Azure manages itself may have other selectors. Its documents do not say which envelope sender it
   * uses.
   */
  domains: {
    selectors: [
      {
        name: 'selector1-azurecomm-prod-net',
        target: /^selector1-azurecomm-prod-net\._domainkey\.azurecomm\.net$/i,
      },
      {
        name: 'selector2-azurecomm-prod-net',
        target: /^selector2-azurecomm-prod-net\._domainkey\.azurecomm\.net$/i,
      },
    ],
    include: 'spf.protection.outlook.com',
    link: 'https://learn.microsoft.com/azure/communication-services/quickstarts/email/add-custom-verified-domains',
    cnames: {
      'selector1-azurecomm-prod-net._domainkey':
        'selector1-azurecomm-prod-net._domainkey.azurecomm.net',
      'selector2-azurecomm-prod-net._domainkey':
        'selector2-azurecomm-prod-net._domainkey.azurecomm.net',
    },
  },
  schemes: [azureApi],
}
