import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { before, test } from 'node:test'
import { asAdmin } from '../administrator.ts'
import { onMailyard } from '../on-each-database.ts'

const path = '/api/multipleTransports'
const rounds = 10
/** As much as a client writes at once. */
const pieceSize = 64 * 1024

/** Paths, and bodies far above what they take, in bytes. */
const tooLarge: [method: string, path: string, size: number][] = [
  ['POST', `${path}/new`, 5_000_000],
  ['PATCH', `${path}/1/edit`, 5_000_000],
  ['POST', `${path}/batch/new`, 20_000_000],
  ['POST', '/oauth/v2/token', 2_000_000],
]

onMailyard(
  'a client that writes all of a body before it reads the answer',
  { isOwn: true },
  (shared) => {
    let port: number
    before(async () => {
      port = Number(new URL(await shared.service.listen()).port)
    })

    for (const [method, url, size] of tooLarge) {
      for (const isChunked of [false, true]) {
        const how = isChunked ? 'in chunks' : 'with a Content-Length'
        test(`reads the 413 of ${method} ${url} for ${size} bytes ${how}`, async () => {
          for (let round = 0; round < rounds; round += 1) {
            const answer = await exchange(port, `${method} ${url}`, { size, isChunked })
            assert.match(answer, /^HTTP\/1\.1 413 /)
            assert.match(answer, /^connection: close\r$/im)
            const [head = '', body = ''] = answer.split('\r\n\r\n')
            assert.match(head, new RegExp(`^content-length: ${body.length}\\r?$`, 'im'))
            const { error } = JSON.parse(body) as Record<string, unknown>
            assert.match(String(error), /body is larger than \d+ bytes/)
          }
        })
      }
    }
  },
)

/** Writes a request to its end, then reads the answer to its end; rejects where the connection breaks. */
async function exchange(
  port: number,
  line: string,
  { size, isChunked }: { size: number; isChunked: boolean },
): Promise<string> {
  const socket = connect({ port, host: '127.0.0.1' })
  const broken = once(socket, 'close').then(() => undefined)
  const type = 'application/json'
  const framing = isChunked ? 'Transfer-Encoding: chunked' : `Content-Length: ${size}`
  socket.write(
    `${line} HTTP/1.1\r\nHost: a\r\nAuthorization: ${asAdmin}\r\nContent-Type: ${type}\r\n${framing}\r\n\r\n`,
  )
  for (let sent = 0; sent < size; sent += pieceSize) {
    const piece = 'x'.repeat(Math.min(pieceSize, size - sent))
    const text = isChunked ? `${piece.length.toString(16)}\r\n${piece}\r\n` : piece
    if (!socket.write(text)) await Promise.race([once(socket, 'drain'), broken])
  }
  if (isChunked) socket.write('0\r\n\r\n')
  let answer = ''
  for await (const chunk of socket) answer += String(chunk)
  return answer
}
