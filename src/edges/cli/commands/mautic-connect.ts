import type { App } from '../../../app.ts'
import type { DeliveryItem } from '../../../core/deliveries/index.ts'
import { type CheckStageReport, mauticInput, readBaseUrl } from '../../../core/mautic/index.ts'
import type { QueuedItem } from '../../../core/queue/index.ts'
import { AppError } from '../../../kit/app-error.ts'
import { startStopwatch } from '../../../kit/clock.ts'
import { nameKey } from '../../../kit/normalize-for-search.ts'
import { sleep } from '../../../kit/timers.ts'
import { isBeingServed } from '../../../platform/storage/index.ts'
import type { ApiClient } from '../api/client.ts'
import { findRecord } from '../api/references.ts'
import type { CommandInput } from '../command.ts'
import { commandName } from '../command-name.ts'
import { exitCodes, usageError } from '../errors.ts'
import { checkInput, readSecretFile } from '../input.ts'
import type { CommandContext, Output } from '../output.ts'
import { openPrompt, type Prompt } from '../prompt.ts'
import { operator, readSettings, withApi } from '../session.ts'
import { formatTable } from '../table.ts'

/** A connected Mautic, as far as this command reads the answer of the API. */
interface Mautic {
  id: number
  name: string
  url: string
  transportId: number | null
  mailerDsn?: string
  warnings?: readonly string[]
}

const waitSeconds = 600
const lookMs = 500
/** A message that waited for its route is sent within a moment once the route is repaired. */
const repairMs = 3_000

/**
 * `mailyard mautics connect`: creates the connection or continues with it, checks it, says what to enter in Mautic, creates
 * the webhook, and waits for the first message.
 */
export async function connectMautic(
  { environment, output }: CommandContext,
  { args: [url = ''], texts, flags }: CommandInput,
): Promise<number> {
  const waitMs = flags['wait'] === false ? 0 : readSeconds(texts['waitSeconds']) * 1_000
  const { config } = readSettings(environment)
  const prompt = openPrompt(environment)
  try {
    const values = { url, ...(await readLogin(prompt, texts, url)) }
    await checkInput(mauticInput, values)
    return await withApi(environment, async (api, app) => {
      const existing = await findConnected(api, values)
      const hasDefault = config.mailerDsn !== undefined
      const transportId =
        texts['transport'] === undefined
          ? (existing?.transportId ?? (await askTransport(api, prompt, { output, hasDefault })))
          : await readTransport(api, texts['transport'], output)
      prompt?.close()
      const newPassword = flags['newPassword'] === true
      const mautic = await save(api, existing, { ...values, transportId, newPassword })
      output.say(
        `Mautic "${mautic.name}" is stored with the id ${mautic.id}. Its log-in is the one of this command.`,
      )
      sayDsn(output, mautic)
      output.say('', 'Check:')
      const webhookUrl = texts['webhookUrl'] ?? config.publicUrl
      const wantsWebhook = flags['webhook'] !== false
      const isWebhookLeftOut = wantsWebhook && webhookUrl !== undefined
      const check = await runCheck(app, mautic.id, { output, isWebhookLeftOut })
      // Without a transport, messages come, and wait.
      const isConnected = check.stages.every(
        ({ stage, outcome }) => outcome !== 'failed' || stage === 'transport',
      )
      output.say(
        '',
        'Optional: add these custom headers there, so that each message names its contact and owner:',
        '  X-Contact-Id  {contactfield=id}',
        '  X-Owner-Id    {contactfield=owner_id}',
        '',
      )
      const webhook =
        check.success && wantsWebhook
          ? await createWebhook(api, mautic.id, {
              output,
              url: webhookUrl,
              acceptsUnproven: flags['webhookUnproven'] === true,
            })
          : null
      if (isBeingServed(config.databaseUrl) === false)
        output.say(`Mailyard is not running: start it with \`${commandName} serve\`.`)
      output.say(
        isConnected
          ? 'Now send a test from Mautic: save the configuration, then "Send test email" beside the DSN.'
          : 'Repair what has failed, and repeat this command.',
      )
      const message =
        isConnected && waitMs > 0 ? await awaitMessage(app, mautic, { output, waitMs }) : null
      output.print({ mautic, check, webhook, message }, [])
      if (message !== null && 'queued' in message) return exitCodes.failed
      return check.success ? exitCodes.ok : exitCodes.upstream
    })
  } finally {
    prompt?.close()
  }
}

function readSeconds(text = String(waitSeconds)): number {
  if (/^\d{1,6}$/.test(text)) return Number(text)
  throw usageError(`--wait-seconds "${text}" must be a whole number of seconds.`)
}

