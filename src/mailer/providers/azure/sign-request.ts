import { createHash, createHmac } from 'node:crypto'
import type { HttpRequest } from '../../http/http-exchange.ts'
import type { Secret } from '../../secret.ts'

/** Who signs, and when. */
export interface SigningScope {
  /** As Azure shows it: in base64. */
  readonly accessKey: Secret
  readonly now: Date
}

/**
 * Signs a request with HMAC-SHA256 and an access key: adds `x-ms-date`, `x-ms-content-sha256` and
 * `authorization`. https://learn.microsoft.com/azure/communication-services/tutorials/hmac-header-tutorial
 */
export function signRequest(request: HttpRequest, { accessKey, now }: SigningScope): HttpRequest {
  const { host, pathname, search } = new URL(request.url)
  const date = now.toUTCString()
  const contentHash = createHash('sha256').update(request.body).digest('base64')
  const stringToSign = `${request.method}\n${pathname}${search}\n${date};${host};${contentHash}`
  const signature = createHmac('sha256', Buffer.from(accessKey.reveal(), 'base64'))
    .update(stringToSign)
    .digest('base64')
  return {
    ...request,
    headers: {
      ...request.headers,
      'x-ms-date': date,
      'x-ms-content-sha256': contentHash,
      authorization: `HMAC-SHA256 SignedHeaders=x-ms-date;host;x-ms-content-sha256&Signature=${signature}`,
    },
  }
}
