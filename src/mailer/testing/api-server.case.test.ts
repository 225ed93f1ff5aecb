import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { IssuedCertificate } from './certificates.case.test.ts'

/** A request as it came in. */
export interface RecordedRequest {
  method: string
  path: string
  headers: IncomingMessage['headers']
  body: string
}

/** What the server does with a request. */
export type Answer =
  | { status: number; headers?: Record<string, string>; body?: string }
  /** Close the connection instead, before or in the middle of the answer. */
  | { fault: 'close' | 'hang' | 'cut' }

/** A local HTTPS server that stands for a provider's. */
export interface ApiServer {
  /** `localhost:port`. */
  host: string
  requests: RecordedRequest[]
  /** How many connections were opened so far. */
  connections(): number
  /** What the next requests get; a function looks at each. */
  answerWith(answer: Answer | ((request: RecordedRequest) => Answer)): void
  close(): Promise<void>
}

/** Starts one on a free port of the loopback interface. */
export async function startApiServer(certificate: IssuedCertificate): Promise<ApiServer> {
  let next: (request: RecordedRequest) => Answer = () => ({ status: 200, body: '{}' })
  let connections = 0
  const requests: RecordedRequest[] = []
  const server = createServer(certificate, (incoming, outgoing) => {
    const chunks: Buffer[] = []
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
    incoming.on('end', () => {
      const { method = '', url: path = '', headers } = incoming
      const request = { method, path, headers, body: Buffer.concat(chunks).toString('utf8') }
      requests.push(request)
      respond(outgoing, next(request))
    })
  })
  server.on('secureConnection', () => {
    connections += 1
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    host: `localhost:${(server.address() as AddressInfo).port}`,
    requests,
    connections: () => connections,
    answerWith(answer) {
      next = typeof answer === 'function' ? answer : () => answer
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function respond(outgoing: ServerResponse, answer: Answer): void {
  if ('status' in answer) {
    outgoing.writeHead(answer.status, answer.headers)
    outgoing.end(answer.body ?? '')
  } else if (answer.fault === 'close') outgoing.socket?.destroy()
  else if (answer.fault === 'cut') {
    outgoing.writeHead(200, { 'content-length': 1000 })
    outgoing.write('{"half":')
    setTimeout(() => outgoing.socket?.destroy(), 20)
  }
}
