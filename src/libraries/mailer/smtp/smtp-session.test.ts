import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { test } from 'node:test'
import { noObserver } from '../delivery/stage.ts'
import { quitTimeoutMs, SmtpSession } from './smtp-session.ts'

test('a session is closed in time after QUIT, although the server goes on sending', {
  timeout: 60_000,
}, async (context) => {
  const server = createServer({ allowHalfOpen: true }, (peer) => {
    const timer = setInterval(() => peer.write('x'), 20)
    peer.on('error', () => undefined).on('close', () => clearInterval(timer))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  context.after(() => {
    socket.destroy()
    server.close()
  })
  await once(socket, 'data')
  const redact = (text: string) => text
  const session = new SmtpSession(socket, { server: 'test', redact, observer: noObserver })
  context.mock.timers.enable({ apis: ['setTimeout'] })
  session.quit()
  await once(socket, 'data')
  context.mock.timers.tick(quitTimeoutMs)
  await session.closed
  assert.ok(socket.destroyed)
})
