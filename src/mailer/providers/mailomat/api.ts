import type { ApiAdapter, ApiMessage, ApiVerdict, RefusalKind } from '../../api/api-adapter.ts'
import { emailName, emailNames } from '../../api/email-name.ts'
import { base64, postJson, readJson, textOf } from '../../api/json.ts'
import { objectsOf } from '../../api/json-list.ts'
import { refused } from '../../api/refused.ts'
import type { HttpAnswer, HttpRequest } from '../../http/http-exchange.ts'
import type { ParsedMessage } from '../../message/parsed-message.ts'
import { apiEndpoint } from '../api-endpoint.ts'
import type { ApiScheme } from '../provider.ts'

/**
 * Mailomat's API as Symfony's bridge speaks it; the message is taken apart, and headers have no place
 * in it. https://github.com/symfony/mailomat-mailer, https://api.mailomat.swiss/docs
 */
export const mailomatApi: ApiScheme = {
  kind: 'api',
  names: ['mailomat+api'],
  isUserSecret: true,
  read(dsn) {
    const authorization = `Bearer ${dsn.requireUser('the API key')}`
    const endpoint = apiEndpoint(dsn, 'api.mailomat.swiss')
    return {
      endpoint,
      limits: {},
      async request(message: ApiMessage): Promise<HttpRequest> {
        const body = buildBody(await message.parse())
        return postJson(`${endpoint}/message`, { authorization }, body)
      },
      readAnswer,
    } satisfies ApiAdapter
  },
}

function buildBody(message: ParsedMessage) {
  return {
    from: emailName(message.from),
    to: message.to.map(emailName),
    cc: emailNames(message.cc),
    bcc: emailNames(message.bcc),
    replyTo: emailNames(message.replyTo),
    subject: message.subject,
    text: message.text ?? undefined,
    html: message.html ?? undefined,
    attachments: message.attachments.map(
      ({ filename, contentType, content, contentId, isInline }) => ({
        filename,
        contentBase64: base64(content),
        contentType,
        ContentID: isInline && contentId !== null ? `cid:${contentId}` : undefined,
      }),
    ),
  }
}

function readAnswer(answer: HttpAnswer): ApiVerdict | undefined {
  const body = readJson(answer)
  if (answer.status < 300) {
    const messageId = textOf(body?.['messageUuid'])
    return messageId === '' ? undefined : { isAccepted: true, messageId }
  }
  const violations = objectsOf(body?.['violations'])
  const paths = violations.map((violation) => textOf(violation['propertyPath']))
  const words = violations.map((violation, index) =>
    `${paths[index] ?? ''} ${textOf(violation['message'])}`.trim(),
  )
  const text = words.join('; ') || textOf(body?.['detail']) || textOf(body?.['message'])
  return text === '' ? undefined : refused(text, { kind: kindOf(paths) })
}

function kindOf(paths: readonly string[]): RefusalKind | undefined {
  if (paths.some((path) => path.startsWith('from'))) return 'sender'
  return paths.some((path) => /^(to|cc|bcc)\[/.test(path)) ? 'recipient' : undefined
}
