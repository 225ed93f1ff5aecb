import { oneLine } from '../../kit/one-line.ts'
import { splitCredentials, withoutSecrets } from './webhook-address.ts'

/** Sends a request to an address that the outbound policy allows. It follows no redirect, and throws an AppError (`upstream`). */
export type SendRequest = (
  url: string,
  request: {
    method: 'POST'
    headers: Record<string, string>
    body: string
    signal: AbortSignal
  },
) => Promise<Response>

export interface ReceiverAnswer {
  status: number
  /** The first words of the body. */
  words: string
  /** How long it asks to be sent nothing, in milliseconds. */
  retryAfterMs: number | undefined
}

/** A receiver that did not accept a message. The message says what it answered, and never has a secret of the address. */
export class ReceiverError extends Error {
  override readonly name = 'ReceiverError'
  /** The status of its answer; undefined without an answer. */
  readonly status: number | undefined
  readonly retryAfterMs: number | undefined

  constructor(
    message: string,
    { status, retryAfterMs }: { status?: number; retryAfterMs?: number | undefined } = {},
  ) {
    super(message)
    this.status = status
    this.retryAfterMs = retryAfterMs
  }
}

/** What is posted to a receiver. */
export interface ReceiverRequest {
  address: string
  headers?: Record<string, string>
  body: string
  signal: AbortSignal
  /** The time, in milliseconds since the epoch. */
  now: number
}

const wordsMax = 300
/** Masking takes time for each part of a long address. */
const readMax = 4_000
const retryAfterMaxMs = 86_400_000

/** Posts JSON to a receiver. Throws a ReceiverError without an answer. */
export async function callReceiver(
  send: SendRequest,
  { address, headers = {}, body, signal, now }: ReceiverRequest,
): Promise<ReceiverAnswer> {
  const { url, headers: credentials } = splitCredentials(address)
  const allHeaders = { 'content-type': 'application/json', ...credentials, ...headers }
  try {
    const answer = await send(url, { method: 'POST', headers: allHeaders, body, signal })
    const text = await answer.text()
    return {
      status: answer.status,
      // Masked before it is cut, which could leave the beginning of a secret.
      words: oneLine(withoutSecrets(text.slice(0, readMax), address), wordsMax),
      retryAfterMs: readRetryAfter(answer.headers.get('retry-after'), now),
    }
  } catch (error) {
    signal.throwIfAborted()
    const message = error instanceof Error ? error.message : String(error)
    // Without its cause: it may contain the address.
    throw new ReceiverError(withoutSecrets(message, address))
  }
}

/** Throws a ReceiverError unless the receiver accepted the message. */
export function checkAccepted({ status, words, retryAfterMs }: ReceiverAnswer): void {
  if (status >= 200 && status < 300) return
  throw new ReceiverError(describeAnswer({ status, words }), { status, retryAfterMs })
}

/** Describes an answer, as a sentence: `The receiver answered 500: out of memory` */
export function describeAnswer({ status, words }: Pick<ReceiverAnswer, 'status' | 'words'>) {
  const isRedirect = status >= 300 && status < 400
  const hint = isRedirect ? ' Redirects are not followed: enter the address that it leads to.' : ''
  return `The receiver answered ${status}${words === '' ? '.' : `: ${words}`}${hint}`
}

/** Reads seconds or a date; undefined for anything else. */
function readRetryAfter(text: string | null, now: number): number | undefined {
  if (text === null) return undefined
  const ms = /^\d+$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - now
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(ms, 0), retryAfterMaxMs)
}
