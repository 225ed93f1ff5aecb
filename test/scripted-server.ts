import type { AddressInfo } from 'node:net'
import { after, before } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { SMTPServer } from 'smtp-server'

/** What a server does with a recipient: refuse it, or take the message and disconnect without a reply. */
export type ServerAct = { code: number; text: string } | 'hang up' | undefined

/** A real SMTP server that does what a test says; both may change at any time. */
export interface ScriptedServer {
  dsn: string
  port: number
  /** The recipients of the messages that it accepted, in order. */
  taken: string[]
  /** The recipients of all RCPT commands, in order. */
  asked: string[]
  act: (recipient: string) => ServerAct
  delayMs: number
  /** Messages are accepted once it is resolved. */
  gate: Promise<void> | undefined
  stop(): Promise<void>
}

/** Starts a server that accepts everything unless `act` says otherwise; on a free port by default. */
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
        void setTimeout(scripted.delayMs).then(async () => {
          await scripted.gate
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
    gate: undefined,
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
