import type { ApiAdapter, ApiMessage, ApiResult, ApiTools } from '../../api/api-adapter.ts'
import { acceptedAs, kindsBy, refused } from '../../api/api-result.ts'
import { base64, postJson, readJson, textOf } from '../../api/json.ts'
import { findHeader, unlessEmpty } from '../../api/message-fields.ts'
import type { HttpResponse } from '../../connect/http-message.ts'
import { readHeaders } from '../../message/headers.ts'
import { Secret } from '../../secret.ts'
import { type DsnReader, invalidOption } from '../dsn-reader.ts'
import { type ApiScheme, apiEndpoint, isPlugin, type Provider } from '../provider.ts'
import {
  hostField,
  loginFields,
  regionField,
  secretField,
  startTlsPortField,
  textField,
} from '../provider-form.ts'
import { smtpPreset } from '../smtp-preset.ts'
import { readRate } from '../smtp-scheme.ts'
import { type SigningScope, signV4 } from './sign-v4.ts'
import { smtpPasswordOf } from './smtp-password.ts'
import { sesWebhooks } from './webhooks.ts'

const kindOf = kindsBy(
  ['sender', 'MessageRejected', /not verified/i],
  ['throttled', /maximum sending rate|throttl/i],
  ['quota', /daily message quota|sending quota/i],
  ['quota', 'AccountSuspendedException', 'SendingPausedException'],
  ['throttled', 'LimitExceededException', 'TooManyRequestsException'],
  ['sender', 'MailFromDomainNotVerifiedException'],
  // The configuration set, the identity or the list that the message names does not exist.
  ['message', 'NotFoundException'],
)

/** The region of a DSN without one: Symfony's default, Ireland. */
const standardRegion = 'eu-west-1'

const regions = {
  'us-east-1': 'US East (N. Virginia)',
  'us-east-2': 'US East (Ohio)',
  'us-west-1': 'US West (N. California)',
  'us-west-2': 'US West (Oregon)',
  'ca-central-1': 'Canada (Central)',
  'eu-central-1': 'Europe (Frankfurt)',
  'eu-west-1': 'Europe (Ireland)',
  'eu-west-2': 'Europe (London)',
  'eu-west-3': 'Europe (Paris)',
  'eu-north-1': 'Europe (Stockholm)',
  'eu-south-1': 'Europe (Milan)',
  'ap-south-1': 'Asia Pacific (Mumbai)',
  'ap-northeast-1': 'Asia Pacific (Tokyo)',
  'ap-northeast-2': 'Asia Pacific (Seoul)',
  'ap-southeast-1': 'Asia Pacific (Singapore)',
  'ap-southeast-2': 'Asia Pacific (Sydney)',
  'sa-east-1': 'South America (São Paulo)',
  'af-south-1': 'Africa (Cape Town)',
  'me-south-1': 'Middle East (Bahrain)',
  'il-central-1': 'Israel (Tel Aviv)',
}

const accountFields = [
  regionField(regions, { default: standardRegion }),
  textField('tenant', 'Tenant', {
    example: 'customer_1',
    help: 'The tenant of the account that messages are sent for.',
    isAdvanced: true,
  }),
]

/**
 * All of Symfony's SES schemes use SendEmail of the SES API v2 with raw content.
 * @see https://docs.aws.amazon.com/ses/latest/APIReference-V2/API_SendEmail.html
 */
const sesApi: ApiScheme = {
  kind: 'api',
  names: ['ses', 'ses+https', 'ses+api', 'mautic+ses+api'],
  isUserSecret: false,
  publicOptions: ['endpoint', 'ratelimit', 'region', 'tenant'],
  form: {
    pluginOptions: { ratelimit: 'max_per_second', endpoint: 'host' },
    fields: [
      textField('user', 'Access key id', {
        example: 'AKIASAMPLE',
        help: 'The key of an IAM user with "ses:SendEmail".',
      }),
      secretField('password', 'Secret access key', {
        example: 'sample/secret+key',
        help: 'It belongs to the access key.',
      }),
      ...accountFields,
      secretField('session_token', 'Session token', {
        example: 'sample-token',
        help: 'For temporary credentials.',
        isAdvanced: true,
      }),
    ],
  },
  read(dsn) {
    const signing = readSigning(dsn)
    const endpoint = readEndpoint(dsn)
    const tenant = readTenant(dsn)
    const url = `${endpoint}/v2/email/outbound-emails`
    return {
      endpoint,
      limits: { recipientsMax: 50, sizeBytesMax: 40 * 1024 * 1024 * 0.75, batchMax: 1 },
      maxPerSecond: isPlugin(dsn) ? readRate(dsn.options, 'ratelimit') : null,
      request: (message: ApiMessage, tools: ApiTools) =>
        signV4(postJson(url, {}, buildBody(message, tenant)), { ...signing, now: tools.now() }),
      readResponse,
    } satisfies ApiAdapter
  },
}

