import type { ApiMessage, ApiResult } from '../../api/api-adapter.ts'
import { kindsBy, refused } from '../../api/api-result.ts'
import { base64, objectsOf, readJson, textOf } from '../../api/json.ts'
import { emailName, headerRecord, rawText, unlessEmpty } from '../../api/message-fields.ts'
import { formatMailboxes } from '../../message/headers.ts'
import type { ParsedMessage } from '../../message/parse-message.ts'
import { jsonScheme } from '../json-scheme.ts'
import { apiKey, type Provider, regionHost } from '../provider.ts'
import { keyField, regionField } from '../provider-form.ts'
import { sparkpostWebhooks } from './webhooks.ts'

/** @see https://support.sparkpost.com/docs/tech-resources/extended-error-codes */
const kindOf = kindsBy(
  // 420 is SparkPost's status for a sending limit of the account.
  ['quota', 420],
  ['quota', '1601', '2101', '2102', '2103'],
  ['recipient', '1902', /recipient|suppress/i],
  ['recipient', '5002'],
  ['provider', '1502'],
  ['message', '1600'],
  ['sender', '7000', '7001'],
)

/**
 * SparkPost's transmissions API, also for the scheme of the Mautic plug-in.
 * @see https://developers.sparkpost.com/api/transmissions/
 */
const sparkpostApi = jsonScheme({
  names: ['sparkpost+api', 'mautic+sparkpost+api'],
  publicOptions: ['region'],
  form: {
    fields: [
      keyField('API key', 'With "Transmissions: Read/Write".'),
      regionField({ us: 'United States', eu: 'Europe' }, { default: 'us' }),
    ],
  },
  host: regionHost('api.sparkpost.com', 'us'),
  path: '/api/v1/transmissions',
  headers: (dsn) => ({ authorization: apiKey(dsn, 'the API key') }),
  limits: { recipientsMax: 2000, sizeBytesMax: 20 * 1024 * 1024, batchMax: 2000 },
  body: buildTransmission,
  readResponse(response) {
    const body = readJson(response)
    const [error] = objectsOf(body?.['errors'])
    const [results] = objectsOf([body?.['results']])
    if (response.status === 200 && results !== undefined) {
      const messageId = textOf(results['id'])
      // SparkPost counts the rejected recipients, but does not name them.
      if (results['total_accepted_recipients'] === 0) return noRecipient(results)
      return messageId === '' ? undefined : { isAccepted: true, messageId }
    }
    if (error === undefined) return undefined
    const code = textOf(error['code'])
    const kind = kindOf({ ...response, code, text: textOf(error['description']) })
    return refused(textOfError(error), { code, kind })
  },
})

function noRecipient(results: Readonly<Record<string, unknown>>): ApiResult {
  const [error] = objectsOf(results['rcpt_to_errors'])
  return refused(error === undefined ? 'No recipient was accepted.' : textOfError(error), {
    kind: 'recipient',
  })
}

function textOfError(error: Readonly<Record<string, unknown>>): string {
  return [textOf(error['message']), textOf(error['description'])]
    .filter((text) => text !== '')
    .join(': ')
}

/**
 * Builds the body of a transmission. The message is sent as raw MIME, unless it contains text that SparkPost would read
 * as its template language (`{{…}}`): substitution can only be turned off for parsed fields.
 * @see https://developers.sparkpost.com/api/transmissions/#transmissions-post-send-rfc822-content
 */
async function buildTransmission(message: ApiMessage): Promise<object> {
  const parsed = await message.parse()
  const labels = {
    metadata: Object.keys(parsed.metadata).length > 0 ? parsed.metadata : undefined,
    // Messages have their own tracking; SparkPost's would rewrite their links.
    options: { open_tracking: false, click_tracking: false },
  }
  const tags = unlessEmpty(parsed.tags)
  if (!hasTemplateLanguage(parsed))
    return {
      ...labels,
      recipients: message.envelope.to.map((email) => ({ address: { email }, tags })),
      content: { email_rfc822: rawText(message.raw, 'SparkPost') },
    }
  return {
    ...labels,
    options: { ...labels.options, perform_substitutions: false },
    recipients: recipients(parsed, tags),
    content: content(parsed),
  }
}

function hasTemplateLanguage({ subject, text, html, headers, from, to, cc }: ParsedMessage) {
  return [
    subject,
    text ?? '',
    html ?? '',
    ...headers.map(({ value }) => value),
    ...[from, ...to, ...cc].map(({ name }) => name),
  ].some((part) => part.includes('{{'))
}

/** Lists the recipients. Without header_to each one would see only their own address in To. */
function recipients({ to, cc, bcc }: ParsedMessage, tags: readonly string[] | undefined) {
  const headerTo = formatMailboxes(to)
  return [...to, ...cc, ...bcc].map(({ address: email }) => ({
    address: { email, header_to: headerTo },
    tags,
  }))
}

function content({ from, replyTo, cc, subject, text, html, headers, attachments }: ParsedMessage) {
  const inline = attachments.filter(({ embeddedId }) => embeddedId !== undefined)
  const files = attachments.filter((attachment) => !inline.includes(attachment))
  const allHeaders =
    cc.length > 0 ? [...headers, { name: 'Cc', value: formatMailboxes(cc) }] : headers
  return {
    from: emailName(from),
    reply_to: formatMailboxes(replyTo) || undefined,
    subject,
    text: text ?? undefined,
    html: html ?? undefined,
    headers: headerRecord(allHeaders),
    attachments: files.map(({ filename, contentType, content: data }) => ({
      name: filename,
      type: contentType,
      data: base64(data),
    })),
    inline_images: inline.map(({ embeddedId, contentType, content: data }) => ({
      name: embeddedId,
      type: contentType,
      data: base64(data),
    })),
  }
}

/**
 * SparkPost. For its SMTP servers use smtp://.
 * @see https://developers.sparkpost.com/api/
 */
export const sparkpost: Provider = {
  name: 'sparkpost',
  title: 'SparkPost',
  form: { link: 'https://app.sparkpost.com/account/api-keys' },
  webhooks: sparkpostWebhooks,
  // Each domain has a selector of its own, and may be verified without DKIM.
  domains: { link: 'https://developers.sparkpost.com/api/sending-domains/' },
  schemes: [sparkpostApi],
  smtpHosts: ['smtp.sparkpostmail.com', 'smtp.eu.sparkpostmail.com'],
}
