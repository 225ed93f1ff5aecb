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
export type ScriptedResponse =
  | { status: number; headers?: Record<string, string>; body?: string }
  /** Close the connection instead, before or during the response. */
  | { fault: 'close' | 'hang' | 'cut' }

/** A response in JSON. */
export const json = (status: number, value: unknown) => ({ status, body: JSON.stringify(value) })

/** What a request gets, now or later. */
type Respond = (request: RecordedRequest) => ScriptedResponse | Promise<ScriptedResponse>

/** A local HTTPS server that stands for a provider's. */
export interface ApiServer {
  /** `localhost:port`. */
  host: string
  requests: RecordedRequest[]
  /** How many connections were opened so far. */
  connections(): number
  /** What the next requests get; a function looks at each. */
  respondWith(response: ScriptedResponse | Respond): void
  close(): Promise<void>
}

/** Starts one on a free port of the loopback interface. */
export async function startApiServer(certificate: IssuedCertificate): Promise<ApiServer> {
  let next: Respond = () => ({ status: 200, body: '{}' })
  let connections = 0
  const requests: RecordedRequest[] = []
  const server = createServer(certificate, (incoming, outgoing) => {
    const chunks: Buffer[] = []
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
    incoming.on('end', () => {
      const { method = '', url: path = '', headers } = incoming
      const request = { method, path, headers, body: Buffer.concat(chunks).toString('utf8') }
      requests.push(request)
      void Promise.resolve(next(request)).then((response) => respond(outgoing, response))
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
    respondWith(response) {
      next = typeof response === 'function' ? response : () => response
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function respond(outgoing: ServerResponse, response: ScriptedResponse): void {
  if ('status' in response) {
    outgoing.writeHead(response.status, response.headers)
    outgoing.end(response.body ?? '')
  } else if (response.fault === 'close') outgoing.socket?.destroy()
  else if (response.fault === 'cut') {
    outgoing.writeHead(200, { 'content-length': 1000 })
    outgoing.write('{"half":')
    setTimeout(() => outgoing.socket?.destroy(), 20)
  }
}

/** A part of a recorded form: its header lines and its text. */
export interface RecordedPart {
  head: string
  value: string
}

/** Parses a recorded multipart form. Bytes that are not UTF-8 were lost in recording. */
export function formParts({ headers, body }: RecordedRequest): RecordedPart[] {
  const boundary = /^multipart\/form-data; boundary=([\w-]+)$/.exec(headers['content-type'] ?? '')
  if (boundary === null) throw new Error('The request is no multipart form.')
  return body
    .split(`--${boundary[1]}`)
    .slice(1, -1)
    .map((part) => {
      const [head = '', ...value] = part.replace(/^\r\n|\r\n$/g, '').split('\r\n\r\n')
      return {
        head: head.replace('Content-Disposition: form-data; ', ''),
        value: value.join('\r\n\r\n'),
      }
    })
}
