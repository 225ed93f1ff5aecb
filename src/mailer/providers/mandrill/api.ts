import type {
  ApiAdapter,
  ApiMessage,
  ApiRecipient,
  ApiVerdict,
  RefusalKind,
} from '../../api/api-adapter.ts'
import { isObject, postJson, readJson, textOf } from '../../api/json.ts'
import { objectsOf } from '../../api/json-list.ts'
import { type MessageLabels, readLabels } from '../../api/message-labels.ts'
import { rawText } from '../../api/raw-text.ts'
import { refused } from '../../api/refused.ts'
import type { HttpAnswer, HttpRequest } from '../../http/http-exchange.ts'
import { encodeWords } from '../../message/encode-words.ts'
import { missingHeaders } from '../../message/missing-headers.ts'
import { apiEndpoint } from '../api-endpoint.ts'
import type { ApiScheme } from '../provider.ts'

/** Names of errors; they come with the status 500, whatever they are about. */
const kinds: Record<string, RefusalKind> = {
  Invalid_Key: 'credentials',
  PaymentRequired: 'quota',
  PoorReputation: 'quota',
  ValidationError: 'message',
  Unknown_Subaccount: 'message',
  Unknown_Pool: 'message',
}

/** Why a recipient was rejected, where it is not for his own sake. */
const reasons: Record<string, RefusalKind> = {
  'invalid-sender': 'sender',
  unsigned: 'sender',
  'test-mode-limit': 'quota',
}

/**
 * Mandrill's send-raw for all of Symfony's Mandrill API schemes: the message arrives as it was written.
 * https://mailchimp.com/developer/transactional/api/messages/send-mime-document/
 */
export const mandrillApi: ApiScheme = {
  kind: 'api',
  names: ['mandrill', 'mandrill+https', 'mandrill+api'],
  isUserSecret: true,
  read(dsn) {
    const key = dsn.requireUser('the API key')
    const endpoint = apiEndpoint(dsn, 'mandrillapp.com')
    return {
      endpoint,
      limits: { recipientsMax: 1000, sizeBytesMax: 25 * 1024 * 1024, batchMax: 1000 },
      async request(message: ApiMessage): Promise<HttpRequest> {
        const labels = missingHeaders(message.raw, labelHeaders(await readLabels(message)))
        const body = {
          key,
          raw_message: labels + rawText(message.raw, 'Mailchimp Transactional'),
          to: message.envelope.to,
          async: false,
        }
        return postJson(`${endpoint}/api/1.0/messages/send-raw.json`, {}, body)
      },
      readAnswer,
    } satisfies ApiAdapter
  },
}

/** Labels as the headers that Mandrill reads: https://mailchimp.com/developer/transactional/docs/smtp-integration/ */
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

function readAnswer(answer: HttpAnswer): ApiVerdict | undefined {
  const error = readJson(answer)
  if (error !== undefined) {
    if (error['status'] !== 'error') return undefined
    const code = textOf(error['name'])
    return refused(textOf(error['message']), { code, kind: kinds[code] })
  }
  const body: unknown = JSON.parse(answer.body)
  const recipients = objectsOf(body)
  const [first] = recipients
  if (answer.status !== 200 || !isObject(first) || textOf(first['status']) === '') return undefined
  if (recipients.every(isRejected)) return allRejected(first)
  const accepted = recipients.find((one) => !isRejected(one))
  return {
    isAccepted: true,
    messageId: textOf(accepted?.['_id']) || null,
    recipients: recipients.map(recipient),
  }
}

type Sent = Readonly<Record<string, unknown>>

function isRejected({ status }: Sent): boolean {
  return status === 'rejected' || status === 'invalid'
}

function allRejected(first: Sent): ApiVerdict {
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
