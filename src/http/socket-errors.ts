import type { Socket } from 'node:net'
import type { ErrorBody } from './error-body.ts'

interface SocketError extends Error {
  code?: string
}

const answers = new Map<string, [status: string, message: string]>([
  ['HPE_HEADER_OVERFLOW', ['431 Request Header Fields Too Large', 'The headers are too large.']],
  ['ERR_HTTP_REQUEST_TIMEOUT', ['408 Request Timeout', 'The request did not arrive in time.']],
  [
    'HPE_CHUNK_EXTENSIONS_OVERFLOW',
    ['413 Payload Too Large', 'The chunk extensions are too large.'],
  ],
])

/** Answers what is not HTTP at all, in the shape of every other error, and hangs up. */
export function answerBrokenHttp(error: SocketError, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const fallback: [string, string] = ['400 Bad Request', 'The request is not proper HTTP.']
  const [status, message] = answers.get(error.code ?? '') ?? fallback
  const body: ErrorBody = { success: false, error: message }
  const text = JSON.stringify(body)
  const head = [
    `HTTP/1.1 ${status}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(text)}`,
    'Connection: close',
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${text}`)
}
