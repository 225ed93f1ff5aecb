import { createHmac, type Hmac, timingSafeEqual } from 'node:crypto'
import type { Readable } from 'node:stream'
import Type from 'typebox'
import {
  type HttpApp,
  HttpError,
  type HttpRequest,
  idParameters,
  readId,
} from '../../http/index.ts'
import { AppError } from '../../kit/app-error.ts'
import { readEvents, type WebhookEvents } from './read-events.ts'
import { createReceivedBytes } from './received-bytes.ts'

/** What the route of webhooks needs. */
export interface WebhookReceiver {
  /** Returns the secret that signs the webhooks of a published Mautic; undefined if there is none. */
  findSecret(mauticId: number): Promise<string | undefined>
  apply(mauticId: number, events: WebhookEvents): Promise<void>
}

const megabyte = 1_048_576
/** Mautic sends the content of the email with each message, and several events in one request. */
const bodyBytesMax = 8 * megabyte
/** Of the bodies that are being received. A network may send two of the largest. All are less than what clients without a log-in have. */
const receivedBytesMax = { all: 40 * megabyte, mautic: 24 * megabyte, network: 16 * megabyte }

/** Returns the path at which a Mautic sends its webhooks. */
export function webhookPath(mauticId: number): string {
  return `/webhooks/mautic/${mauticId}`
}

/** Adds the address that Mautic sends its webhooks to. Each request is signed with the secret of the webhook. */
export function addWebhookRoute(app: HttpApp, webhooks: WebhookReceiver): void {
  const expected = new WeakMap<HttpRequest, { hmac: Hmac; mauticId: number }>()
  const received = createReceivedBytes(receivedBytesMax)
  void app.register(async (scope: HttpApp) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', async (request: HttpRequest, body: Readable) => {
      const { hmac, mauticId } = expected.get(request) ?? {}
      if (hmac === undefined || mauticId === undefined) throw notSigned()
      const counted = received.open({ mauticId, address: request.ip })
      // The signature of the whole body at once would take milliseconds.
      const add = (piece: Buffer) => {
        if (!counted.add(piece.length)) throw tooMany()
        hmac.update(piece)
      }
      return scope.bodies.read(request, body, add).finally(() => counted.release())
    })
    const schema = { hide: true, params: idParameters, body: Type.Unsafe<Buffer>(Type.Unknown()) }
    const config = { permission: 'public' as const }
    const onRequest = async (request: HttpRequest) => {
      const isSigned = request.headers['webhook-signature'] !== undefined
      const id = readId((request.params as { id: string }).id)
      const secret = isSigned ? await webhooks.findSecret(id) : undefined
      if (secret === undefined) throw notSigned()
      expected.set(request, { hmac: createHmac('sha256', secret), mauticId: id })
    }
    const options = { schema, config, bodyLimit: bodyBytesMax, onRequest }
    scope.post('/webhooks/mautic/:id', options, async (request) => {
      const hmac = expected.get(request)?.hmac
      if (!isSignedBy(request.headers['webhook-signature'], hmac)) throw notSigned()
      await webhooks.apply(readId(request.params.id), readEvents(request.body))
      return { success: true }
    })
  })
}

function isSignedBy(signature: unknown, expected: Hmac | undefined): boolean {
  if (typeof signature !== 'string' || expected === undefined) return false
  const own = expected.digest()
  const given = Buffer.from(signature, 'base64')
  return given.length === own.length && timingSafeEqual(given, own)
}

const notSigned = () =>
  new AppError(
    'unauthenticated',
    'webhook_not_signed',
    'The request is not signed with the secret of the webhook. Create the webhook again.',
  )

const tooMany = () =>
  new HttpError(503, 'Too many webhooks arrive at a time. Send it again.', { 'retry-after': '1' })
