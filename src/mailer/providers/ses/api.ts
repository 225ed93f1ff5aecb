import type {
  ApiAdapter,
  ApiMessage,
  ApiTools,
  ApiVerdict,
  RefusalKind,
} from '../../api/api-adapter.ts'
import { base64, postJson, readJson, textOf } from '../../api/json.ts'
import { DsnError } from '../../grammar/dsn-error.ts'
import type { HttpAnswer, HttpRequest } from '../../http/http-exchange.ts'
import { readHeaders } from '../../message/read-headers.ts'
import { Secret } from '../../secret.ts'
import { apiEndpoint, isPlugin } from '../api-endpoint.ts'
import type { DsnReader } from '../dsn-reader.ts'
import type { ApiScheme } from '../provider.ts'
import { readRate } from '../smtp-options.ts'
import { region } from './region.ts'
import { type SigningScope, signV4 } from './sign-v4.ts'

/** What an error type of SES is about; the status decides for the others. */
const kinds: Record<string, RefusalKind> = {
  AccountSuspendedException: 'quota',
  SendingPausedException: 'quota',
  LimitExceededException: 'throttled',
  TooManyRequestsException: 'throttled',
  MailFromDomainNotVerifiedException: 'sender',
  // The configuration set, the identity or the list does not exist: the message names it.
  NotFoundException: 'message',
}

/**
 * SendEmail of the SES API v2 with raw content, for all of Symfony's SES schemes: the message arrives
 * as it was written. https://docs.aws.amazon.com/ses/latest/APIReference-V2/API_SendEmail.html
 */
export const sesApi: ApiScheme = {
  kind: 'api',
  names: ['ses', 'ses+https', 'ses+api', 'mautic+ses+api'],
  isUserSecret: false,
  publicOptions: ['endpoint', 'ratelimit', 'region'],
  read(dsn) {
    const signing = readSigning(dsn)
    const endpoint = readEndpoint(dsn, signing.region)
    return {
      endpoint,
      limits: { recipientsMax: 50, sizeBytesMax: 40 * 1024 * 1024 * 0.75, batchMax: 1 },
      maxPerSecond: isPlugin(dsn) ? readRate(dsn.options, 'ratelimit') : null,
      request: (message, tools) => buildRequest(message, { endpoint, signing, tools }),
      readAnswer,
    } satisfies ApiAdapter
  },
}

type Signing = Omit<SigningScope, 'now'>

function readSigning(dsn: DsnReader): Signing {
  const token = dsn.options.text('session_token') ?? ''
  return {
    // Symfony falls back to the credentials of the machine, which are nobody's to send with.
    accessKeyId: dsn.requireUser('the access key id'),
    secretAccessKey: new Secret(dsn.requirePassword('the secret access key')),
    sessionToken: token === '' ? null : new Secret(token),
    region: region(dsn),
    service: 'ses',
  }
}

/** A plug-in of Mautic has the endpoint in an option, as a host or a URL. */
function readEndpoint(dsn: DsnReader, inRegion: string): string {
  const own = isPlugin(dsn) ? (dsn.options.text('endpoint') ?? '') : ''
  if (own === '') return apiEndpoint(dsn, `email.${inRegion}.amazonaws.com`)
  if (/^(https:\/\/)?[A-Za-z0-9.-]+(:\d{1,5})?\/?$/.test(own))
    return `https://${own.replace(/^https:\/\//, '').replace(/\/$/, '')}`
  throw new DsnError('invalid_option', 'The option endpoint must be a host or an https URL.')
}

interface RequestContext {
  readonly endpoint: string
  readonly signing: Signing
  readonly tools: ApiTools
}

function buildRequest(
  { envelope, raw }: ApiMessage,
  { endpoint, signing, tools }: RequestContext,
): HttpRequest {
  const headers = readHeaders(raw)
  const headerOf = (name: string) =>
    headers.find((header) => header.name.toLowerCase() === name)?.value
  const tags = headers
    .filter(({ name }) => name.toLowerCase().startsWith('x-metadata-'))
    .map(({ name, value }) => ({ Name: name.slice('x-metadata-'.length), Value: value }))
  const body = {
    Destination: { ToAddresses: envelope.to },
    Content: { Raw: { Data: base64(raw) } },
    ConfigurationSetName: headerOf('x-ses-configuration-set'),
    FromEmailAddressIdentityArn: headerOf('x-ses-source-arn'),
    ListManagementOptions: listManagement(headerOf('x-ses-list-management-options')),
    EmailTags: tags.length > 0 ? tags : undefined,
  }
  const request = postJson(`${endpoint}/v2/email/outbound-emails`, {}, body)
  return signV4(request, { ...signing, now: tools.now() })
}

/** `contactListName=news; topicName=offers`, as Symfony reads it; `topic=` is Amazon's own word for SMTP. */
function listManagement(value: string | undefined) {
  const found = /^(?:contactListName=)?([^;=\s]+)(?:\s*;\s*topic(?:Name)?=(\S+))?$/i.exec(
    value ?? '',
  )
  return found === null ? undefined : { ContactListName: found[1], TopicName: found[2] }
}

function readAnswer(answer: HttpAnswer): ApiVerdict | undefined {
  const body = readJson(answer)
  if (answer.status < 300) {
    const messageId = textOf(body?.['MessageId'])
    return messageId === '' ? undefined : { isAccepted: true, messageId }
  }
  if (body === undefined) return undefined
  const text = textOf(body['message']) || textOf(body['Message'])
  // "MessageRejected:http://internal.amazon.com/…" or the type in the body, as "aws.protocol#Type".
  const type = answer.headers['x-amzn-errortype'] ?? textOf(body['__type'])
  const code = type.split(':')[0]?.split('#').pop() ?? ''
  const kind = kindOf(code, text)
  return { isAccepted: false, text, code, ...(kind === undefined ? {} : { kind }) }
}

function kindOf(code: string, text: string): RefusalKind | undefined {
  if (code === 'MessageRejected' && /not verified/i.test(text)) return 'sender'
  if (/maximum sending rate|throttl/i.test(text)) return 'throttled'
  if (/daily message quota|sending quota/i.test(text)) return 'quota'
  return kinds[code]
}
