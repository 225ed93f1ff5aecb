import type { AddressInfo } from 'node:net'
import { after, before } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { SMTPServer } from 'smtp-server'

/** What a server does with a recipient: refuse him, or take the message and hang up without a word. */
export type ServerAct = { code: number; text: string } | 'hang up' | undefined

/** A real SMTP server that does what a test says; both may change at any time. */
export interface ScriptedServer {
  dsn: string
  port: number
  /** Of the messages that it took, in order. */
  taken: string[]
  /** What became of a recipient each time he was named, in order. */
  asked: string[]
  act: (recipient: string) => ServerAct
  delayMs: number
  stop(): Promise<void>
}

/** Starts a server that takes everything until it is told otherwise; on a free port unless one is given. */
export async function startScriptedServer(port = 0): Promise<ScriptedServer> {
  const { scripted, listen } = createScriptedServer()
  await listen(port)
  return scripted
}

/** The same for the tests of one suite: it listens before the first of them, and is stopped after the last. */
export function useScriptedServer(): ScriptedServer {
  const { scripted, listen } = createScriptedServer()
  before(() => listen(0))
  after(() => scripted.stop())
  return scripted
}

function createScriptedServer() {
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    disableReverseLookup: true,
    closeTimeout: 200,
    onRcptTo({ address }, _session, done) {
      scripted.asked.push(address)
      const act = scripted.act(address)
      if (act === undefined || act === 'hang up') return done()
      done(Object.assign(new Error(act.text), { responseCode: act.code }))
    },
    onData(stream, { envelope, id }, done) {
      stream.resume()
      stream.on('end', () => {
        const recipient = envelope.rcptTo[0]?.address ?? ''
        const isHangUp = scripted.act(recipient) === 'hang up'
        if (isHangUp) return hangUp(server, id)
        void setTimeout(scripted.delayMs).then(() => {
          scripted.taken.push(recipient)
          done()
        })
      })
    },
  })
  server.on('error', () => undefined)
  const scripted: ScriptedServer = {
    dsn: '',
    port: 0,
    taken: [],
    asked: [],
    act: () => undefined,
    delayMs: 0,
    stop: () => new Promise((done) => server.close(done)),
  }
  const listen = async (port: number) => {
    await new Promise<void>((ready) => server.listen(port, '127.0.0.1', ready))
    scripted.port = (server.server.address() as AddressInfo).port
    scripted.dsn = `smtp://127.0.0.1:${scripted.port}`
  }
  return { scripted, listen }
}

interface Connection {
  id: string
  session: { id: string }
  _socket: { destroy(): void }
}

function hangUp(server: SMTPServer, sessionId: string): void {
  const { connections } = server as unknown as { connections: Set<Connection> }
  for (const connection of connections)
    if (connection.id === sessionId || connection.session.id === sessionId)
      connection._socket.destroy()
}
