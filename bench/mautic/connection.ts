// 300 messages from a connected Mautic, whose email, contact and owner are found by the tracking hash, beside
// the same messages without a connection, in one run. Goal: at least 0.8 of the rate. `node bench/mautic/connection.ts [rounds]`.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import type { SmtpMode } from '../../src/kit/smtp-mode.ts'
import { openStorage } from '../../src/platform/storage/index.ts'
import { adminPassword, asAdmin, basicHeader } from '../../test/administrator.ts'
import { apiSettings, startMailyard } from '../../test/mailyard-process.ts'
import { openDialogue } from '../../test/smtp-dialogue.ts'
import { startSmtpSink } from '../mailer/smtp-sink.ts'
import { median, print } from '../print.ts'
import { drainQueue } from '../relay/queue.ts'
import { startScript } from '../start-script.ts'
import { emailId, messageTo } from './parts/mautic-message.ts'

const messages = 300

/** How the messages are sent. A Mautic makes 127 of them a second at most, on one connection. */
interface Load {
  readonly mode: SmtpMode
  /** From the start of one message to that of the next, at least. */
  readonly paceMs: number
  readonly login: 'client' | 'administrator'
  /** The goal. With Basic, each request takes Mautic 0.6 s; in `hybrid`, the client waits for its answers. */
  readonly bar?: number
}

const loads: readonly Load[] = [
  { mode: 'queue', paceMs: 8, login: 'client', bar: 0.8 },
  { mode: 'queue', paceMs: 0, login: 'client', bar: 0.8 },
  { mode: 'queue', paceMs: 8, login: 'administrator' },
  { mode: 'hybrid', paceMs: 8, login: 'client' },
]

/** Messages per second. */
interface Rates {
  accepted: number
  delivered: number
}

/** User and password of SMTP. */
type Login = readonly [user: string, password: string]

const ownLogin: Login = ['admin', adminPassword]

/** A Mailyard with a connected Mautic. */
interface Environment {
  smtpPort: number
  drain: () => Promise<void>
  ask: (path: string, body?: object) => Promise<Answer>
  mautic: { id: number; login: Login }
}

// biome-ignore lint/suspicious/noExplicitAny: responses of the API.
type Answer = any

