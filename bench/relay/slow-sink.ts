import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { createInterface } from 'node:readline'
import { setTimeout } from 'node:timers/promises'
import type { SmtpSink } from '../mailer/smtp-sink.ts'

/** Starts an SMTP server on a free port of loopback that answers each step after a time, and drops every message. */
export async function startSlowSink(delayMs: number): Promise<SmtpSink> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => socket.destroy())
    socket.on('close', () => sockets.delete(socket))
    void serve(socket, delayMs)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    connections: () => sockets.size,
    async stop() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

async function serve(socket: Socket, delayMs: number): Promise<void> {
  const answer = async (reply: string) => {
    await setTimeout(delayMs)
    socket.write(`${reply}\r\n`)
  }
  await answer('220 slow.test ESMTP')
  let isBody = false
  for await (const line of createInterface({ input: socket })) {
    const verb = line.slice(0, 4).toUpperCase()
    if (isBody && line !== '.') continue
    if (isBody || verb !== 'DATA') await answer(verb === 'QUIT' ? '221 2.0.0 Bye' : '250 2.0.0 OK')
    else await answer('354 Go on')
    isBody = !isBody && verb === 'DATA'
    if (verb === 'QUIT') socket.end()
  }
}
