import type { ApiAdapter, ApiMessage, ApiVerdict, RefusalKind } from '../../api/api-adapter.ts'
import { basicAuthorization } from '../../api/basic-authorization.ts'
import { type FormPart, postForm } from '../../api/form.ts'
import { readJson, textOf } from '../../api/json.ts'
import { readLabels } from '../../api/message-labels.ts'
import { refused } from '../../api/refused.ts'
import type { HttpAnswer } from '../../http/http-exchange.ts'

/** One sending domain of an account. */
export interface SendingDomain {
  /** `https://host`. */
  readonly endpoint: string
  readonly key: string
  /** In ASCII. */
  readonly domain: string
}

/**
 * The adapter of a domain: the message arrives as it was written, at the envelope's recipients.
 * https://documentation.mailgun.com/docs/mailgun/api-reference/send/mailgun/messages/post-v3--domain-name--messages-mime
 */
export function createMimeAdapter({ endpoint, key, domain }: SendingDomain): ApiAdapter {
  const url = `${endpoint}/v3/${domain}/messages.mime`
  const authorization = basicAuthorization('api', key)
  return {
    endpoint,
    limits: { recipientsMax: 1000, sizeBytesMax: 25 * 1024 * 1024, batchMax: 1000 },
    request: async (message, tools) =>
      postForm(url, { authorization }, { parts: await parts(message), boundary: tools.uuid() }),
    readAnswer,
  }
}

async function parts(message: ApiMessage): Promise<FormPart[]> {
  const { tags, metadata } = await readLabels(message)
  return [
    ...message.envelope.to.map((value) => ({ name: 'to', value })),
    ...tags.map((value) => ({ name: 'o:tag', value })),
    ...Object.entries(metadata).map(([name, value]) => ({ name: `v:${name}`, value })),
    {
      name: 'message',
      value: message.raw,
      filename: 'message.mime',
      contentType: 'message/rfc822',
    },
  ]
}

function readAnswer(answer: HttpAnswer): ApiVerdict | undefined {
  const body = readJson(answer)
  if (answer.status < 300) {
    const messageId = textOf(body?.['id'])
    return messageId === '' ? undefined : { isAccepted: true, messageId }
  }
  // A wrong key is answered with the one word "Forbidden".
  const text = body === undefined ? answer.body.trim() : textOf(body['message'])
  if (body === undefined && text !== 'Forbidden') return undefined
  return refused(text, { kind: kindOf(answer.status, text) })
}

/** Mailgun has no error codes; its sentences are all there is. */
function kindOf(status: number, text: string): RefusalKind | undefined {
  if (status === 404 && /domain not found/i.test(text)) return 'credentials'
  if (status !== 400 && status !== 403) return undefined
  if (/authorized recipients/i.test(text)) return 'recipient'
  if (/limit|exceeded|quota/i.test(text) && !/parameter/i.test(text)) return 'quota'
  if (status === 403) return undefined
  if (/'?to'? parameter is not a valid/i.test(text)) return 'recipient'
  if (/'?from'? parameter is not a valid/i.test(text)) return 'sender'
  return undefined
}
