import type { Socket } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { SMTPServer } from 'smtp-server'

/** A message that a sink has taken responsibility for. */
export interface SunkMessage {
  recipient: string
  messageId: string
  /** In milliseconds of a clock that only goes forward. */
  receivedAt: number
}

/** An SMTP server that records each message by recipient, and waits before it answers. */
export interface RecordingSink {
  dsn: string
  messages: SunkMessage[]
  /** The most connections that were open at a time. */
  connections: { most: number }
  stop(): Promise<void>
}

/** Starts a sink that answers each message after `delayMs`. */
export async function startRecordingSink(delayMs: number): Promise<RecordingSink> {
  const messages: SunkMessage[] = []
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    disableReverseLookup: true,
    closeTimeout: 500,
    onData(stream, { envelope }, done) {
      let text = ''
      stream.on('data', (chunk: Buffer) => {
        text += chunk.toString('latin1')
      })
      stream.on('end', () => {
        const messageId = /^Message-ID: (.*)\r$/im.exec(text)?.[1] ?? ''
        const receivedAt = performance.now()
        for (const { address } of envelope.rcptTo)
          messages.push({ recipient: address.toLowerCase(), messageId, receivedAt })
        void setTimeout(delayMs * (0.5 + Math.random())).then(() => done())
      })
    },
  })
  server.on('error', () => undefined)
  const sockets = new Set<Socket>()
  const connections = { most: 0 }
  server.server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    // The server is done with those that it has ended.
    const open = [...sockets].filter((each) => !each.writableEnded)
    connections.most = Math.max(connections.most, open.length)
  })
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  const address = server.server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  return {
    dsn: `smtp://127.0.0.1:${port}`,
    messages,
    connections,
    stop: () => new Promise((done) => server.close(done)),
  }
}
