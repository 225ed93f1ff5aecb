import { kindOfFields, kindsBy, refused } from '../../api/api-result.ts'
import { base64, objectsOf, readJson, textOf } from '../../api/json.ts'
import { commonFields, unlessEmpty } from '../../api/message-fields.ts'
import { formatMailboxes } from '../../message/headers.ts'
import type { ParsedMessage } from '../../message/parse-message.ts'
import { jsonScheme, parsed } from '../json-scheme.ts'
import type { Provider } from '../provider.ts'
import { regionField, secretField, textField } from '../provider-form.ts'
import { smtpPreset } from '../smtp-preset.ts'

const kindOf = kindsBy(
  ['credentials', 'denied_authentication', 'expired_resource', 'permissions_denied'],
  ['quota', 'quotas_exceeded'],
  ['throttled', 'too_many_requests'],
  // The domain does not exist, or is not verified.
  ['sender', 'precondition_failed'],
  ['provider', 'transient_state'],
)

const projectKey = [
  textField('user', 'Project id', {
    example: '11111111-2222-3333-4444-555555555555',
    help: 'The id of the project.',
  }),
  secretField('password', 'Secret key', {
    example: 'sample-secret',
    help: 'The secret key of an API key with Transactional Email rights.',
  }),
]

/**
 * Scaleway's API has no raw MIME, so the message is parsed. It has no inline images.
 * @see https://www.scaleway.com/en/developers/api/transactional-email/#path-emails-send-an-email
 */
const scalewayApi = jsonScheme({
  names: ['scaleway+api'],
  isUserSecret: false,
  publicOptions: ['region'],
  form: { fields: [...projectKey, regionField({ 'fr-par': 'Paris' }, { default: 'fr-par' })] },
  host: 'api.scaleway.com',
  path: ({ options }) =>
    `/transactional-email/v1alpha1/regions/${options.word('region') ?? 'fr-par'}/emails`,
  headers: (dsn) => ({ 'x-auth-token': dsn.requirePassword('the secret key') }),
  // https://www.scaleway.com/en/docs/transactional-email/reference-content/tem-capabilities-and-limits/
  limits: { sizeBytesMax: 2 * 1024 * 1024, batchMax: 1 },
  options: (dsn) => dsn.requireUser("the project's id"),
  body: parsed((message, projectId) => ({ project_id: projectId, ...buildBody(message) })),
  readResponse(response) {
    const body = readJson(response)
    if (response.status < 300) {
      const [email] = objectsOf(body?.['emails'])
      const messageId = textOf(email?.['message_id']) || textOf(email?.['id'])
      return messageId === '' ? undefined : { isAccepted: true, messageId }
    }
    const code = textOf(body?.['type'])
    const message = textOf(body?.['message'])
    if (code === '' && message === '') return undefined
    const details = objectsOf(body?.['details'])
    const words = details.map(
      (detail) =>
        `${textOf(detail['argument_name'])} ${textOf(detail['help_message']) || textOf(detail['reason'])}`,
    )
    return refused([message, ...words].filter((word) => word.trim() !== '').join('; '), {
      code,
      kind:
        kindOf({ ...response, code }) ??
        kindOfFields(details.map((detail) => textOf(detail['argument_name']))),
    })
  },
})

function buildBody(message: ParsedMessage) {
  const headers = message.headers.map(({ name, value }) => ({ key: name, value }))
  if (message.replyTo.length > 0)
    headers.push({ key: 'Reply-To', value: formatMailboxes(message.replyTo) })
  return {
    ...commonFields(message),
    attachments: message.attachments.map(({ filename, contentType, content }) => ({
      name: filename,
      type: contentType,
      content: base64(content),
    })),
    additional_headers: unlessEmpty(headers),
  }
}

/**
 * Scaleway Transactional Email.
 * @see https://www.scaleway.com/en/docs/transactional-email/reference-content/smtp-configuration/
 */
export const scaleway: Provider = {
  name: 'scaleway',
  title: 'Scaleway Transactional Email',
  form: { link: 'https://console.scaleway.com/iam/api-keys' },
  // Each domain has a DKIM record that only the account knows.
  domains: {
    include: '_spf.tem.scaleway.com',
    link: 'https://www.scaleway.com/en/docs/transactional-email/how-to/authenticate-domain/',
  },
  schemes: [
    scalewayApi,
    smtpPreset({
      names: ['scaleway', 'scaleway+smtp', 'scaleway+smtps'],
      form: { fields: projectKey },
      host: 'smtp.tem.scw.cloud',
      port: 465,
    }),
  ],
}
