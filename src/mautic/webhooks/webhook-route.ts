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
import { createReceivedBytes, type ReceivedBody } from './received-bytes.ts'

/** What the route of webhooks needs. */
export interface WebhookReceiver {
  /** Returns the secret that signs the webhooks of a published Mautic; undefined if there is none. */
  findSecret(mauticId: number): Promise<string | undefined>
  apply(mauticId: number, events: WebhookEvents): Promise<void>
}

const megabyte = 1_048_576
/** Mautic sends the content of the email with each message, and several events in one request. */
const bodyBytesMax = 8 * megabyte
/** Of the bodies that are being received. A network may send two of the largest. */
const receivedBytesMax = { all: 64 * megabyte, mautic: 32 * megabyte, network: 16 * megabyte }

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
      return receive(body, hmac, counted).finally(() => counted.release())
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

/** Receives a body and adds its pieces to a signature: all at once would take milliseconds. */
async function receive(body: Readable, hmac: Hmac, counted: ReceivedBody): Promise<Buffer> {
  const chunks: Buffer[] = []
  let bytes = 0
  // A destroyed body has no socket for the answer.
  const pieces = body.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>
  for await (const chunk of pieces) {
    bytes += chunk.length
    const isWithin = counted.add(chunk.length)
    if (bytes > bodyBytesMax) throw tooLarge()
    if (!isWithin) throw tooMany()
    hmac.update(chunk)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
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

// The rest of the body is not read.
const close = { connection: 'close' }

const tooLarge = () => new HttpError(413, 'The webhook is larger than 8 MiB.', close)

const tooMany = () =>
  new HttpError(503, 'Too many webhooks arrive at a time. Send it again.', {
    ...close,
    'retry-after': '1',
  })
