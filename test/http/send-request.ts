import { Agent, type IncomingMessage, request as openRequest } from 'node:http'
import type { HostileRequest } from './hostile-requests.ts'

/** An answer as it came. */
export interface RawAnswer {
  status: number
  headers: IncomingMessage['headers']
  text: string
}

/** Sends requests over connections that are kept. */
export interface Client {
  send(
    request: Omit<HostileRequest, 'caller'>,
    authorization: string | undefined,
  ): Promise<RawAnswer>
  close(): void
}

const patienceMs = 30_000

/** A client of the service at this address; it rejects where an answer does not come, or not whole. */
export function createClient(url: string): Client {
  const agent = new Agent({ keepAlive: true, maxSockets: 8 })
  const { hostname, port } = new URL(url)
  return {
    send: ({ method, target, headers, body }, authorization) =>
      new Promise((resolve, reject) => {
        const length = body === undefined ? {} : { 'content-length': String(body.length) }
        const sent = openRequest({
          agent,
          hostname,
          port,
          method,
          path: target,
          headers: {
            ...headers,
            ...length,
            ...(authorization === undefined ? {} : { authorization }),
          },
          timeout: patienceMs,
        })
        let isAnswered = false
        sent.once('response', (answer) => {
          isAnswered = true
          readAnswer(answer).then(resolve, reject)
        })
        sent.once('timeout', () => sent.destroy(new Error('No answer came in time.')))
        // An answer that comes before the whole request was read may cut the request short.
        sent.on('error', (error) => {
          if (!isAnswered) reject(error)
        })
        sent.end(body)
      }),
    close: () => agent.destroy(),
  }
}

async function readAnswer(answer: IncomingMessage): Promise<RawAnswer> {
  const { statusCode: status = 0, headers } = answer
  const chunks: Buffer[] = []
  for await (const chunk of answer) chunks.push(chunk as Buffer)
  return { status, headers, text: Buffer.concat(chunks).toString() }
}
