import { PassThrough } from 'node:stream'
import { answerTo } from './errors.ts'
import type { HttpReply, HttpRequest } from './http-app.ts'

const mediaType = 'application/x-ndjson'

/** Whether a client asks for one JSON object in each line. */
export function acceptsLines({ headers }: HttpRequest): boolean {
  return (headers.accept ?? '').toLowerCase().includes(mediaType)
}

/** How a route describes `sendLines`. */
export const linesDescription =
  'With `Accept: application/x-ndjson` the answer has one JSON object in each line: `{"type": "stage"}` when a stage ' +
  'starts and when it has finished (`state`), and at the end `{"type": "result"}` with the same answer as `result`.'

/**
 * Sends the stages of a test while it runs, one JSON object in each line, and the answer at the end. Browsers read it
 * with `fetch`, which can send a body, unlike an `EventSource`. A test that cannot start throws, and is answered as usual.
 */
export async function sendLines<Event extends object>(
  reply: HttpReply,
  run: (onStage: (event: Event) => void) => Promise<object>,
): Promise<HttpReply> {
  const lines = new PassThrough()
  const write = (line: object) => {
    if (lines.writable) lines.write(`${JSON.stringify(line)}\n`)
  }
  // A client that has disconnected; the test is stopped by its signal.
  lines.on('error', () => undefined)
  const begun = Promise.withResolvers<undefined>()
  const finished = run((event) => {
    write({ type: 'stage', ...event })
    begun.resolve(undefined)
  })
  await Promise.race([begun.promise, finished])
  finished
    .then(
      (result) => write({ type: 'result', result }),
      (error: unknown) => {
        const { id, log } = reply.request
        const { status, body } = answerTo(error, id)
        if (status >= 500) log.error({ requestId: id, err: error }, 'request failed')
        write({ type: 'error', ...body })
      },
    )
    .finally(() => lines.end())
  reply.headers({
    'content-type': `${mediaType}; charset=utf-8`,
    // Proxies must neither compress nor collect the lines.
    'cache-control': 'no-store, no-transform',
    'x-accel-buffering': 'no',
  })
  return reply.send(lines)
}