/** What signs the requests of a DSN, but the time. */
type Signing = Omit<SigningScope, 'now'>

/** Reads the access key of a DSN. */
function readSigning(dsn: DsnReader): Signing {
  const token = dsn.options.text('session_token') ?? ''
  return {
    // Symfony falls back to the credentials of the machine, which users of a DSN must not use.
    accessKeyId: dsn.requireUser('the access key id'),
    secretAccessKey: new Secret(dsn.requirePassword('the secret access key')),
    sessionToken: token === '' ? null : new Secret(token),
    region: readRegion(dsn),
    service: 'ses',
  }
}

/** Reads the endpoint. A plug-in of Mautic has it in an option, as a host or a URL. */
function readEndpoint(dsn: DsnReader): string {
  const endpoint = isPlugin(dsn) ? (dsn.options.text('endpoint') ?? '') : ''
  if (endpoint === '') return apiEndpoint(dsn, `email.${readRegion(dsn)}.amazonaws.com`)
  if (/^(https:\/\/)?[A-Za-z0-9.-]+(:\d{1,5})?\/?$/.test(endpoint))
    return `https://${endpoint.replace(/^https:\/\//, '').replace(/\/$/, '')}`
  throw invalidOption('endpoint', 'must be a host or an https URL.')
}

/** Reads the AWS region of a DSN: that of the option, else of the host. */
function readRegion({ options, host, warn }: DsnReader): string {
  const [, ofHost] = /^email(?:-smtp)?(?:-fips)?\.([\w-]+)\.amazonaws\.com/.exec(host) ?? []
  const region = options.word('region') ?? ofHost ?? standardRegion
  if (ofHost !== undefined && ofHost !== region)
    warn(
      `The host is in ${ofHost} and the option region says ${region}; write "default" as the host.`,
    )
  return region
}

/**
 * Reads the tenant. As in Symfony, a message names another one in its header X-SES-TENANT.
 * @see https://docs.aws.amazon.com/ses/latest/APIReference-V2/API_CreateTenant.html
 */
function readTenant({ options }: DsnReader): string | undefined {
  const tenant = options.text('tenant') || undefined
  if (tenant === undefined || /^[\w-]{1,64}$/.test(tenant)) return tenant
  throw invalidOption('tenant', 'must consist of at most 64 letters, digits, "-" and "_".')
}

function buildBody({ envelope, raw }: ApiMessage, tenant: string | undefined) {
  const headers = readHeaders(raw)
  const tags = headers
    .filter(({ name }) => name.toLowerCase().startsWith('x-metadata-'))
    .map(({ name, value }) => ({ Name: name.slice('x-metadata-'.length), Value: value }))
  return {
    Destination: { ToAddresses: envelope.to },
    Content: { Raw: { Data: base64(raw) } },
    ConfigurationSetName: findHeader(headers, 'x-ses-configuration-set'),
    FromEmailAddressIdentityArn: findHeader(headers, 'x-ses-source-arn'),
    ListManagementOptions: listManagement(findHeader(headers, 'x-ses-list-management-options')),
    EmailTags: unlessEmpty(tags),
    TenantName: findHeader(headers, 'x-ses-tenant') ?? tenant,
  }
}

/** Reads `contactListName=news; topicName=offers` as Symfony does. Over SMTP, Amazon's own name is `topic=`. */
function listManagement(value: string | undefined) {
  const match = /^(?:contactListName=)?([^;=\s]+)(?:\s*;\s*topic(?:Name)?=(\S+))?$/i.exec(
    value ?? '',
  )
  return match === null ? undefined : { ContactListName: match[1], TopicName: match[2] }
}

