import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { ErrorBody } from './error-body.ts'

/**
 * Answers what Node would refuse by itself, without a word: an expectation that nobody can meet (RFC 9110,
 * section 10.1.1), and CONNECT, which is for proxies.
 */
export function addNodeRefusals(server: Server): void {
  server.on('checkExpectation', (_request: IncomingMessage, response: ServerResponse) => {
    const { text, headers } = refusal('The only Expect that can be met is 100-continue.')
    response.writeHead(417, { ...headers, connection: 'close' }).end(text)
  })
  server.on('connect', (_request: IncomingMessage, socket: Socket) => {
    const { text, headers } = refusal('CONNECT is not possible: this is no proxy.')
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
    socket.end(
      `HTTP/1.1 405 Method Not Allowed\r\n${lines.join('')}connection: close\r\nallow: \r\n\r\n${text}`,
    )
  })
}

function refusal(error: string) {
  const body: ErrorBody = { success: false, error }
  const text = JSON.stringify(body)
  const headers = {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(text),
  }
  return { text, headers }
}
