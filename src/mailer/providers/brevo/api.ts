import type { ApiAdapter, ApiMessage, ApiVerdict, RefusalKind } from '../../api/api-adapter.ts'
import { emailName, emailNames } from '../../api/email-name.ts'
import { headerRecord } from '../../api/header-record.ts'
import { base64, postJson, readJson, textOf } from '../../api/json.ts'
import { refused } from '../../api/refused.ts'
import type { HttpAnswer, HttpRequest } from '../../http/http-exchange.ts'
import { encodeWords } from '../../message/encode-words.ts'
import type { Mailbox, ParsedMessage } from '../../message/parsed-message.ts'
import { apiEndpoint } from '../api-endpoint.ts'
import type { ApiScheme } from '../provider.ts'

/** https://developers.brevo.com/docs/how-it-works#error-codes; the status decides for the others. */
const kinds: Record<string, RefusalKind> = {
  unauthorized: 'credentials',
  permission_denied: 'credentials',
  account_under_validation: 'quota',
  not_enough_credits: 'quota',
}

/**
 * Brevo's API takes no raw MIME, so the message is taken apart. It knows no inline parts: images
 * arrive as attachments.
 * https://developers.brevo.com/reference/sendtransacemail
 */
export const brevoApi: ApiScheme = {
  kind: 'api',
  names: ['brevo+api', 'sendinblue+api'],
  isUserSecret: true,
  read(dsn) {
    const key = dsn.requireUser('the API key')
    const endpoint = apiEndpoint(dsn, 'api.brevo.com')
    return {
      endpoint,
      limits: { recipientsMax: 99, sizeBytesMax: 20 * 1024 * 1024, batchMax: 1000 },
      async request(message: ApiMessage): Promise<HttpRequest> {
        const body = buildBody(await message.parse())
        return postJson(`${endpoint}/v3/smtp/email`, { 'api-key': key }, body)
      },
      readAnswer,
    } satisfies ApiAdapter
  },
}

function buildBody(message: ParsedMessage) {
  const [replyTo] = message.replyTo
  const metadata = Object.entries(message.metadata).map(([name, value]) => ({
    name: `X-Mailin-${name.charAt(0).toUpperCase()}${name.slice(1).toLowerCase()}`,
    value,
  }))
  return {
    sender: emailName(message.from),
    to: message.to.map(safeName).map(emailName),
    cc: emailNames(message.cc.map(safeName)),
    bcc: emailNames(message.bcc.map(safeName)),
    // One is all that Brevo takes.
    replyTo: replyTo === undefined ? undefined : emailName(replyTo),
    subject: message.subject,
    textContent: message.text ?? undefined,
    htmlContent: message.html ?? undefined,
    attachment:
      message.attachments.length > 0
        ? message.attachments.map(({ filename, content }) => ({
            name: filename,
            content: base64(content),
          }))
        : undefined,
    // Brevo would send other letters as raw UTF-8, which many servers refuse.
    headers: headerRecord(
      [...message.headers, ...metadata].map(({ name, value }) => ({
        name,
        value: encodeWords(value),
      })),
    ),
    tags: message.tags.length > 0 ? message.tags : undefined,
  }
}

/** Brevo loses a name that has both other letters and punctuation; an encoded one arrives whole. */
function safeName({ name, address }: Mailbox): Mailbox {
  const isLost = /[^\u0020-\u007e]/.test(name) && /[()<>@,;:\\".[\]]/.test(name)
  return { address, name: isLost ? encodeWords(name) : name }
}

function readAnswer(answer: HttpAnswer): ApiVerdict | undefined {
  const body = readJson(answer)
  if (answer.status === 201 || answer.status === 202) {
    const messageId = textOf(body?.['messageId'])
    return messageId === '' ? undefined : { isAccepted: true, messageId }
  }
  const code = textOf(body?.['code'])
  if (code === '') return undefined
  const text = textOf(body?.['message'])
  return refused(text, { code, kind: kinds[code] ?? kindOf(answer.status, text) })
}

function kindOf(status: number, text: string): RefusalKind | undefined {
  if (status !== 400) return undefined
  if (/\bsender\b/i.test(text)) return 'sender'
  return /email is not valid in (to|cc|bcc)|valid email.*\b(to|cc|bcc)\b/i.test(text)
    ? 'recipient'
    : undefined
}
