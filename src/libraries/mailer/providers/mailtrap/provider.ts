import type { ApiResult } from '../../api/api-adapter.ts'
import { kindsBy, refused } from '../../api/api-result.ts'
import { readJson, textsOf } from '../../api/json.ts'
import {
  attachmentFields,
  commonFields,
  headerRecord,
  unlessEmpty,
} from '../../api/message-fields.ts'
import type { HttpResponse } from '../../connect/http-message.ts'
import { formatMailboxes } from '../../message/headers.ts'
import type { ParsedMessage } from '../../message/parse-message.ts'
import type { DsnReader } from '../dsn-reader.ts'
import { jsonScheme, parsed } from '../json-scheme.ts'
import type { Provider } from '../provider.ts'
import { keyField, numberField } from '../provider-form.ts'
import { keyLogin, smtpPreset } from '../smtp-preset.ts'
import { mailtrapWebhooks } from './webhooks.ts'

const form = { fields: [keyField('API token', 'The API token of a verified sending domain.')] }

/** Both APIs have no raw MIME, so the message is parsed. */
const common = {
  headers: (dsn: DsnReader) => ({ authorization: `Bearer ${dsn.requireUser('the API token')}` }),
  limits: { recipientsMax: 1000, sizeBytesMax: 50 * 1024 * 1024, batchMax: 500 },
  body: parsed(buildBody),
  readResponse,
}

/** @see https://docs.mailtrap.io/developers/email-sending/transactional */
const mailtrapApi = jsonScheme({
  ...common,
  names: ['mailtrap+api'],
  form,
  host: 'send.api.mailtrap.io',
  path: '/api/send',
})

/**
 * Sends messages to a sandbox for tests.
 * @see https://docs.mailtrap.io/developers/email-sandbox
 */
const mailtrapSandbox = jsonScheme({
  ...common,
  names: ['mailtrap+sandbox'],
  publicOptions: ['inboxId'],
  form: {
    link: 'https://mailtrap.io/sandboxes',
    fields: [
      keyField('API token', 'A token with access to the sandbox.'),
      numberField('inboxId', 'Sandbox id', {
        example: '12345',
        help: 'The number in the address of the sandbox.',
      }),
    ],
  },
  host: 'sandbox.api.mailtrap.io',
  path({ options }) {
    // Without it Symfony would send real email.
    options.requireText('inboxId', 'the number of the sandbox that gets the messages.')
    return `/api/send/${options.integer('inboxId')}`
  },
})

function buildBody(message: ParsedMessage) {
  const { metadata, replyTo, tags } = message
  // The field accepts one Reply-To, the header several.
  const replyToHeaders =
    replyTo.length > 0 ? [{ name: 'Reply-To', value: formatMailboxes(replyTo) }] : []
  return {
    ...commonFields(message),
    attachments: unlessEmpty(message.attachments.map(attachmentFields)),
    headers: headerRecord([...message.headers, ...replyToHeaders]),
    // Mailtrap supports one category.
    category: tags[0],
    custom_variables: Object.keys(metadata).length > 0 ? metadata : undefined,
  }
}

function readResponse(response: HttpResponse): ApiResult | undefined {
  const body = readJson(response)
  if (response.status === 200 && body?.['success'] === true)
    return { isAccepted: true, messageId: textsOf(body['message_ids'])[0] ?? null }
  const errors = textsOf(body?.['errors'])
  if (errors.length === 0) return undefined
  const text = errors.join('; ')
  return refused(text, { kind: kindOf({ ...response, text }) })
}

/** Mailtrap has no error codes. */
const kindOf = kindsBy(
  ['sender', 403, /domain/i],
  ['quota', 402, 403, /limit|quota|plan|billing/i],
  ['sender', 400, 422, /'from'/],
  ['recipient', 400, 422, /'(to|cc|bcc)'[^,]*(address|email) is invalid/i],
)

/**
 * Mailtrap.
 * @see https://docs.mailtrap.io/email-api-smtp/setup/smtp-integration
 */
export const mailtrap: Provider = {
  name: 'mailtrap',
  title: 'Mailtrap',
  form: { link: 'https://mailtrap.io/api-tokens' },
  /**
   * Mailtrap sends from a domain after all of its records were verified. The return path has a name of the account.
   */
  domains: {
    selectors: [
      { name: 'rwmt1', target: /^rwmt1\.dkim\.smtp\.mailtrap\.live$/i },
      { name: 'rwmt2', target: /^rwmt2\.dkim\.smtp\.mailtrap\.live$/i },
    ],
    isComplete: true,
    link: 'https://docs.mailtrap.io/email-api-smtp/setup/sending-domain',
    cnames: {
      'rwmt1._domainkey': 'rwmt1.dkim.smtp.mailtrap.live',
      'rwmt2._domainkey': 'rwmt2.dkim.smtp.mailtrap.live',
    },
  },
  schemes: [
    mailtrapApi,
    smtpPreset({
      names: ['mailtrap', 'mailtrap+smtp', 'mailtrap+smtps'],
      form,
      host: 'live.smtp.mailtrap.io',
      port: 587,
      login: keyLogin('the API token', 'api'),
    }),
    mailtrapSandbox,
  ],
  smtpHosts: ['bulk.smtp.mailtrap.io', 'sandbox.smtp.mailtrap.io'],
  webhooks: mailtrapWebhooks,
  isSandbox: ({ scheme, host }) => scheme === mailtrapSandbox.names[0] || /^sandbox\./i.test(host),
}
