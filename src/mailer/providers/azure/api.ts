import type {
  ApiAdapter,
  ApiMessage,
  ApiTools,
  ApiVerdict,
  RefusalKind,
} from '../../api/api-adapter.ts'
import { headerRecord } from '../../api/header-record.ts'
import { base64, isObject, postJson, readJson, textOf } from '../../api/json.ts'
import { refused } from '../../api/refused.ts'
import { DsnError } from '../../grammar/dsn-error.ts'
import type { HttpAnswer, HttpRequest } from '../../http/http-exchange.ts'
import type { Attachment, Mailbox, ParsedMessage } from '../../message/parsed-message.ts'
import { Secret } from '../../secret.ts'
import { apiEndpoint } from '../api-endpoint.ts'
import type { DsnReader } from '../dsn-reader.ts'
import type { ApiScheme } from '../provider.ts'
import { signRequest } from './sign-request.ts'

/** What an error code of Azure is about; the status decides for the others. */
const kinds: Record<string, RefusalKind> = {
  Denied: 'credentials',
  DomainNotFound: 'sender',
  DomainNotLinked: 'sender',
  EmailDroppedAllRecipientsSuppressed: 'recipient',
  EmailSenderAddressNotAllowed: 'sender',
  InvalidSenderUserName: 'sender',
  RequestEntityTooLarge: 'too_large',
  SubscriptionBlocked: 'quota',
  TooManyRequests: 'throttled',
  Unauthorized: 'credentials',
}

/** The first version whose attachments can be inline. */
const inlineVersion = '2024-07-01'

/**
 * Azure's API takes no raw MIME, so the message is taken apart.
 * https://learn.microsoft.com/rest/api/communication/email/send
 */
export const azureApi: ApiScheme = {
  kind: 'api',
  names: ['azure+api', 'azure'],
  isUserSecret: false,
  publicOptions: ['api_version', 'disable_tracking'],
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
      readAnswer,
    } satisfies ApiAdapter
  },
}

/** The resource becomes part of the host name. */
function readResource(dsn: DsnReader): string {
  const resource = dsn.requireUser('the name of the Communication Services resource')
  if (/^[A-Za-z0-9-]{1,63}$/.test(resource)) return resource
  throw new DsnError(
    'invalid_option',
    'The user part must be the name of the resource (letters, digits and "-"), without .communication.azure.com.',
  )
}

function readAccessKey(dsn: DsnReader): Secret {
  const key = dsn.requirePassword('the access key')
  // Anything else would be decoded to some key, and only the signature would be wrong.
  if (/^[A-Za-z0-9+/]+={0,2}$/.test(key) && key.length % 4 === 0) return new Secret(key)
  throw new DsnError(
    'invalid_option',
    'The password part must be the access key in base64, as Azure shows it, with / written as %2F.',
  )
}

function readVersion(dsn: DsnReader): string {
  const version = dsn.options.word('api_version') ?? '2025-09-01'
  if (/^\d{4}-\d\d-\d\d(-preview)?$/.test(version)) return version
  throw new DsnError('invalid_option', 'The option api_version must be a date such as 2023-03-31.')
}

interface BodyOptions {
  readonly version: string
  readonly isUntracked: boolean | undefined
}

function buildBody(message: ParsedMessage, { version, isUntracked }: BodyOptions) {
  const { messageId, replyTo, attachments } = message
  const ownId = messageId === null ? [] : [{ name: 'Message-ID', value: messageId }]
  return {
    // The name is the sender username's in Azure; the API takes the address alone.
    senderAddress: message.from.address,
    recipients: {
      to: message.to.map(mailbox),
      cc: message.cc.length > 0 ? message.cc.map(mailbox) : undefined,
      bcc: message.bcc.length > 0 ? message.bcc.map(mailbox) : undefined,
    },
    replyTo: replyTo.length > 0 ? replyTo.map(mailbox) : undefined,
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

function attachment(
  { filename, contentType, content, contentId, isInline }: Attachment,
  version: string,
) {
  const isEmbedded = isInline && contentId !== null && version >= inlineVersion
  return {
    name: filename,
    contentType,
    contentInBase64: base64(content),
    contentId: isEmbedded ? contentId : undefined,
  }
}

function readAnswer(answer: HttpAnswer): ApiVerdict | undefined {
  const body = readJson(answer)
  const { code, message } = isObject(body?.['error']) ? body['error'] : {}
  const error = { code: textOf(code), text: textOf(message) }
  if (answer.status !== 202)
    return error.code === '' ? undefined : refused(error.text, { ...error, kind: kindOf(error) })
  const status = textOf(body?.['status'])
  if (status === 'Failed' || status === 'Canceled')
    return refused(error.text || status, { ...error, kind: kindOf(error) ?? 'message' })
  const messageId = textOf(body?.['id'])
  return messageId === '' ? undefined : { isAccepted: true, messageId }
}

function kindOf({ code, text }: { code: string; text: string }): RefusalKind | undefined {
  if (kinds[code] !== undefined) return kinds[code]
  // BadRequest and its like name the field.
  if (/\bsender(Address|'s| address)?\b/i.test(text)) return 'sender'
  return /\brecipients?\b|\bemail address(es)?\b/i.test(text) && /invalid/i.test(text)
    ? 'recipient'
    : undefined
}
