// The shortest proxy that undici makes: `node:http` in, `stream` out, all headers as they are. gateway.ts compares with it.
// Its argument is the URL of the server behind it, and it writes its port.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Agent, type Dispatcher } from 'undici'

const origin = process.argv[2] ?? ''
const agent = new Agent({ connections: 128 })

const server = createServer((request, response) => {
  const { method, url = '/', headers } = request
  const options = {
    origin,
    path: url,
    method: method as Dispatcher.HttpMethod,
    headers: { ...headers, connection: undefined },
    body: method === 'GET' ? null : request,
  }
  agent
    .stream(options, ({ statusCode, headers: received }) =>
      response.writeHead(statusCode, received),
    )
    .catch(() => response.destroy())
})

server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${(server.address() as AddressInfo).port}\n`)
})
