import assert from 'node:assert/strict'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { afterEach, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { createMailer } from '../mailer.ts'
import type { MailerOptions } from '../mailer-options.ts'
import { shortMessage, messageTo as to } from '../testing/sample-message.case.test.ts'

/** Replies to what the connection received; `connection` counts from 0. */
type Respond = (text: string, socket: Socket, connection: number) => Promise<void> | void

/** Replies to an envelope and DATA. */
const accepting = '250 Ok\r\n250 Ok\r\n354 Go ahead\r\n'

const closing: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

/** Opens a transport to a server that greets, has PIPELINING and leaves the rest to the test, chunk by chunk. */
async function open(respond: Respond, options?: MailerOptions) {
  const sockets = new Set<Socket>()
  let connections = 0
  const server = createServer({ noDelay: true }, (socket) => {
    const connection = connections++
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.write('220 test\r\n')
    let answered = Promise.resolve()
    socket.on('data', (chunk: Buffer) => {
      const text = chunk.toString('latin1')
      if (text.startsWith('EHLO')) socket.write('250-test\r\n250 PIPELINING\r\n')
      else answered = answered.then(() => respond(text, socket, connection))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const transport = createMailer({ connectionsMax: 1, ...options }).open(`smtp://localhost:${port}`)
  closing.push(async () => {
    for (const socket of sockets) socket.destroy()
    await transport.close()
    await new Promise((resolve) => server.close(resolve))
  })
  return { transport, connections: () => connections }
}

test('a late reply to a refused message is not read as the reply to the next one', async () => {
  const bodies: string[] = []
  const { transport, connections } = await open(async (text, socket, connection) => {
    if (connection === 0 && text.includes('one@x.net')) {
      socket.write('250 Ok\r\n530 5.7.0 Log in first\r\n')
      await pause(200)
      socket.write('250 Ok\r\n354 Go ahead\r\n')
    } else if (text.startsWith('MAIL')) socket.write(accepting)
    else {
      bodies.push(text)
      if (text.endsWith('\r\n.\r\n')) socket.write('250 Ok\r\n')
    }
  })
  const refused = await transport.send(to('one@x.net', 'two@x.net'))
  assert.equal(refused.fault?.code, 'login_required')
  const next = await transport.send(to('next@x.net'))
  assert.equal(next.outcome, 'accepted', next.fault?.message)
  assert.equal(connections(), 2)
  assert.ok(!bodies.some((text) => text.startsWith('RSET') || text.startsWith('MAIL')))
})

test('a server that replies byte by byte has the same time limit as a silent one', async () => {
  const reply = '250-A very long story\r\n'.repeat(5)
  let writtenBytes = 0
  const { transport } = await open(
    async (_text, socket) => {
      for (const byte of reply) {
        if (socket.destroyed) return
        socket.write(byte)
        writtenBytes += 1
        await pause(50)
      }
    },
    { timeouts: { commandMs: 400 } },
  )
  const { fault } = await transport.send(shortMessage)
  assert.equal(fault?.code, 'stalled')
  assert.ok(writtenBytes < reply.length, 'the connection is closed before the reply is over')
})

test('a server that sends unsolicited replies is disconnected before they fill the memory', async () => {
  let sentBytes = 0
  let isOver = false
  const { transport } = await open(async (text, socket) => {
    if (text.startsWith('MAIL')) socket.write(accepting)
    else if (text.endsWith('\r\n.\r\n')) {
      socket.write('250 Ok\r\n')
      await pause(50)
      const line = `250 ${'x'.repeat(1000)}\r\n`.repeat(60)
      while (!socket.destroyed && sentBytes < 256 * 1024 * 1024) {
        if (!socket.write(line)) await pause(1)
        sentBytes += line.length
      }
      isOver = true
    }
  })
  assert.equal((await transport.send(shortMessage)).outcome, 'accepted')
  while (!isOver) await pause(20)
  assert.ok(sentBytes < 32 * 1024 * 1024, `took ${sentBytes} bytes`)
})

test('a cancelled send does not affect the reply to the previous message on the connection', async () => {
  let hasMessage = false
  const { promise: mayReply, resolve: letReply } = Promise.withResolvers<void>()
  const { transport } = await open(async (text, socket, connection) => {
    if (text.startsWith('MAIL')) socket.write(accepting)
    else {
      hasMessage = true
      if (connection === 0) await mayReply
      socket.write('250 Ok: queued as FIRST\r\n')
      if (text.includes('MAIL')) socket.write(accepting)
    }
  })
  const controller = new AbortController()
  const first = transport.send(shortMessage)
  const behind = transport.send(to('next@x.net'), { signal: controller.signal })
  while (!hasMessage) await pause(5)
  controller.abort()
  const { outcome, fault } = await behind
  assert.deepEqual([outcome, fault?.code], ['refused', 'cancelled'])
  letReply()
  assert.equal((await first).messageId, 'FIRST', (await first).fault?.message)
  assert.equal((await transport.send(shortMessage)).outcome, 'accepted')
})
