import { spawn, spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createTransport } from 'nodemailer'
import { isFull } from '../../volume.ts'
import { envelopeOf, type Kind, sampleMessage } from '../sample-messages.ts'

/** The server to which a client submits its message. */
export interface SmtpServer {
  port: number
  username: string
  password: string
  /** For files of its own. */
  folder: string
  /** Where there is one, the client is to use STARTTLS, and to believe this authority alone. */
  authorityFile?: string
}

/** What a client sends: a message that it composes itself, or one that it is given. */
export interface Order {
  from: string
  to: readonly string[]
  kind: Kind
  raw?: Buffer
}

/** A third-party mail client. */
export interface RealClient {
  name: string
  /** Why it cannot be tried here. */
  skip: string | false
  /** Why it cannot use TLS here. */
  skipTls: string | false
  /** What it cannot do, and why. */
  lacks: Partial<Record<Kind, string>>
  /** Rejects where the client says that it failed. */
  readonly send: (order: Order, smtpServer: SmtpServer) => Promise<void>
}

const file = (name: string) => fileURLToPath(new URL(name, import.meta.url))

/** Why a program does not run here. */
function missing(program: string, args: readonly string[]): string | false {
  const { status } = spawnSync(program, args, { stdio: 'ignore' })
  return status === 0 ? false : `${program} is not installed here`
}

async function run(
  program: string,
  args: readonly string[],
  input: string | Buffer,
): Promise<void> {
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString()
    })
  child.stdin.on('error', () => undefined)
  child.stdin.end(input)
  const code = await new Promise((done) => child.once('close', done))
  if (code !== 0) throw new Error(`${program} ended with ${String(code)}: ${output.slice(-2_000)}`)
}

function request({ raw, ...order }: Order, smtpServer: SmtpServer): string {
  const given = raw === undefined ? {} : { raw: raw.toString('base64') }
  return JSON.stringify({ ...order, ...given, ...smtpServer })
}

const swaks: RealClient = {
  name: 'swaks',
  skip: missing('swaks', ['--version']),
  skipTls: missing('perl', ['-MNet::SSLeay', '-e', '1']) && 'needs libnet-ssleay-perl',
  lacks: { addresses: 'swaks does not ask for SMTPUTF8' },
  send: async ({ from, to, kind, raw }, smtpServer) => {
    const { port, username, password, folder, authorityFile } = smtpServer
    const path = join(folder, 'swaks.eml')
    writeFileSync(path, raw ?? sampleMessage(kind, 'swaks'))
    const login = ['--auth', 'LOGIN', '--auth-user', username, '--auth-password', password]
    const server = ['--server', `127.0.0.1:${port}`, '--from', from, '--to', to.join(',')]
    const tls = authorityFile === undefined ? [] : ['--tls', '--tls-ca-path', authorityFile]
    await run('swaks', [...server, ...login, ...tls, '--data', `@${path}`], '')
  },
}

const msmtp: RealClient = {
  name: 'msmtp',
  skip: missing('msmtp', ['--version']),
  skipTls: false,
  lacks: {},
  send: async ({ from, to, kind, raw }, smtpServer) => {
    const { port, username, password, authorityFile } = smtpServer
    const server = ['--host=127.0.0.1', `--port=${port}`, `--from=${from}`]
    const tls =
      authorityFile === undefined
        ? ['--tls=off']
        : ['--tls=on', '--tls-starttls=on', `--tls-trust-file=${authorityFile}`]
    const login = ['--auth=plain', `--user=${username}`, `--passwordeval=echo ${password}`]
    const unixLines = (raw ?? sampleMessage(kind, 'msmtp'))
      .toString('latin1')
      .replaceAll('\r\n', '\n')
    const message = Buffer.from(unixLines, 'latin1')
    await run('msmtp', ['--file=/dev/null', ...server, ...login, ...tls, '--', ...to], message)
  },
}

const smtplib: RealClient = {
  name: 'smtplib',
  skip: missing('python3', ['-c', 'import smtplib']),
  skipTls: false,
  lacks: {},
  send: (order, smtpServer) =>
    run('python3', [file('send_with_smtplib.py')], request(order, smtpServer)),
}

const symfony: RealClient = {
  name: 'Symfony Mailer',
  skip: missing('php', ['-r', 'require "Symfony/Component/Mailer/autoload.php";']),
  skipTls: false,
  lacks: {
    '8bit': 'Symfony Mailer writes quoted-printable only',
    addresses: 'Symfony Mailer refuses addresses that need SMTPUTF8',
  },
  send: (order, smtpServer) => {
    const { authorityFile } = smtpServer
    // It uses STARTTLS wherever that is offered.
    const tls = authorityFile === undefined ? [] : ['-d', `openssl.cafile=${authorityFile}`]
    return run('php', [...tls, file('send-with-symfony.php')], request(order, smtpServer))
  },
}

const nodemailer: RealClient = {
  name: 'nodemailer',
  skip: false,
  skipTls: false,
  lacks: { '8bit': 'nodemailer writes quoted-printable only' },
  send: async ({ from, to, kind, raw }, smtpServer) => {
    const { port, username: user, password: pass, authorityFile } = smtpServer
    const tls =
      authorityFile === undefined
        ? {}
        : { requireTLS: true, tls: { ca: readFileSync(authorityFile, 'utf8') } }
    const client = createTransport({ host: '127.0.0.1', port, auth: { user, pass }, ...tls })
    const envelope = { from, to: [...to] }
    await client.sendMail(raw === undefined ? { ...composed(kind), envelope } : { raw, envelope })
    client.close()
  },
}

function composed(kind: Kind) {
  const { from, to } = envelopeOf(kind)
  const text = `Hello\n.\n..two dots\nFrom the start\n${'ä'.repeat(100)}\n`
  const bytes = Buffer.from(Array.from({ length: 256 }, (_none, index) => index))
  const files = {
    attachments: [
      { filename: 'räv.pdf', content: bytes },
      { filename: 'a.txt', content: '{twigtemplate=1}\n' },
    ],
    large: [{ filename: 'a.zip', content: Buffer.concat(Array(30_000).fill(bytes)) }],
  }
  const attachments = kind === 'attachments' || kind === 'large' ? files[kind] : []
  const html = kind === 'html' ? { html: '<p>Grüße {x}</p>\n'.repeat(50) } : {}
  const headers = { 'X-EMAIL-ID': '77' }
  return { from, to, subject: 'Grüße von nodemailer', text, ...html, attachments, headers }
}

/** `npm test` lets nodemailer alone submit messages. */
export const realClients: readonly RealClient[] = isFull
  ? [swaks, msmtp, smtplib, symfony, nodemailer]
  : [nodemailer]