/** Reads the name and the log-in from the options; what is missing is asked for in a terminal. */
async function readLogin(prompt: Prompt | undefined, texts: CommandInput['texts'], url: string) {
  const suggested = suggestName(url)
  const name =
    texts['name'] ??
    ((await prompt?.ask(`Name, part of its addresses [${suggested}]: `)) || suggested)
  const { user, passwordFile, clientId, clientSecretFile } = texts
  const usesClient = clientId !== undefined || clientSecretFile !== undefined
  const username = usesClient
    ? ''
    : (user ??
      (await prompt?.ask('User of Mautic (empty: log in with API credentials): ')) ??
      missing('--user and --password-file'))
  const readSecret = async (file: string | undefined, question: string, option: string) =>
    file === undefined
      ? ((await prompt?.askHidden(question)) ?? missing(option))
      : readSecretFile(file)
  if (username !== '') {
    const password = await readSecret(passwordFile, 'Password: ', '--password-file')
    return { name, username, password }
  }
  const key = clientId ?? (await prompt?.ask('Client ID (public key): ')) ?? missing('--client-id')
  const question = 'Client secret (secret key): '
  const clientSecret = await readSecret(clientSecretFile, question, '--client-secret-file')
  return { name, clientId: key, clientSecret }
}

function missing(options: string): never {
  const message = `The log-in cannot be asked for without a terminal. Use ${options}.`
  throw new AppError('invalid', 'no_terminal', message)
}

/** Returns the first part of a host name that says something: `shop` for mautic.shop.example. */
function suggestName(url: string): string {
  const hostname = URL.parse(url)?.hostname ?? ''
  const labels = /[a-z]/.test(hostname) ? hostname.split('.').slice(0, -1) : []
  const common = ['www', 'mautic', 'mail', 'marketing', 'm']
  const label = labels.find((each) => !common.includes(each)) ?? ''
  return label.replaceAll(/[^a-z0-9-]|^-+|-+$/g, '') || 'mautic'
}

/** Finds the connection with this URL and name: it is there after a check that failed. */
async function findConnected(api: ApiClient, { name, url }: { name: string; url: string }) {
  const query = new URLSearchParams({ search: `+"${name}"` })
  const { mautics } = await api.ask<{ mautics: Mautic[] }>('GET', `/api/mautics?${query}`)
  return mautics.find((mautic) => mautic.url === readBaseUrl(url))
}

async function save(
  api: ApiClient,
  existing: Mautic | undefined,
  values: Record<string, unknown>,
): Promise<Mautic> {
  const noLogin = { clientId: null, clientSecret: null, username: null, password: null }
  const [method, path] = existing === undefined ? ['POST', 'new'] : ['PATCH', `${existing.id}/edit`]
  const body = existing === undefined ? values : { ...noLogin, ...values }
  return (await api.ask<{ mautic: Mautic }>(method, `/api/mautics/${path}`, body)).mautic
}

function sayDsn(output: Output, { mailerDsn, warnings = [] }: Mautic): void {
  output.say(...warnings, '')
  if (mailerDsn === undefined) {
    output.say(
      'Its DSN was shown when it was connected. To get another one, repeat this with --new-password: the old one then stops working at once.',
    )
    return
  }
  const { protocol, hostname, port, username, password } = new URL(mailerDsn)
  output.say(
    'Enter this in Mautic: Configuration > Email Settings. It is shown this once.',
    `  ${mailerDsn}`,
    'Where Mautic has a field for each part:',
    `  Scheme ${protocol.replace(':', '')}, host ${hostname}, port ${port}`,
    `  User ${username}`,
    `  Password ${password}`,
    '  Path and options stay empty',
  )
}

/** Stands for a transport that captures messages. */
const inbox = 'inbox'

/** Finds the transport that a text names; creates one that captures messages for `inbox`, if none has this name. */
async function readTransport(api: ApiClient, text: string, output: Output): Promise<number> {
  try {
    return await findRecord('transports', text, api)
  } catch (error) {
    const isMissing = error instanceof AppError && error.kind === 'not_found'
    if (!isMissing || nameKey(text) !== inbox) throw error
  }
  const input = { name: 'Inbox', mailerDsn: 'inbox://local' }
  const { id } = await api.ask<{ id: number }>('POST', '/api/multipleTransports/new', input)
  output.say(`Transport ${id} (Inbox) captures messages and sends none.`)
  return id
}

/** Asks for the default transport of a Mautic. Returns null without a terminal, and for the configured default. */
async function askTransport(
  api: ApiClient,
  prompt: Prompt | undefined,
  { output, hasDefault }: { output: Output; hasDefault: boolean },
): Promise<number | null> {
  if (prompt === undefined) return null
  const path = '/api/multipleTransports?limit=30&fields=id,name,isPublished'
  const rows = await api.ask<Record<string, unknown>[]>('GET', path)
  const table = rows.length === 0 ? [] : [...formatTable(rows, { isTerminal: true }), '']
  const standard = hasDefault ? 'that of MAILYARD_MAILER_DSN' : inbox
  const answer = await prompt.ask(
    `${table.join('\n')}Default transport, by id or name; "${inbox}" captures messages and sends none [${standard}]: `,
  )
  return answer === '' && hasDefault ? null : readTransport(api, answer || inbox, output)
}

