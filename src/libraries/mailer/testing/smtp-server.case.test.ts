import { type AddressInfo, createServer, type Socket } from 'node:net'
import { createSecureContext, type SecureContextOptions, TLSSocket } from 'node:tls'
import type { IssuedCertificate } from './certificates.case.test.ts'

/** A point of the dialogue at which the server can do something else than usual. */
export type Step =
  | 'connect'
  | 'handshake'
  | 'greeting'
  | 'ehlo'
  | 'helo'
  | 'starttls'
  | 'auth'
  | 'answer'
  | 'mail'
  | 'rcpt'
  | 'data'
  | 'body'
  | 'dot'
  | 'rset'
  | 'noop'
  | 'quit'

/** What it does there: a reply (lines without CRLF), or bytes as they are, and then something worse. */
export type Action =
  | string
  | { say?: string; bytes?: string | Buffer; end?: 'close' | 'reset' | 'hang' }
  | { stopReading: true }

/** A script: an action for a step, or one made from the command and how often the step came before;
 * undefined for the usual. */
export type Script = Partial<
  Record<Step, Action | ((line: string, before: number) => Action | undefined)>
>

export interface ScriptedServerOptions {
  script?: Script
  /** Extensions besides those that follow from the other options. */
  extensions?: string[]
  hasPipelining?: boolean
  /** TLS from the first byte, or by STARTTLS. */
  tls?: 'implicit' | 'starttls' | undefined
  certificate?: IssuedCertificate
  secureOptions?: SecureContextOptions
  /** Whether it drops what comes right behind a message, as RFC 2920 forbids. */
  losesPipelined?: boolean
  /** Whether it keeps its side of a connection open when the client has closed its own. */
  isHalfOpen?: boolean
  /** Where it listens. Default: 127.0.0.1. */
  address?: string
}

/** A message that arrived whole. */
export interface ReceivedMessage {
  from: string
  to: string[]
  data: string
  /** Whether the server said so. */
  isAccepted: boolean
}

/** An SMTP server on the loopback interface that does what its script says. */
export interface ScriptedServer {
  port: number
  /** Every message whose end arrived, accepted or not. */
  received: ReceivedMessage[]
  /** Every command, over all sessions. */
  commands: string[]
  sessions(): number
  openSockets(): number
  /** Closes the server's side of every connection and waits until the clients have seen it. */
  dropConnections(): Promise<void>
  close(): Promise<void>
}

/** Starts one on a free port. */
export async function startScriptedServer(
  options: ScriptedServerOptions = {},
): Promise<ScriptedServer> {
  const sockets = new Set<Socket>()
  const counts = new Map<Step, number>()
  const state: ServerState = { options, counts, received: [], commands: [] }
  let sessions = 0
  const { isHalfOpen: allowHalfOpen = false } = options
  const server = createServer({ noDelay: true, allowHalfOpen }, (socket) => {
    sessions += 1
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    socket.on('error', () => undefined)
    new Session(socket, state).begin()
  })
  await new Promise<void>((resolve) => server.listen(0, options.address ?? '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    received: state.received,
    commands: state.commands,
    sessions: () => sessions,
    openSockets: () => sockets.size,
    async dropConnections() {
      for (const socket of sockets) socket.end()
      while (sockets.size > 0) await new Promise((resolve) => setTimeout(resolve, 5))
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        for (const socket of sockets) socket.destroy()
      }),
  }
}

interface ServerState {
  options: ScriptedServerOptions
  counts: Map<Step, number>
  received: ReceivedMessage[]
  commands: string[]
}

const commands: Record<string, [Step, string]> = {
  HELO: ['helo', '250 test'],
  MAIL: ['mail', '250 2.1.0 Ok'],
  RCPT: ['rcpt', '250 2.1.5 Ok'],
  DATA: ['data', '354 Go ahead'],
  RSET: ['rset', '250 2.0.0 Ok'],
  NOOP: ['noop', '250 2.0.0 Ok'],
}

