import type { Readable } from 'node:stream'
import Type from 'typebox'
import { AppError } from '../../../kit/app-error.ts'
import {
  bodySizeBytesMax,
  type HttpApp,
  type HttpRequest,
  ReceivedBytes,
} from '../../../platform/http/index.ts'
import type { EventReceiver } from './event-receiver.ts'
import type { StoredWebhook } from './transport-webhook-store.ts'

const path = '/webhooks/transports/:id/:secret'
const success = { success: true as const }

/** Adds the addresses that providers call. Who does not know the secret of one is refused before the body is read. */
export function addReceiveRoute(app: HttpApp, receiver: EventReceiver): void {
  const webhooks = new WeakMap<HttpRequest, StoredWebhook>()
  const received = new ReceivedBytes()
  const findWebhook = async (request: HttpRequest) => {
    const { id, secret } = request.params as { id: string; secret: string }
    webhooks.set(request, await receiver.find(id, secret, request.ip))
  }
  const schema = { hide: true, params: Type.Object({ id: Type.String(), secret: Type.String() }) }
  const config = { permission: 'public' as const }
  // Providers request an address before they use it. The route of HEAD is added with it.
  app.get(path, { schema, config, onRequest: findWebhook }, () => success)
  void app.register(async (scope: HttpApp) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', async (request: HttpRequest, body: Readable) => {
      const webhook = getWebhook(request)
      const target = `webhook ${webhook.key.transportId} ${webhook.key.provider}`
      const counted = received.open({ target, address: request.ip })
      try {
        return await scope.bodies.read(request, body, (piece) => counted.add(piece.length))
      } catch (error) {
        const isTooLarge = error instanceof AppError && error.kind === 'too_large'
        throw isTooLarge ? receiver.refuse(webhook, error) : error
      } finally {
        counted.release()
      }
    })
    const getWebhook = (request: HttpRequest) => {
      const webhook = webhooks.get(request)
      if (webhook === undefined) throw new Error('The webhook of the request is unknown.')
      return webhook
    }
    const options = {
      schema: { ...schema, body: Type.Unsafe<unknown>(Type.Unknown()) },
      config,
      bodyLimit: bodySizeBytesMax,
      onRequest: findWebhook,
    }
    scope.post(path, options, async (request) => {
      const headers = Object.fromEntries(
        Object.entries(request.headers).map(([name, value]) => [name, [value].flat().join(', ')]),
      )
      // Without any body there is an empty object.
      const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
      await receiver.receive(getWebhook(request), { headers, body })
      return success
    })
  })
}
