import type { ApiAdapter, ApiMessage, ApiResult } from '../../api/api-adapter.ts'
import { kindOfFields, kindsBy, refused } from '../../api/api-result.ts'
import { type FormPart, postForm } from '../../api/form.ts'
import { isObject, objectsOf, readJson, textOf } from '../../api/json.ts'
import { findHeader, headerRecord, withoutHeaders } from '../../api/message-fields.ts'
import type { HttpRequest, HttpResponse } from '../../connect/http-message.ts'
import { DsnError } from '../../grammar/dsn.ts'
import { formatMailbox } from '../../message/headers.ts'
import type { Attachment, Mailbox, ParsedMessage } from '../../message/parse-message.ts'
import { type ApiScheme, apiEndpoint, type Provider } from '../provider.ts'
import { hostField, keyField } from '../provider-form.ts'
import { keyLogin, smtpPreset } from '../smtp-preset.ts'

/** Headers, in lower case, that become form fields as in Symfony's bridge. */
const fieldHeaders: Record<string, string> = {
  'x-infobip-intermediatereport': 'intermediateReport',
  'x-infobip-notifyurl': 'notifyUrl',
  'x-infobip-notifycontenttype': 'notifyContentType',
  'x-infobip-messageid': 'messageId',
  'x-infobip-track': 'track',
}

const accountKey = keyField('API key', 'With the scope "email:message:send".')

/**
 * Infobip's API has no raw MIME, so the message is parsed and sent as a form.
 * @see https://www.infobip.com/docs/api/channels/email/send-fully-featured-email
 */
const infobipApi: ApiScheme = {
  kind: 'api',
  names: ['infobip+api'],
  form: {
    fields: [
      accountKey,
      hostField('host', 'Base URL', {
        example: 'xxxxx.api.infobip.com',
        help: 'The host of your account, from its home page.',
      }),
    ],
  },
  read(dsn) {
    const authorization = `App ${dsn.requireUser('the API key')}`
    if (dsn.hasDefaultHost)
      throw new DsnError(
        'no_host',
        'Each Infobip account has its own host; write it after the "@": infobip+api://KEY@xxxxx.api.infobip.com.',
      )
    const endpoint = apiEndpoint(dsn, dsn.host)
    return {
      endpoint,
      limits: { sizeBytesMax: 25 * 1024 * 1024, batchMax: 1000 },
      async request(message: ApiMessage, tools): Promise<HttpRequest> {
        const form = { parts: parts(await message.parse()), boundary: tools.uuid() }
        return postForm(`${endpoint}/email/3/send`, { authorization }, form)
      },
      readResponse,
    } satisfies ApiAdapter
  },
}

function parts(message: ParsedMessage): FormPart[] {
  const names = new Set(Object.keys(fieldHeaders))
  const headers = headerRecord(withoutHeaders(message.headers, names))
  return [
    { name: 'from', value: formatMailbox(message.from) },
    ...mailboxes('to', message.to),
    ...mailboxes('cc', message.cc),
    ...mailboxes('bcc', message.bcc),
    // Without it each recipient gets a separate message that shows no other recipient.
    { name: 'preserveRecipients', value: 'true' },
    ...mailboxes('replyTo', message.replyTo.slice(0, 1)),
    { name: 'subject', value: message.subject },
    ...text('text', message.text),
    ...text('html', message.html),
    ...message.attachments.map(attachment),
    ...text('headers', headers === undefined ? null : JSON.stringify(headers)),
    ...Object.entries(fieldHeaders).flatMap(([header, name]) =>
      text(name, findHeader(message.headers, header) ?? null),
    ),
  ]
}

function mailboxes(name: string, list: readonly Mailbox[]): FormPart[] {
  return list.map((mailbox) => ({ name, value: formatMailbox(mailbox) }))
}

function text(name: string, value: string | null): FormPart[] {
  return value === null ? [] : [{ name, value }]
}

function attachment({ filename, contentType, content, embeddedId }: Attachment): FormPart {
  // The HTML refers to an inline image by the name of its file.
  return embeddedId === undefined
    ? { name: 'attachment', value: content, filename, contentType }
    : { name: 'inlineImage', value: content, filename: embeddedId, contentType }
}

/**
 * Reads a response.
 * @see https://www.infobip.com/docs/essentials/response-status-and-error-codes
 */
function readResponse(response: HttpResponse): ApiResult | undefined {
  const body = readJson(response)
  const [first, ...others] = objectsOf(body?.['messages'])
  if (response.status === 200 && first !== undefined) {
    const messages = [first, ...others]
    const accepted = messages.find((one) => !isRejected(one))
    if (accepted === undefined) return rejected(first)
    return {
      isAccepted: true,
      messageId: textOf(accepted['messageId']) || null,
      recipients: messages.filter(isRejected).map((one) => ({
        address: textOf(one['to']),
        outcome: 'refused',
        text: textOf(statusOf(one)['description']),
        isPermanent: kindOf({ status: 200, code: textOf(statusOf(one)['name']) }) === undefined,
      })),
    }
  }
  const error = body?.['requestError']
  const exception = isObject(error) ? error['serviceException'] : undefined
  if (!isObject(exception)) return undefined
  const { validationErrors } = exception
  const details = isObject(validationErrors) ? JSON.stringify(validationErrors) : ''
  return refused([textOf(exception['text']), details].filter((one) => one !== '').join(': '), {
    code: textOf(exception['messageId']),
    kind: kindOfFields(isObject(validationErrors) ? Object.keys(validationErrors) : [], {
      sender: /^from$/,
    }),
  })
}

const kindOf = kindsBy(
  ['quota', 'REJECTED_NOT_ENOUGH_CREDITS', 'REJECTED_PREPAID_PACKAGE_EXPIRED'],
  ['throttled', 'REJECTED_FLOODING_FILTER'],
  ['sender', 'REJECTED_SENDER', 'REJECTED_SOURCE'],
  ['provider', 'REJECTED_SYSTEM_ERROR'],
)

type Sent = Readonly<Record<string, unknown>>

function statusOf({ status }: Sent): Sent {
  return isObject(status) ? status : {}
}

function isRejected(sent: Sent): boolean {
  return statusOf(sent)['groupName'] === 'REJECTED'
}

function rejected(sent: Sent): ApiResult {
  const { name, description } = statusOf(sent)
  const code = textOf(name)
  return refused(textOf(description) || code, {
    code,
    kind: kindOf({ status: 200, code }) ?? 'recipient',
  })
}

/**
 * Infobip.
 * @see https://www.infobip.com/docs/email/smtp-specification
 */
export const infobip: Provider = {
  name: 'infobip',
  title: 'Infobip',
  form: { link: 'https://portal.infobip.com/dev/api-keys' },
  // Each domain has records that only the account knows.
  domains: { link: 'https://www.infobip.com/docs/email' },
  schemes: [
    infobipApi,
    smtpPreset({
      names: ['infobip', 'infobip+smtp', 'infobip+smtps'],
      form: { fields: [accountKey] },
      host: 'smtp-api.infobip.com',
      port: 587,
      login: keyLogin('the API key', 'App'),
    }),
  ],
}