/** Checks a Mautic, and prints each stage when it has ended. */
async function runCheck(
  app: App,
  id: number,
  { output, isWebhookLeftOut }: { output: Output; isWebhookLeftOut: boolean },
) {
  const report = await app.mautics.check(id, {
    isWebhookLeftOut,
    onStage: (event) => {
      if (event.state === 'finished') output.say(...describeStage(event))
    },
  })
  output.say(report.message)
  return report
}

function describeStage({ stage, outcome, durationMs, detail, hint }: CheckStageReport): string[] {
  const line = `${outcome.padEnd(7)} ${stage.padEnd(14)} ${Math.round(durationMs)} ms  ${detail}`
  return [line, ...(hint === null ? [] : [`${' '.repeat(23)}${hint}`])]
}

/** Creates the webhook of a Mautic, and says how that ended. Returns null if none was created. */
async function createWebhook(
  api: ApiClient,
  id: number,
  { output, ...body }: { output: Output; url: string | undefined; acceptsUnproven: boolean },
) {
  if (body.url === undefined) {
    output.say(
      'No webhook was created, because Mautic has to know where Mailyard is: set MAILYARD_PUBLIC_URL or use --webhook-url.',
      'Without it, additions to its Do not contact list are taken over within a minute, and removals within an hour.',
      '',
    )
    return null
  }
  try {
    const path = `/api/mautics/${id}/webhook`
    const { webhook, warnings = [] } = await api.ask<CreatedWebhook>('POST', path, body)
    output.say(`Webhook ${webhook.id} of this Mautic leads to ${webhook.url}.`, ...warnings, '')
    return webhook
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    output.say(`The webhook was not created: ${error.message}`, '')
    return null
  }
}

type CreatedWebhook = { webhook: { id: number; url: string }; warnings?: readonly string[] }

/** The first message of a Mautic: its outcome, or why it waits. */
type FirstMessage = { delivery: DeliveryItem } | { queued: QueuedItem }

/** Waits for the first message of a Mautic, and says its outcome. Returns null if none comes in time. */
async function awaitMessage(
  app: App,
  mautic: Mautic,
  { output, waitMs }: { output: Output; waitMs: number },
): Promise<FirstMessage | null> {
  output.say(`Waiting for it for ${Math.round(waitMs / 1_000)} s; Ctrl+C ends this.`)
  const elapsedMs = startStopwatch()
  let waitsSince: number | undefined
  for (;;) {
    const message = await findMessage(app, mautic.id)
    const now = elapsedMs()
    const isWaiting = message !== undefined && 'queued' in message
    waitsSince = isWaiting ? (waitsSince ?? now) : undefined
    const isCertain = waitsSince === undefined || now - waitsSince >= repairMs || now >= waitMs
    if (message !== undefined && isCertain) {
      output.say('', ...describe(message, mautic))
      return message
    }
    if (now >= waitMs) break
    await sleep(lookMs)
  }
  output.say(
    `No message has come. Check host, port and password in Mautic, then \`${commandName} deliveries list\`.`,
  )
  return null
}

async function findMessage(
  { delivery: { queue, deliveries: log } }: App,
  mauticId: number,
): Promise<FirstMessage | undefined> {
  const {
    messages: [queued],
  } = await queue.list({ mauticId }, { limit: 1 }, operator)
  // Without a problem, it is sent in a moment.
  if (queued?.problem) return { queued }
  const query = { after: undefined, start: 0, limit: 1, mauticId }
  const { deliveries } = await log.list(query, { isCounted: false, caller: operator })
  const [delivery] = deliveries
  return delivery === undefined || delivery.outcome === 'started' ? undefined : { delivery }
}

function describe(message: FirstMessage, mautic: Mautic): string[] {
  if ('queued' in message) {
    const { recipient, problem } = message.queued
    return [
      `A message to ${recipient} has come. It is stored, not sent, and waits: ${problem}`,
      whatToDo(message.queued, mautic),
    ]
  }
  const { id, recipient, transport, outcome, reason, reply } = message.delivery
  return [
    `A message to ${recipient} has come through Mailyard: ${outcome}, transport "${transport ?? '-'}".`,
    ...[reason ?? reply].filter((text) => text !== null).map((text) => `  ${text}`),
    `Its route: ${commandName} deliveries get ${id}`,
  ]
}

function whatToDo(
  { transport, transportId, isUnanswered }: QueuedItem,
  { id, url, name }: Mautic,
): string {
  if (isUnanswered)
    return `Find out why with \`${commandName} mautics check ${id}\`. Once the Mautic answers, the message is sent at once.`
  if (transportId !== null)
    return `Find out why with \`${commandName} transports test ${transportId}\`. Once the transport is repaired, the message is sent at once.`
  if (transport !== null) return 'Set MAILYARD_MAILER_DSN to a server that takes it, and restart.'
  return `Give the Mautic a transport: repeat this with \`${commandName} mautics connect ${url} --name ${name} --transport ID\`. The message is then sent at once.`
}
