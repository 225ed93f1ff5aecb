import { createHmac, randomBytes } from 'node:crypto'
import type { OutboundClient } from '../../../libraries/mailer/index.ts'
import { asObject, MauticError, sendRequest } from '../../mautic-client/index.ts'

/** Returns the path at which a Mautic sends its webhooks. */
export function webhookPath(mauticId: number): string {
  return `/webhooks/mautic/${mauticId}`
}

/** What Mailyard asks its own address, to see that it leads here. */
export const challengeForm = /^[0-9a-f]{32}$/

/** Returns the answer to a challenge. It is no signature of a webhook: what is signed here is not JSON. */
export function answerChallenge(secret: string, challenge: string): string {
  return createHmac('sha256', secret).update(`challenge ${challenge}`).digest('hex')
}

const timeoutMs = 10_000
const bytesMax = 65_536

/**
 * Checks that the URL of a webhook leads to this Mailyard, by requesting it.
 *
 * @throws {MauticError} that says what the URL answered, and what to do.
 */
export async function proveAddress(
  http: OutboundClient,
  { url, secret, signal }: { url: string; secret: string; signal?: AbortSignal | undefined },
): Promise<void> {
  const challenge = randomBytes(16).toString('hex')
  const request = { method: 'GET' as const, url: `${url}?challenge=${challenge}`, headers: {} }
  const answer = await sendRequest(http, { ...request, timeoutMs, bytesMax, signal }).catch(
    (error: unknown) => {
      throw error instanceof MauticError ? unproven(error.detail, error) : error
    },
  )
  if (readAnswer(answer.body) === answerChallenge(secret, challenge)) return
  throw unproven(`${url} does not lead to this Mailyard: it answered ${answer.status}.`)
}

function readAnswer(body: string): unknown {
  try {
    return asObject(JSON.parse(body))['answer']
  } catch {
    return undefined
  }
}

function unproven(detail: string, cause?: unknown): MauticError {
  const hint =
    'Mautic has to reach Mailyard at this address. Set MAILYARD_PUBLIC_URL, or name another address (`url`, `--webhook-url`). ' +
    'If only Mautic can reach it, set `acceptsUnproven` (`--webhook-unproven`).'
  return new MauticError('unreachable', { detail, hint }, cause)
}
