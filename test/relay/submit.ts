import { connect, type Socket } from 'node:net'

/** The steps of a client that submits a message, in order. */
export const clientSteps = [
  'connected',
  'greeted',
  'ehlo',
  'auth',
  'mail',
  'rcpt',
  'data',
  'body',
  'dot',
  'answered',
] as const
export type ClientStep = (typeof clientSteps)[number]

/** A message to submit. */
export interface Submission {
  from: string
  to: readonly string[]
  /** Ends with CRLF; has no line that needs dot-stuffing. */
  raw: Buffer
}

/** The server and the credentials for a submission. */
export interface SubmitOptions {
  port: number
  username: string
  password: string
  /** Called after each step. */
  onStep?: (step: ClientStep) => void
}

/** The last reply of the server; undefined if the connection was lost first. */
export type LastReply = { code: number; text: string } | undefined

const silenceMs = 30_000

/** Submits a message once, with the simplest SMTP dialogue. */
export async function submit(mail: Submission, options: SubmitOptions): Promise<LastReply> {
  const { port, username, password, onStep = () => undefined } = options
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  socket.on('error', () => undefined)
  // A silent connection counts as lost.
  socket.setTimeout(silenceMs, () => socket.destroy())
  socket.on('connect', () => onStep('connected'))
  const replies = readReplies(socket)
  const read = async () => (await replies.next()).value as LastReply
  const ask = async (command: string | Buffer) => {
    socket.write(command)
    return read()
  }
  const login = Buffer.from(`\0${username}\0${password}`).toString('base64')
  const commands: [step: ClientStep, command: string | undefined, code: number][] = [
    ['greeted', undefined, 220],
    ['ehlo', 'EHLO client.test', 250],
    ['auth', `AUTH PLAIN ${login}`, 235],
    ['mail', `MAIL FROM:<${mail.from}>`, 250],
    ...mail.to.map((to): [ClientStep, string, number] => ['rcpt', `RCPT TO:<${to}>`, 250]),
    ['data', 'DATA', 354],
  ]
  try {
    for (const [step, command, code] of commands) {
      const reply = await (command === undefined ? read() : ask(`${command}\r\n`))
      if (reply?.code !== code) return reply
      onStep(step)
    }
    const half = mail.raw.length >> 1
    socket.write(mail.raw.subarray(0, half))
    onStep('body')
    // The two halves are sent in separate packets.
    await new Promise(setImmediate)
    socket.write(Buffer.concat([mail.raw.subarray(half), Buffer.from('.\r\n')]))
    onStep('dot')
    const last = await read()
    if (last !== undefined) onStep('answered')
    return last
  } finally {
    socket.end('QUIT\r\n')
    socket.destroySoon()
  }
}

async function* readReplies(socket: Socket): AsyncGenerator<LastReply> {
  let text = ''
  try {
    for await (const chunk of socket) {
      text += (chunk as Buffer).toString()
      for (let line = takeReply(); line !== undefined; line = takeReply()) yield line
    }
  } catch {
    // It was reset: there is no more to read.
  }

  function takeReply(): LastReply {
    const match = /^(?:\d{3}-.*\r\n)*(\d{3})(?: (.*))?\r\n/.exec(text)
    if (match === null) return undefined
    text = text.slice(match[0].length)
    return { code: Number(match[1]), text: match[2] ?? '' }
  }
}
