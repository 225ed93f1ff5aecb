import type { HttpReply } from './http-app.ts'

/** Returns a signal that is aborted when the client disconnects before it has the answer. */
export function disconnected(reply: HttpReply): AbortSignal {
  const controller = new AbortController()
  if (reply.raw.destroyed) controller.abort()
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) controller.abort()
  })
  return controller.signal
}
