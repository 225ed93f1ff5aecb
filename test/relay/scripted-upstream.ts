import { createServer, type Server, type Socket } from 'node:net'

/** The steps of a mail server with a message, in order; it may disconnect at each, before it answers. */
export const upstreamSteps = [
  'connect',
  'greeting',
  'ehlo',
  'mail',
  'rcpt',
  'data',
  'body',
  'dot',
  'answer',
] as const
export type UpstreamStep = (typeof upstreamSteps)[number]

/** A message that a server has accepted: it must not be sent again. */
export interface TakenMail {
  from: string
  to: string[]
  /** As received, without dot-stuffing. */
  raw: Buffer
  /** Whether the 250 was written. */
  isAnswered: boolean
}

/** What a server does at a step: go on, reply otherwise, or disconnect, with the message accepted or not. */
export type Act = 'go' | 'disconnect' | 'accept and disconnect' | `${4 | 5}${string}`

/** Returns what to do at a step of the message of this sender ('' before MAIL). */
export type Script = (step: UpstreamStep, sender: string) => Act

/** An SMTP server on loopback that follows a script. */
export interface ScriptedUpstream {
  port: number
  taken: TakenMail[]
  /** What is done from now on. */
  script: Script
  close(): Promise<void>
}

export async function openScriptedUpstream(): Promise<ScriptedUpstream> {
  const sockets = new Set<Socket>()
  const upstream = { taken: [] as TakenMail[], script: (() => 'go') as Script }
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.on('close', () => sockets.delete(socket))
    serve(socket, upstream)
  })
  const port = await listen(server)
  return Object.assign(upstream, {
    port,
    close: async () => {
      const closed = new Promise((done) => server.close(done))
      for (const socket of sockets) socket.destroy()
      await closed
    },
  })
}

async function listen(server: Server): Promise<number> {
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('No port was given.')
  return address.port
}

interface Session {
  sender: string
  recipients: string[]
  isData: boolean
}

function serve(socket: Socket, upstream: { taken: TakenMail[]; script: Script }): void {
  const session: Session = { sender: '', recipients: [], isData: false }
  /** Sends `reply`, or what the script says instead; returns whether the session goes on. */
  const act = (step: UpstreamStep, reply: string): boolean => {
    const done = upstream.script(step, session.sender)
    if (done === 'disconnect' || done === 'accept and disconnect') {
      socket.destroy()
      return false
    }
    if (reply !== '') socket.write(`${done === 'go' ? reply : done}\r\n`)
    return done === 'go'
  }
  if (!act('connect', '') || !act('greeting', '220 upstream.test ESMTP')) return
  let input: Buffer = Buffer.alloc(0)
  /** The pieces of a message before `input`; they are joined once, at its end. */
  let body: Buffer[] = []
  socket.on('data', (chunk) => {
    input = Buffer.concat([input, chunk])
    while (!socket.destroyed) {
      const rest = session.isData ? takeBody(input) : takeLine(input)
      if (rest === undefined) return
      input = rest
    }
  })

  const takeLine = (bytes: Buffer): Buffer | undefined => {
    const end = bytes.indexOf('\r\n')
    if (end === -1) return undefined
    answerCommand(bytes.toString('utf8', 0, end))
    return bytes.subarray(end + 2)
  }
  const answerCommand = (line: string) => {
    const verb = line.slice(0, 4).toUpperCase()
    const address = /<([^>]*)>/.exec(line)?.[1] ?? ''
    if (verb === 'EHLO')
      act('ehlo', '250-upstream.test\r\n250-PIPELINING\r\n250-SMTPUTF8\r\n250 8BITMIME')
    else if (verb === 'MAIL') {
      Object.assign(session, { sender: address, recipients: [] })
      act('mail', '250 2.1.0 ok')
    } else if (verb === 'RCPT') {
      if (act('rcpt', '250 2.1.5 ok')) session.recipients.push(address)
    } else if (verb === 'DATA') {
      if (session.recipients.length === 0) socket.write('503 5.5.1 no recipients\r\n')
      else session.isData = act('data', '354 go ahead')
    } else if (verb === 'QUIT') socket.end('221 2.0.0 bye\r\n')
    else socket.write('250 2.0.0 ok\r\n')
  }
  const takeBody = (bytes: Buffer): Buffer | undefined => {
    if (bytes.length === 0 || !act('body', '')) return undefined
    const isEmpty = body.length === 0 && bytes.subarray(0, 3).equals(Buffer.from('.\r\n'))
    const end = isEmpty ? -2 : bytes.indexOf('\r\n.\r\n')
    if (end === -1) {
      // The end may lie across two pieces.
      const kept = Math.max(0, bytes.length - 4)
      body.push(bytes.subarray(0, kept))
      input = bytes.subarray(kept)
      return undefined
    }
    session.isData = false
    takeMessage(Buffer.concat([...body, bytes.subarray(0, end + 2)]))
    body = []
    return bytes.subarray(end + 5)
  }
  const takeMessage = (stuffed: Buffer) => {
    const raw = Buffer.from(stuffed.toString('latin1').replaceAll(/^\.\./gm, '.'), 'latin1')
    const mail = { from: session.sender, to: session.recipients, raw, isAnswered: false }
    const dot = upstream.script('dot', session.sender)
    if (dot === 'go' || dot === 'accept and disconnect') upstream.taken.push(mail)
    if (dot === 'disconnect' || dot === 'accept and disconnect') return void socket.destroy()
    socket.write(dot === 'go' ? '250 2.0.0 taken\r\n' : `${dot}\r\n`)
    mail.isAnswered = true
    if (upstream.script('answer', session.sender) !== 'go') socket.end()
  }
}
