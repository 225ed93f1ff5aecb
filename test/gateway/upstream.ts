import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

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
  close(): Promise<void>
}

/** Starts one on a free port of loopback, or on the port of one that was closed. */
export async function startUpstream(port = 0): Promise<Upstream> {
  const requests: ReceivedRequest[] = []
  const server = createServer((request, response) => {
    const { method = '', url = '', headers, rawHeaders } = request
    requests.push({ method, url, headers, rawHeaders })
    upstream.answer(request, response)
  }).listen(port, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address() as AddressInfo
  const upstream: Upstream = {
    url: `http://127.0.0.1:${address.port}`,
    port: address.port,
    requests,
    answer: (request, response) => sendJson(response, 200, { path: request.url }),
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
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
