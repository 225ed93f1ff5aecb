// A server in the place of a Mautic that answers at once: `GET /api/emails/17` as recorded. gateway.ts starts it, and it
// writes its port.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { readRecording } from '../../../test/mautic-double/recordings.ts'

const body = Buffer.from(JSON.stringify(readRecording('033').response.body))
const headers = {
  'content-type': 'application/json',
  'content-length': body.length,
  'cache-control': 'no-cache, private',
  'mautic-version': '5.1.0',
}

const server = createServer((request, response) => {
  if (request.url === '/api/emails/17') response.writeHead(200, headers).end(body)
  else response.writeHead(404, { 'content-length': 0 }).end()
})

server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${(server.address() as AddressInfo).port}\n`)
})
