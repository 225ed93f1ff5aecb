import { createHmac, type Hmac, timingSafeEqual } from 'node:crypto'
import type { Readable } from 'node:stream'
import Type from 'typebox'
import { AppError } from '../../../kit/app-error.ts'
import {
  type HttpApp,
  type HttpRequest,
  idParameters,
  ReceivedBytes,
  readId,
} from '../../../platform/http/index.ts'
import { readEvents } from './read-events.ts'
import { answerChallenge, challengeForm } from './webhook-address.ts'
import type { WebhookReceiver } from './webhook-receiver.ts'

/** Mautic sends the content of the email with each message, and several events in one request. */
const bodyBytesMax = 8 * 1_048_576

/**
 * Adds the address that Mautic sends its webhooks to. Each request is signed with the secret of the webhook. One for a
 * Mautic that has no webhook is answered 200 and ignored: a refusal can end Mautic's run.
 */
export function addWebhookRoute(app: HttpApp, webhooks: WebhookReceiver): void {
  const expected = new WeakMap<HttpRequest, { hmac: Hmac | undefined; mauticId: number }>()
  const received = new ReceivedBytes()
  addChallengeRoute(app, webhooks)
  void app.register(async (scope: HttpApp) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', async (request: HttpRequest, body: Readable) => {
      const { hmac, mauticId } = expected.get(request) ?? {}
      if (mauticId === undefined) throw notSigned()
      const counted = received.open({ target: `mautic ${mauticId}`, address: request.ip })
      // The signature of the whole body at once would take milliseconds.
      const add = (piece: Buffer) => {
        counted.add(piece.length)
        hmac?.update(piece)
      }
      return scope.bodies.read(request, body, add).finally(() => counted.release())
    })
    const schema = { hide: true, params: idParameters, body: Type.Unsafe<Buffer>(Type.Unknown()) }
    const config = { permission: 'public' as const }
    const onRequest = async (request: HttpRequest) => {
      if (request.headers['webhook-signature'] === undefined) throw notSigned()
      const mauticId = readId((request.params as { id: string }).id)
      const secret = await webhooks.findSecret(mauticId)
      const hmac = secret === undefined ? undefined : createHmac('sha256', secret)
      expected.set(request, { hmac, mauticId })
    }
    const options = { schema, config, bodyLimit: bodyBytesMax, onRequest }
    scope.post('/webhooks/mautic/:id', options, async (request) => {
      const hmac = expected.get(request)?.hmac
      if (hmac === undefined) return { success: true, ignored: 'There is no such webhook.' }
      if (!isSignedBy(request.headers['webhook-signature'], hmac)) throw notSigned()
      await webhooks.apply(readId(request.params.id), readEvents(request.body))
      return { success: true }
    })
  })
}

/** Adds the answer with which Mailyard recognizes its own address. */
function addChallengeRoute(app: HttpApp, webhooks: WebhookReceiver): void {
  const schema = {
    hide: true,
    params: idParameters,
    querystring: Type.Object({ challenge: Type.Unknown() }),
  }
  const config = { permission: 'public' as const }
  app.get('/webhooks/mautic/:id', { schema, config }, async (request) => {
    const { challenge } = request.query
    if (typeof challenge !== 'string' || !challengeForm.test(challenge)) {
      const message = 'Query parameter "challenge" must have 32 hexadecimal digits.'
      throw new AppError('invalid', 'challenge_invalid', message)
    }
    const secret = await webhooks.findSecret(readId(request.params.id))
    if (secret === undefined)
      throw new AppError('not_found', 'webhook_not_found', 'This Mautic has no webhook.')
    return { answer: answerChallenge(secret, challenge) }
  })
}

function isSignedBy(signature: unknown, expected: Hmac): boolean {
  if (typeof signature !== 'string') return false
  const digest = expected.digest()
  const received = Buffer.from(signature, 'base64')
  return received.length === digest.length && timingSafeEqual(received, digest)
}

const notSigned = () =>
  new AppError(
    'unauthenticated',
    'webhook_not_signed',
    'The request is not signed with the secret of the webhook. Create the webhook again.',
  )
