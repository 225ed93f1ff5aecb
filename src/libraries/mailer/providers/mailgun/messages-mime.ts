import { domainToASCII } from 'node:url'
import type { ApiAdapter, ApiMessage, ApiResult } from '../../api/api-adapter.ts'
import { acceptedAs, kindsBy, refused } from '../../api/api-result.ts'
import { type FormPart, postForm } from '../../api/form.ts'
import { basicAuthorization, readJson, textOf } from '../../api/json.ts'
import { readLabels } from '../../api/message-fields.ts'
import type { HttpResponse } from '../../connect/http-message.ts'
import { DsnError } from '../../grammar/dsn.ts'
import type { DsnReader } from '../dsn-reader.ts'
import { isPlugin } from '../provider.ts'

/** One sending domain of an account. */
interface SendingDomain {
  /** `https://host`. */
  readonly endpoint: string
  readonly key: string
  /** The sending domain in ASCII. */
  readonly domain: string
}

/**
 * Creates the adapter of a sending domain. It sends the raw message to the recipients of the envelope.
 * @see https://documentation.mailgun.com/docs/mailgun/api-reference/send/mailgun/messages/post-v3--domain-name--messages-mime
 */
export function createMimeAdapter({ endpoint, key, domain }: SendingDomain): ApiAdapter {
  const url = `${endpoint}/v3/${domain}/messages.mime`
  const authorization = basicAuthorization('api', key)
  return {
    endpoint,
    limits: { recipientsMax: 1000, sizeBytesMax: 25 * 1024 * 1024, batchMax: 1000 },
    request: async (message, tools) =>
      postForm(url, { authorization }, { parts: await parts(message), boundary: tools.uuid() }),
    readResponse,
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

function readResponse(response: HttpResponse): ApiResult | undefined {
  const body = readJson(response)
  if (response.status < 300) return acceptedAs(body?.['id'])
  // The response to a wrong key is the word "Forbidden".
  const text = body === undefined ? response.body.trim() : textOf(body['message'])
  if (body === undefined && text !== 'Forbidden') return undefined
  return refused(text, { kind: kindOf({ ...response, text }) })
}

/** Mailgun has no error codes. */
const kindOf = kindsBy(
  ['credentials', 404, /domain not found/i],
  ['recipient', 400, 403, /authorized recipients/i],
  ['quota', 400, 403, /limit|exceeded|quota/i, /^(?!.*parameter)/is],
  ['recipient', 400, /'?to'? parameter is not a valid/i],
  ['sender', 400, /'?from'? parameter is not a valid/i],
)

/** Converts a domain to ASCII; undefined when it is none. */
export function findDomain(text: string): string | undefined {
  const domain = domainToASCII(text)
  return /^[a-z0-9_-]+(\.[a-z0-9_-]+)+$/.test(domain) ? domain : undefined
}

/**
 * Converts a sending domain to ASCII, safe for a URL path.
 * @throws {DsnError} when it is not a domain.
 */
function sendingDomain(text: string, part = 'password'): string {
  const domain = findDomain(text)
  if (domain !== undefined) return domain
  throw new DsnError('invalid_host', 'The sending domain is not a valid domain name.', part)
}

/** Reads the sending domain of a DSN of Mailgun's API from the password part, or where the plug-in has it. */
export function domainOf(dsn: DsnReader): string {
  return isPlugin(dsn)
    ? domainOption(dsn)
    : sendingDomain(dsn.requirePassword('the sending domain'))
}

/** Reads the sending domain from the option `domain`, as Mautic's plug-ins do. */
export function domainOption({ options }: DsnReader): string {
  return sendingDomain(options.requireText('domain', 'the sending domain.'), 'domain')
}
