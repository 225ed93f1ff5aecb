import type { ApiRecipient, ApiResult, RefusalKind } from '../../api/api-adapter.ts'
import { kindsBy, refused } from '../../api/api-result.ts'
import { isObject, objectsOf, readJson, textOf } from '../../api/json.ts'
import { type MessageLabels, rawText, readLabels } from '../../api/message-fields.ts'
import { encodeWords, missingHeaders } from '../../message/headers.ts'

import { jsonScheme } from '../json-scheme.ts'
import type { Provider } from '../provider.ts'
import { keyField, secretField, textField } from '../provider-form.ts'
import { smtpPreset } from '../smtp-preset.ts'
import { mandrillWebhooks } from './webhooks.ts'

/** The HTTP status of every error is 500. */
const kindOf = kindsBy(
  ['credentials', 'Invalid_Key'],
  ['quota', 'PaymentRequired', 'PoorReputation'],
  ['message', 'ValidationError', 'Unknown_Subaccount', 'Unknown_Pool'],
)

/** The kinds of rejections that are not about the recipient. */
const reasons: Record<string, RefusalKind> = {
  'invalid-sender': 'sender',
  unsigned: 'sender',
  'test-mode-limit': 'quota',
}

/**
 * All of Symfony's Mandrill API schemes use send-raw, which sends the raw message.
 * @see https://mailchimp.com/developer/transactional/api/messages/send-mime-document/
 */
const mandrillApi = jsonScheme({
  names: ['mandrill', 'mandrill+https', 'mandrill+api'],
  form: { fields: [keyField('API key', 'From "Settings", "SMTP & API Info".')] },
  host: 'mandrillapp.com',
  path: '/api/1.0/messages/send-raw.json',
  headers: () => ({}),
  limits: { recipientsMax: 1000, sizeBytesMax: 25 * 1024 * 1024, batchMax: 1000 },
  options: (dsn) => dsn.requireUser('the API key'),
  async body(message, key) {
    const labels = missingHeaders(message.raw, labelHeaders(await readLabels(message)))
    return {
      key,
      raw_message: labels + rawText(message.raw, 'Mailchimp Transactional'),
      to: message.envelope.to,
      async: false,
    }
  },
  readResponse(response) {
    const error = readJson(response)
    if (error !== undefined) {
      if (error['status'] !== 'error') return undefined
      const code = textOf(error['name'])
      return refused(textOf(error['message']), { code, kind: kindOf({ ...response, code }) })
    }
    const body: unknown = JSON.parse(response.body)
    const recipients = objectsOf(body)
    const [first] = recipients
    if (response.status !== 200 || !isObject(first) || textOf(first['status']) === '')
      return undefined
    if (recipients.every(isRejected)) return allRejected(first)
    const accepted = recipients.find((one) => !isRejected(one))
    return {
      isAccepted: true,
      messageId: textOf(accepted?.['_id']) || null,
      recipients: recipients.map(recipient),
    }
  },
})

/**
 * Converts labels to Mandrill's headers.
 * @see https://mailchimp.com/developer/transactional/docs/smtp-integration/
 */
function labelHeaders({ tags, metadata }: MessageLabels): [string, string][] {
  const headers: [string, string][] = []
  if (tags.length > 0) headers.push(['X-MC-Tags', encodeWords(tags.join(','))])
  if (Object.keys(metadata).length > 0) headers.push(['X-MC-Metadata', asciiJson(metadata)])
  return headers
}

function asciiJson(value: object): string {
  return JSON.stringify(value).replace(
    /[^\u0020-\u007e]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

type Sent = Readonly<Record<string, unknown>>

function isRejected({ status }: Sent): boolean {
  return status === 'rejected' || status === 'invalid'
}

function allRejected(first: Sent): ApiResult {
  const reason = textOf(first['reject_reason']) || textOf(first['status'])
  return refused(`The message was rejected: ${reason}.`, {
    code: reason,
    kind: reasons[reason] ?? 'recipient',
  })
}

function recipient(sent: Sent): ApiRecipient {
  const reason = textOf(sent['reject_reason'])
  return {
    address: textOf(sent['email']),
    outcome: isRejected(sent) ? 'refused' : 'accepted',
    text: reason === '' ? textOf(sent['status']) : reason,
    isPermanent: isRejected(sent) && reasons[reason] !== 'quota' && reason !== 'soft-bounce',
  }
}

/**
 * Mailchimp Transactional, formerly Mandrill.
 * @see https://mailchimp.com/developer/transactional/docs/smtp-integration/
 */
export const mandrill: Provider = {
  name: 'mandrill',
  title: 'Mailchimp Transactional',
  form: { link: 'https://mandrillapp.com/settings' },
  webhooks: mandrillWebhooks,
  /**
   * For a domain that is not authenticated, Mailchimp Transactional replaces the domain in From. The selector
   * `mandrill` is that of older set-ups. The keys are the same for all accounts, so records do not show which account
   * verified the domain.
   */
  domains: {
    selectors: [
      { name: 'mte1', target: /^dkim1\.mandrillapp\.com$/i },
      { name: 'mte2', target: /^dkim2\.mandrillapp\.com$/i },
      { name: 'mandrill' },
    ],
    isComplete: true,
    link: 'https://mailchimp.com/developer/transactional/docs/authentication-delivery/',
    cnames: {
      'mte1._domainkey': 'dkim1.mandrillapp.com',
      'mte2._domainkey': 'dkim2.mandrillapp.com',
    },
  },
  schemes: [
    mandrillApi,
    smtpPreset({
      names: ['mandrill+smtp', 'mandrill+smtps'],
      form: {
        fields: [
          textField('user', 'User name', {
            example: 'shop@example.com',
            help: 'Any name, usually that of the account.',
          }),
          secretField('password', 'API key', {
            example: 'sample-key-123',
            help: 'From "Settings", "SMTP & API Info".',
          }),
        ],
      },
      host: 'smtp.mandrillapp.com',
      port: 587,
    }),
  ],
}