const endOfMessage = '\r\n.\r\n'

class Session {
  #socket: Socket
  readonly #state: ServerState
  #rest = ''
  /** What came of a message so far, and its last characters: a large message is searched for its end only once. */
  #body: string[] = []
  #tail = '\r\n'
  #isData = false
  #answers = 0
  #message: ReceivedMessage = { from: '', to: [], data: '', isAccepted: false }
  #hasSender = false
  #isSecure = false
  #isDeaf = false

  constructor(socket: Socket, state: ServerState) {
    this.#socket = socket
    this.#state = state
  }

  begin(): void {
    if (!this.#act('connect', '', undefined)) return
    if (this.#state.options.tls === 'implicit') this.#secure(() => this.#greet())
    else this.#greet()
  }

  #greet(): void {
    this.#socket.on('data', (chunk: Buffer) => this.#read(chunk))
    this.#act('greeting', '', '220 test ESMTP')
  }

  #secure(done: () => void): void {
    if (this.#state.options.script?.handshake !== undefined) {
      this.#socket.removeAllListeners('data')
      this.#socket.once('data', () => this.#act('handshake', '', undefined))
      return
    }
    const { certificate, secureOptions } = this.#state.options
    this.#socket.removeAllListeners('data')
    const secureContext = createSecureContext({ ...certificate, ...secureOptions })
    const secured = new TLSSocket(this.#socket, { isServer: true, secureContext })
    secured.on('error', () => undefined)
    secured.once('secure', () => {
      this.#socket = secured
      this.#isSecure = true
      done()
    })
  }

  #read(chunk: Buffer): void {
    if (this.#isDeaf) return
    this.#rest += chunk.toString('latin1')
    while (!this.#isDeaf) {
      if (this.#isData) {
        if (!this.#readBody()) return
        continue
      }
      const end = this.#rest.indexOf('\r\n')
      if (end === -1) return
      const line = this.#rest.slice(0, end)
      this.#rest = this.#rest.slice(end + 2)
      this.#command(line)
    }
  }

  #readBody(): boolean {
    // The first bytes of a message are enough for a fault in its middle.
    if (this.#rest.length > 0 && this.#state.options.script?.body !== undefined)
      if (!this.#act('body', '', undefined)) return false
    const window = this.#tail + this.#rest
    const end = window.indexOf(endOfMessage)
    if (end === -1) {
      this.#body.push(this.#rest)
      this.#tail = window.slice(1 - endOfMessage.length)
      this.#rest = ''
      return false
    }
    const used = end + endOfMessage.length - this.#tail.length
    this.#message.data = (this.#body.join('') + this.#rest.slice(0, used)).slice(0, -'.\r\n'.length)
    this.#rest = this.#rest.slice(used)
    this.#body = []
    this.#tail = '\r\n'
    this.#isData = false
    this.#state.received.push(this.#message)
    if (this.#state.options.losesPipelined) this.#rest = ''
    const message = this.#message
    this.#hasSender = false
    this.#message = { from: '', to: [], data: '', isAccepted: false }
    this.#act('dot', message.from, '250 2.0.0 Ok: queued as TEST1', (code) => {
      message.isAccepted = code.startsWith('2')
    })
    return true
  }

  #command(line: string): void {
    this.#state.commands.push(line)
    const verb = line.slice(0, 4).toUpperCase()
    const [step, usual] = commands[verb] ?? ['noop', '500 5.5.2 Unknown']
    const reply = this.#isInSequence(verb) ? usual : '503 5.5.1 Bad sequence of commands'
    if (this.#answers > 0) this.#answerLogin(line)
    else if (verb === 'EHLO') this.#act('ehlo', line, this.#extensions())
    else if (verb === 'STAR') this.#startTls(line)
    else if (verb === 'AUTH') this.#login(line)
    else if (verb === 'QUIT') this.#act('quit', line, { say: '221 Bye', end: 'close' })
    else this.#act(step, line, reply, (code) => this.#note(verb, line, code))
  }

  #isInSequence(verb: string): boolean {
    if (verb === 'RCPT') return this.#hasSender
    return verb !== 'DATA' || this.#message.to.length > 0
  }

  #note(verb: string, line: string, code: string): void {
    const address = /<(.*?)>/.exec(line)?.[1] ?? ''
    if (verb === 'MAIL' || verb === 'RSET') {
      this.#hasSender = verb === 'MAIL' && code.startsWith('2')
      this.#message = { from: address, to: [], data: '', isAccepted: false }
    }
    if (verb === 'RCPT' && code.startsWith('2')) this.#message.to.push(address)
    if (verb === 'DATA' && code === '354') this.#isData = true
  }

