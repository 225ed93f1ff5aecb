import { Readable } from 'node:stream'

/** How much of a request is dropped after its answer, in bytes; for how long; and after what silence no more. */
const restLimits = { bytes: 64 * 1024 * 1024, durationMs: 30_000, silenceMs: 5_000 }

/**
 * The text of an answer that is sent before its request has ended. It ends only after the rest is dropped:
 * with the answer the connection ends, and a client that still writes then sees that it is broken, and not
 * the answer. The answer must say how long it is, so that the client need not wait for its end.
 */
export function answerBeforeRest(text: string, request: Readable): Readable {
  const write = async function* () {
    yield text
    await dropRest(request)
  }
  return Readable.from(write(), { objectMode: false })
}

/** Reads what is left of a request and drops it, to its end or to the first of the limits. */
export function dropRest(request: Readable, limits = restLimits): Promise<void> {
  if (request.readableEnded || request.destroyed) return Promise.resolve()
  return new Promise((resolve) => {
    let bytes = 0
    const finish = () => {
      clearTimeout(duration)
      clearTimeout(silence)
      request.off('data', drop)
      resolve()
    }
    const drop = (chunk: Buffer) => {
      silence.refresh()
      bytes += chunk.length
      if (bytes > limits.bytes) finish()
    }
    const duration = setTimeout(finish, limits.durationMs)
    const silence = setTimeout(finish, limits.silenceMs)
    request.on('data', drop).once('end', finish).once('close', finish).on('error', finish)
    request.resume()
  })
}
