import { setTimeout } from 'node:timers/promises'
import { SMTPServer } from 'smtp-server'

/** A message that a sink has taken responsibility for. */
export interface SunkMessage {
  recipient: string
  messageId: string
}

/** A real SMTP server that keeps who got what, and answers as slowly as it is told. */
export interface RecordingSink {
  dsn: string
  messages: SunkMessage[]
  stop(): Promise<void>
}

/** Starts a sink that takes its time with each message. */
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
        for (const { address } of envelope.rcptTo)
          messages.push({ recipient: address.toLowerCase(), messageId })
        void setTimeout(delayMs * (0.5 + Math.random())).then(() => done())
      })
    },
  })
  server.on('error', () => undefined)
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  const address = server.server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  return {
    dsn: `smtp://127.0.0.1:${port}`,
    messages,
    stop: () => new Promise((done) => server.close(done)),
  }
}