  #extensions(): string {
    const { extensions = [], hasPipelining = true, tls } = this.#state.options
    const lines = ['test', ...extensions]
    if (hasPipelining) lines.push('PIPELINING')
    if (tls === 'starttls' && !this.#isSecure) lines.push('STARTTLS')
    return lines
      .map((line, index) => `250${index === lines.length - 1 ? ' ' : '-'}${line}`)
      .join('\r\n')
  }

  #startTls(line: string): void {
    this.#act('starttls', line, '220 2.0.0 Ready', (code) => {
      if (code.startsWith('2'))
        this.#secure(() => this.#socket.on('data', (chunk: Buffer) => this.#read(chunk)))
    })
  }

  #login(line: string): void {
    const [, mechanism = '', initial] = line.split(' ')
    if (mechanism === 'LOGIN') this.#answers = 2
    else if (mechanism === 'CRAM-MD5' || initial === undefined) this.#answers = 1
    const prompt = mechanism === 'LOGIN' ? '334 VXNlcm5hbWU6' : `334 ${challenge}`
    const usual = this.#answers > 0 ? prompt : '235 2.7.0 Ok'
    this.#act('auth', line, usual, (code) => {
      if (code !== '334') this.#answers = 0
      else if (this.#answers === 0) this.#answers = 1
    })
  }

  #answerLogin(line: string): void {
    this.#answers -= 1
    const usual = this.#answers > 0 ? '334 UGFzc3dvcmQ6' : '235 2.7.0 Ok'
    this.#act('answer', line, usual, (code) => {
      if (code === '334' && this.#answers === 0) this.#answers = 1
      if (code !== '334') this.#answers = 0
    })
  }

  /** Does what the script says, or the default. Returns whether the dialogue continues. */
  #act(
    step: Step,
    line: string,
    usual: Action | undefined,
    said?: (code: string) => void,
  ): boolean {
    const before = this.#state.counts.get(step) ?? 0
    this.#state.counts.set(step, before + 1)
    const scripted = this.#state.options.script?.[step]
    const action = (typeof scripted === 'function' ? scripted(line, before) : scripted) ?? usual
    if (action === undefined) return true
    if (typeof action === 'string') {
      this.#socket.write(`${action}\r\n`)
      said?.(action.slice(0, 3))
      return true
    }
    if ('stopReading' in action) {
      this.#isDeaf = true
      this.#socket.pause()
      return false
    }
    if (action.say !== undefined) this.#socket.write(`${action.say}\r\n`)
    if (action.bytes !== undefined) this.#socket.write(action.bytes)
    if (action.end === undefined) return true
    this.#isDeaf = true
    if (action.end === 'close') this.#socket.end()
    if (action.end === 'reset') {
      if (this.#isSecure) this.#socket.destroy()
      // Not before the client has seen that it is connected.
      else setTimeout(() => this.#socket.resetAndDestroy(), step === 'connect' ? 30 : 0)
    }
    return false
  }
}

/** "<1896.697170952@test>", as RFC 2195 has it. */
export const challenge = Buffer.from('<1896.697170952@test>').toString('base64')
