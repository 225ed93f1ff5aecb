import type { ApiAdapter, ApiMessage, ApiVerdict, RefusalKind } from '../../api/api-adapter.ts'
import { base64, isObject, postJson, readJson, textOf } from '../../api/json.ts'
import { refused } from '../../api/refused.ts'
import { DsnError } from '../../grammar/dsn-error.ts'
import type { HttpAnswer, HttpRequest } from '../../http/http-exchange.ts'
import { apiEndpoint, apiKey } from '../api-endpoint.ts'
import type { ApiScheme } from '../provider.ts'

/** https://docs.postalserver.io/developer/api and what its controllers answer. */
const kinds: Record<string, RefusalKind> = {
  AccessDenied: 'credentials',
  InvalidServerAPIKey: 'credentials',
  ServerSuspended: 'quota',
  UnauthenticatedFromAddress: 'sender',
  FromAddressMissing: 'sender',
  NoRecipients: 'message',
  NoContent: 'message',
  ValidationError: 'message',
}

/**
 * Postal's send/raw, which takes the message as it is. The key is the user in Symfony's README and the
 * password in its code, so both do.
 * https://apiv1.postalserver.io/controllers/send/raw
 */
export const postalApi: ApiScheme = {
  kind: 'api',
  names: ['postal+api'],
  isUserSecret: true,
  read(dsn) {
    const key = apiKey(dsn, 'the API credential of the mail server')
    if (dsn.hasDefaultHost)
      throw new DsnError(
        'no_host',
        'Postal runs on a host of your own; write it behind the "@": postal+api://KEY@postal.example.com.',
      )
    const endpoint = apiEndpoint(dsn, dsn.host)
    return {
      endpoint,
      limits: {},
      async request(message: ApiMessage): Promise<HttpRequest> {
        const { envelope, raw } = message
        const body = {
          rcpt_to: envelope.to,
          // Postal wants one; the null sender has no address to give.
          mail_from: envelope.from === '' ? (await message.parse()).from.address : envelope.from,
          data: base64(raw),
        }
        return postJson(`${endpoint}/api/v1/send/raw`, { 'x-server-api-key': key }, body)
      },
      readAnswer,
    } satisfies ApiAdapter
  },
}

/** Every answer has the HTTP status 200; `status` in the body says what it is. */
function readAnswer(answer: HttpAnswer): ApiVerdict | undefined {
  const body = readJson(answer)
  const data = body?.['data']
  if (!isObject(data)) return undefined
  if (body?.['status'] === 'success')
    return { isAccepted: true, messageId: textOf(data['message_id']) || null }
  const text = textOf(data['message'])
  if (body?.['status'] === 'parameter-error') return refused(text, { kind: 'message' })
  if (body?.['status'] !== 'error') return undefined
  const code = textOf(data['code'])
  return refused(text === '' ? code : text, { code, kind: kinds[code] })
}
