import { createHmac } from 'node:crypto'
import { secretBytesOf } from './webhook-secrets.ts'

/** What is signed. */
export interface SignedMessage {
  messageId: string
  /** Milliseconds since the epoch: when this request is sent. */
  sentAt: number
  body: string
}

/**
 * Returns the headers of a request. It has one signature for each secret: receivers accept a message that one of them fits.
 * @see https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */
export function signedHeaders(
  { messageId, sentAt, body }: SignedMessage,
  secrets: readonly string[],
): Record<string, string> {
  const timestamp = String(Math.floor(sentAt / 1_000))
  const signatures = secrets.map((secret) => {
    const hmac = createHmac('sha256', secretBytesOf(secret))
    return `v1,${hmac.update(`${messageId}.${timestamp}.${body}`).digest('base64')}`
  })
  return {
    'webhook-id': messageId,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.join(' '),
  }
}
