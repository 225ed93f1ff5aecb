import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { test } from 'node:test'
import { answerBrokenHttp } from './node-server.ts'

test('a body that does not arrive in time is answered 408, and dropped even if the client goes on sending', async (context) => {
  const server = createServer({ requestTimeout: 100, connectionsCheckingInterval: 20 })
  context.after(() => server.close())
  server.on('clientError', (error, socket) => answerBrokenHttp(error, socket as never, 20))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const client = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  client.on('error', () => undefined)
  client.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n')
  const sending = setInterval(() => client.write('x'), 5)
  context.after(() => {
    clearInterval(sending)
    client.destroy()
  })
  const [request] = (await once(server, 'request')) as [IncomingMessage]
  const closed = new Promise((resolve) => request.once('close', resolve))
  request.on('error', () => undefined).resume()
  const [answer] = (await once(client, 'data')) as [Buffer]
  assert.match(String(answer), /^HTTP\/1\.1 408 /)
  await closed
})
