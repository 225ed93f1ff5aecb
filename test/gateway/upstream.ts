import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { after, afterEach, before } from 'node:test'
import { freePort } from '../free-port.ts'

/** A request that arrived at the upstream, without its body. */
export interface ReceivedRequest {
  method: string
  url: string
  headers: IncomingMessage['headers']
  rawHeaders: readonly string[]
}

/** Answers a request of a test. */
export type Answer = (request: IncomingMessage, response: ServerResponse) => void

/** A server in the place of a Mautic. It answers what the test says. */
export interface Upstream {
  readonly url: string
  readonly port: number
  readonly requests: readonly ReceivedRequest[]
  /** What it answers from now on. Default: 200 with `{"path": …}`. */
  answer: Answer
  /** Closes the port until `start` opens it again. */
  stop(): Promise<void>
  start(): Promise<void>
}

const echo: Answer = (request, response) => sendJson(response, 200, { path: request.url })

/** One for the tests of a suite, on a free port of loopback. Each of them finds it with its usual answer. */
export function useUpstream(usual = echo): Upstream {
  const requests: ReceivedRequest[] = []
  const server = createServer((request, response) => {
    const { method = '', url = '', headers, rawHeaders } = request
    requests.push({ method, url, headers, rawHeaders })
    upstream.answer(request, response)
  })
  const upstream = {
    url: '',
    port: 0,
    requests,
    answer: usual,
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
    async start() {
      await once(server.listen(upstream.port, '127.0.0.1'), 'listening')
      upstream.url = `http://127.0.0.1:${upstream.port}`
    },
  }
  before(async () => {
    upstream.port = await freePort()
    await upstream.start()
  })
  afterEach(() => {
    upstream.answer = usual
  })
  after(() => upstream.stop())
  return upstream
}

export function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string | string[]> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers })
  response.end(JSON.stringify(body))
}