function readResponse(response: HttpResponse): ApiResult | undefined {
  const body = readJson(response)
  if (response.status < 300) return acceptedAs(body?.['MessageId'])
  if (body === undefined) return undefined
  const text = textOf(body['message']) || textOf(body['Message'])
  // "MessageRejected:http://internal.amazon.com/…" or the type in the body, as "aws.protocol#Type".
  const type = response.headers['x-amzn-errortype'] ?? textOf(body['__type'])
  const code = type.split(':')[0]?.split('#').pop() ?? ''
  return refused(text, { code, kind: kindOf({ ...response, code, text }) })
}

/**
 * Amazon SES.
 * @see https://docs.aws.amazon.com/ses/latest/dg/smtp-connect.html
 */
export const ses: Provider = {
  name: 'ses',
  title: 'Amazon SES',
  // In production, what a new account usually has; the console of SES shows the account's own.
  accountLimits: [
    {
      title: 'Sandbox',
      perSecond: 1,
      perDay: 200,
      link: 'https://docs.aws.amazon.com/ses/latest/dg/request-production-access.html',
    },
    {
      title: 'Production, at first',
      perSecond: 14,
      perDay: 50_000,
      link: 'https://docs.aws.amazon.com/ses/latest/dg/manage-sending-quotas.html',
    },
  ],
  form: { link: 'https://console.aws.amazon.com/iam/home#/users' },
  webhooks: sesWebhooks,
  accountSecrets(dsn) {
    const { scheme, password } = dsn
    if (password === undefined) return []
    // The password for SMTP is derived from the secret of the access key.
    return /smtp/.test(scheme) ? [password] : [password, smtpPasswordOf(password, readRegion(dsn))]
  },
  // Each domain has selectors of its own.
  domains: {
    link: 'https://docs.aws.amazon.com/ses/latest/dg/send-email-authentication-dkim.html',
  },
  schemes: [
    sesApi,
    smtpPreset({
      names: ['ses+smtp', 'ses+smtps'],
      form: {
        link: 'https://console.aws.amazon.com/ses/home#/smtp',
        fields: [
          ...loginFields(
            'SMTP credentials, from "SMTP settings". They are not the access key of IAM.',
          ),
          ...accountFields,
          hostField('host', 'Server', {
            example: 'email-smtp-fips.us-east-1.amazonaws.com',
            help: 'Empty for the server of the region.',
            isAdvanced: true,
          }),
          startTlsPortField,
        ],
      },
      publicOptions: ['region', 'tenant'],
      host: (dsn) => {
        const regionHost = `email-smtp.${readRegion(dsn)}.amazonaws.com`
        return dsn.hasDefaultHost ? regionHost : dsn.host
      },
      port: ({ port = 465 }) => port,
      // SES closes an idle connection after ten seconds.
      pingAfterSeconds: 9,
      headers(dsn) {
        const tenant = readTenant(dsn)
        return tenant === undefined ? [] : [['X-SES-TENANT', tenant]]
      },
    }),
  ],
  advise({ code, reply }) {
    if (code === 'login_refused')
      return 'Amazon SES requires SMTP credentials of this region (SES console, SMTP settings, Create SMTP credentials), not the access key and secret of IAM.'
    if (/signature (not yet current|expired)|request.*expired/i.test(reply?.text ?? ''))
      return 'A signature of Amazon SES is valid for some minutes only: set the clock of this machine (NTP).'
    if (code === 'credentials_refused')
      return 'The API of Amazon SES requires an access key of IAM with the permissions ses:SendEmail and ses:SendRawEmail, its secret percent-encoded (/ as %2F), and not SMTP credentials; check the region, too.'
    if (/not verified/i.test(reply?.text ?? ''))
      return 'Verify this sender in Amazon SES in the region of the DSN; in the sandbox the recipient must be verified too, or request production access.'
    return undefined
  },
  smtpHosts: [/^email-smtp(-fips)?\.[a-z0-9-]+\.amazonaws\.com(\.cn)?$/],
}