async function run(rounds: number): Promise<void> {
  const sink = await startSmtpSink()
  if (sink === undefined) return print('Skipped: smtp-sink is not installed (Debian: postfix).')
  for (const load of loads) {
    const folder = mkdtempSync(join(tmpdir(), 'mailyard-bench-'))
    try {
      await compare(load, { rounds, folder, sinkPort: sink.port })
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  }
  await sink.stop()
}

async function compare(
  load: Load,
  { rounds, folder, sinkPort }: { rounds: number; folder: string; sinkPort: number },
): Promise<void> {
  const contacts = (rounds + 1) * messages
  const script = join(import.meta.dirname, 'parts/slow-mautic.ts')
  const mautic = await startScript(script, [String(contacts)])
  const databaseUrl = `sqlite:${join(folder, 'mailyard.db')}`
  const dsn = `smtp://127.0.0.1:${sinkPort}`
  const service = await startMailyard({
    ...{ folder, databaseUrl },
    env: {
      ...{ ...apiSettings, MAILYARD_SMTP_PORT: '0' },
      ...{ MAILYARD_MAILER_DSN: dsn, MAILYARD_SMTP_MODE: load.mode },
    },
  })
  const storage = openStorage({ url: databaseUrl, onIdleError: () => undefined })
  const ask = createAsk(service.url)
  const environment: Environment = {
    smtpPort: service.smtpPort,
    drain: () => drainQueue(storage),
    ask,
    mautic: await connect(
      { url: service.url, ask },
      { login: load.login, dsn, mautic: JSON.parse(mautic.line) },
    ),
  }
  const results: { alone: Rates; connected: Rates }[] = []
  // The first round warms up. Alternately, so that other load on this machine affects both.
  for (let round = 0; round <= rounds; round += 1) {
    const alone = await sendAll(load, environment, { round, isConnected: false })
    const connected = await sendAll(load, environment, { round, isConnected: true })
    if (round > 0) results.push({ alone, connected })
  }
  report(load, results)
  await checkIdentified(environment, contacts)
  await storage.close()
  await service.stop()
  mautic.stop()
}

type Ask = Environment['ask']

function createAsk(url: string, authorization = asAdmin): Ask {
  return async (path, body) => {
    const answer = await fetch(`${url}${path}`, {
      headers: { authorization, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
    })
    const text = await answer.text()
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${text.slice(0, 500)}`)
    return JSON.parse(text)
  }
}

/** Connects the Mautic, and assigns a transport to its email, which asks for the owner's first. */
async function connect(
  service: { url: string; ask: Ask },
  { login, dsn, mautic }: { login: Load['login']; dsn: string; mautic: Answer },
): Promise<Environment['mautic']> {
  const { ask } = service
  const { url, client, administrator } = mautic
  const credentials = login === 'client' ? client : administrator
  const created = await ask('/api/mautics/new', {
    name: 'brand',
    url,
    smtpMode: null,
    ...credentials,
  })
  const { id, mailerDsn } = created.mautic
  while ((await ask(`/api/mautics/${id}`)).mautic.status.dateReadAll === null) await setTimeout(100)
  const transport = await ask('/api/multipleTransports/new', { name: 'sink', mailerDsn: dsn })
  const { username, password } = administrator
  const askAsMautic = createAsk(service.url, basicHeader(username, password))
  await askAsMautic(`/mautic/brand/api/multipleTransport/transportEmail/${emailId}`, {
    ...{ transportId: transport.id, useOwnerTransport: true },
  })
  const { username: user, password: secret } = new URL(mailerDsn)
  return { id, login: [user, secret] }
}

/** Sends one message after the other on one connection, as Mautic does, each to another contact. */
async function sendAll(
  { paceMs }: Load,
  { smtpPort, drain, mautic }: Environment,
  { round, isConnected }: { round: number; isConnected: boolean },
): Promise<Rates> {
  const dialogue = await openDialogue(smtpPort)
  await dialogue.say('EHLO mautic.test')
  await dialogue.logIn(...(isConnected ? mautic.login : ownLogin))
  const startedAt = performance.now()
  for (let sent = 0; sent < messages; sent += 1) {
    const early = startedAt + sent * paceMs - performance.now()
    if (early > 0) await setTimeout(early)
    const contactId = round * messages + sent + 1
    const to = `${isConnected ? 'c' : 'other'}${contactId}@rcpt.test`
    const raw = messageTo(to, contactId)
    const reply = await dialogue.hand({ from: 'lab@sender.test', to: [to], raw })
    if (!reply.startsWith('250')) throw new Error(reply)
  }
  const acceptedAt = performance.now()
  dialogue.end()
  await drain()
  const perSecond = (until: number) => (messages / (until - startedAt)) * 1_000
  return { accepted: perSecond(acceptedAt), delivered: perSecond(performance.now()) }
}

function report(
  { mode, paceMs, login, bar }: Load,
  rounds: readonly { alone: Rates; connected: Rates }[],
): void {
  const pace = paceMs === 0 ? 'as fast as they are taken' : `one each ${paceMs} ms`
  print(`${mode}, ${pace}, Mautic's API by ${login === 'client' ? 'OAuth' : 'Basic'}:`)
  for (const key of ['accepted', 'delivered'] as const) {
    const of = (kind: 'alone' | 'connected') => median(rounds.map((round) => round[kind][key]))
    const ratios = rounds.map(({ alone, connected }) => connected[key] / alone[key])
    print(
      `  ${key}: connected ${of('connected').toFixed(0)}/s, without ${of('alone').toFixed(0)}/s; ` +
        `ratio ${median(ratios).toFixed(2)}${bar === undefined ? '' : ` (bar: ${bar})`}`,
    )
  }
}

/** What was not found in time would make the figures better than they are. */
async function checkIdentified({ ask, mautic }: Environment, expected: number): Promise<void> {
  const query = new URLSearchParams({ mautic: String(mautic.id), emailId: String(emailId) })
  const { total } = await ask(`/api/deliveries?${query}&total=1&limit=1`)
  print(`  ${total} of ${expected} messages were identified`)
}

if (import.meta.main) await run(Number(process.argv[2] ?? 3))
