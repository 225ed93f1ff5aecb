import type { App } from '../../app.ts'
import { AppError } from '../../kit/app-error.ts'
import { unwrap } from '../../kit/batch-item-result.ts'
import { nameKey } from '../../kit/normalize-for-search.ts'
import {
  type CreatedWebhook,
  type MauticInput,
  type MauticItem,
  mauticInput,
  readBaseUrl,
} from '../../mautic/index.ts'
import { isBeingServed, wholeList } from '../../storage/index.ts'
import type { TransportItem } from '../../transports/index.ts'
import { commandName } from '../command-name.ts'
import { exitCodes } from '../errors.ts'
import { checkInput, readSeconds, readSecretFile } from '../input.ts'
import { awaitMessage } from '../mautic-message.ts'
import type { CliEnvironment, CommandContext, Output } from '../output.ts'
import { openPrompt, type Prompt } from '../prompt.ts'
import { findId, recordKinds } from '../records.ts'
import { operator, readSettings, withApp } from '../session.ts'
import { formatTable } from '../table.ts'
import { runCheck } from './mautic.ts'

interface ConnectOptions {
  name?: string
  clientId?: string
  clientSecretFile?: string
  user?: string
  passwordFile?: string
  transport?: string
  webhook: boolean
  webhookUrl?: string
  webhookUnproven?: boolean
  wait: boolean
  waitSeconds: string
  newPassword?: boolean
}

const context = { caller: operator, isAtomic: true }

/**
 * `mailyard mautic connect`: creates the connection or continues with it, checks it, says what to enter in Mautic, creates
 * the webhook, and waits for the first message.
 */
export async function connectMautic(
  { environment, output }: CommandContext,
  options: ConnectOptions,
  url = '',
): Promise<number> {
  const waitMs = readSeconds(options.waitSeconds, '--wait-seconds') * 1_000
  const { config } = readSettings(environment)
  const login = await withPrompt(environment, (prompt) => readLogin(prompt, options, url))
  return withApp(environment, async (app) => {
    checkInput(mauticInput, { url, ...login })
    const existing = await findConnected(app, { name: login.name, url })
    const hasDefault = config.mailerDsn !== undefined
    const transportId =
      options.transport !== undefined
        ? await readTransport(app, options.transport, output)
        : (existing?.transportId ?? (await askTransport(app, environment, { output, hasDefault })))
    const item =
      existing === undefined
        ? await create(app, { url, ...login, transportId }, output)
        : await edit(app, existing.id, {
            values: { ...login, url, transportId, newPassword: options.newPassword ?? false },
            output,
          })
    sayDsn(output, item)
    output.say('', 'Check:')
    const check = await runCheck(app, item.id, output)
    output.say(
      '',
      'Optional: add these custom headers there, so that each message names its contact and owner:',
      '  X-Contact-Id  {contactfield=id}',
      '  X-Owner-Id    {contactfield=owner_id}',
    )
    const baseUrl = options.webhookUrl ?? config.publicUrl
    const acceptsUnproven = options.webhookUnproven === true
    const webhook =
      check.success && options.webhook
        ? await createWebhook(app, item.id, { output, baseUrl, acceptsUnproven })
        : null
    output.say('')
    if (isBeingServed(config.databaseUrl) === false)
      output.say(`Mailyard is not running: start it with \`${commandName} serve\`.`)
    output.say(
      'Now send a test from Mautic: save the configuration, then "Send test email" beside the DSN.',
    )
    const message =
      options.wait && waitMs > 0 ? await awaitMessage(app, item, { output, waitMs }) : null
    output.print({ mautic: item, check, webhook, message }, [])
    if (message !== null && 'queued' in message) return exitCodes.failed
    return check.success ? exitCodes.ok : exitCodes.upstream
  })
}

/** Finds the connection with this URL and name: it is there after a check that failed. */
async function findConnected(
  app: App,
  { name, url }: Pick<MauticInput, 'name' | 'url'>,
): Promise<MauticItem | undefined> {
  const existing = await app.mautics.findByName(name)
  if (existing === undefined || existing.url !== readBaseUrl(url)) return undefined
  return (await app.mautics.records.get(existing.id, operator)).item
}

async function create(app: App, input: MauticInput, output: Output): Promise<MauticItem> {
  const { item } = unwrap((await app.mautics.records.create([input], context))[0])
  output.say(`Mautic "${item.name}" is stored with the id ${item.id}.`)
  return item
}

/** Gives a connection that exists the log-in and the transport. */
async function edit(
  app: App,
  id: number,
  { values, output }: { values: MauticInput; output: Output },
): Promise<MauticItem> {
  const noLogin = { clientId: null, clientSecret: null, username: null, password: null }
  const change = { id, mode: 'patch' as const, values: { ...noLogin, ...values } }
  const { item } = unwrap((await app.mautics.records.edit([change], context))[0])
  output.say(
    `Mautic "${item.name}" is stored already, with the id ${item.id}. It has this log-in now.`,
  )
  return item
}

/** Runs work with a prompt; without a terminal there is none. */
async function withPrompt<Result>(
  environment: CliEnvironment,
  work: (prompt: Prompt | undefined) => Promise<Result>,
): Promise<Result> {
  const prompt = openPrompt(environment)
  try {
    return await work(prompt)
  } finally {
    prompt?.close()
  }
}

type Login = Pick<MauticInput, 'name' | 'clientId' | 'clientSecret' | 'username' | 'password'>

/** Reads the name and the log-in from the options; what is missing is asked for in a terminal. */
async function readLogin(
  prompt: Prompt | undefined,
  options: ConnectOptions,
  url: string,
): Promise<Login> {
  const suggested = suggestName(url)
  const name =
    options.name ??
    ((await prompt?.ask(`Name, part of its addresses [${suggested}]: `)) || suggested)
  const usesClient = options.clientId !== undefined || options.clientSecretFile !== undefined
  const username = usesClient
    ? ''
    : (options.user ??
      (await prompt?.ask('User of Mautic (empty: log in with API credentials): ')) ??
      missing('--user and --password-file'))
  const readSecret = async (file: string | undefined, question: string, option: string) =>
    file === undefined
      ? ((await prompt?.askHidden(question)) ?? missing(option))
      : readSecretFile(file)
  if (username !== '') {
    const password = await readSecret(options.passwordFile, 'Password: ', '--password-file')
    return { name, username, password }
  }
  const clientId =
    options.clientId ?? (await prompt?.ask('Client ID (public key): ')) ?? missing('--client-id')
  const question = 'Client secret (secret key): '
  const clientSecret = await readSecret(options.clientSecretFile, question, '--client-secret-file')
  return { name, clientId, clientSecret }
}

function missing(options: string): never {
  const message = `The log-in cannot be asked for without a terminal. Use ${options}.`
  throw new AppError('invalid', 'no_terminal', message)
}

/** Returns the first part of a host name that says something: `shop` for mautic.shop.example. */
function suggestName(url: string): string {
  const { hostname } = URL.canParse(url) ? new URL(url) : { hostname: '' }
  const labels = /[a-z]/.test(hostname) ? hostname.split('.') : []
  const common = ['www', 'mautic', 'mail', 'marketing', 'm', 'localhost']
  const name = (labels.slice(0, -1).find((label) => !common.includes(label)) ?? '')
    .replaceAll(/[^a-z0-9-]/g, '')
    .replaceAll(/^-+|-+$/g, '')
  return name === '' ? 'mautic' : name
}

function sayDsn(output: Output, { mailerDsn, warnings = [] }: MauticItem): void {
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

/** How many transports are listed to choose from. */
const listedMax = 30
/** Stands for a transport that captures messages. */
const inbox = 'inbox'

/** Finds the transport that a text names; creates one that captures messages for `inbox`, if none has this name. */
async function readTransport(app: App, text: string, output: Output): Promise<number> {
  try {
    return await findId(app, recordKinds.transport, text)
  } catch (error) {
    const isMissing = error instanceof AppError && error.code === 'transport_not_found'
    if (!isMissing || nameKey(text) !== inbox) throw error
  }
  const input = { name: 'Inbox', mailerDsn: 'inbox://local' }
  const { item } = unwrap((await app.transports.create([input], context))[0])
  output.say(`Transport ${item.id} (${item.name}) captures messages and sends none.`)
  return item.id
}

/** Asks for the default transport of a Mautic. Returns null without a terminal, and for the configured default. */
function askTransport(
  app: App,
  environment: CliEnvironment,
  { output, hasDefault }: { output: Output; hasDefault: boolean },
): Promise<number | null> {
  return withPrompt(environment, async (prompt) => {
    if (prompt === undefined) return null
    const rows: TransportItem[] = []
    const list = { ...wholeList, limit: listedMax }
    for await (const page of app.transports.list(list, operator).pages()) rows.push(...page)
    const lines =
      rows.length === 0
        ? []
        : formatTable(rows, { ID: 'id', Name: 'name', Published: 'isPublished' })
    for (const line of lines) environment.stderr.write(`${line}\n`)
    const standard = hasDefault ? 'that of MAILYARD_MAILER_DSN' : inbox
    const answer = await prompt.ask(
      `Default transport, by id or name; "${inbox}" captures messages and sends none [${standard}]: `,
    )
    return answer === '' && hasDefault ? null : readTransport(app, answer || inbox, output)
  })
}

/** Creates the webhook of a Mautic, and says how that ended. Returns null if none was created. */
async function createWebhook(
  app: App,
  mauticId: number,
  {
    output,
    baseUrl,
    acceptsUnproven,
  }: { output: Output; baseUrl: string | undefined; acceptsUnproven: boolean },
): Promise<CreatedWebhook | null> {
  output.say('')
  if (baseUrl === undefined) {
    output.say(
      'No webhook was created, because Mautic has to know where Mailyard is: set MAILYARD_PUBLIC_URL or use --webhook-url.',
      'Without it, additions to its Do not contact list are taken over within a minute, and removals within an hour.',
    )
    return null
  }
  try {
    const webhook = await app.mautics.webhooks.create(mauticId, { baseUrl, acceptsUnproven })
    const { id, url, warnings } = webhook
    output.say(`Webhook ${id} of this Mautic leads to ${url}.`, ...warnings)
    return webhook
  } catch (error) {
    if (!(error instanceof AppError) || error.kind === 'internal') throw error
    output.say(`The webhook was not created: ${error.message}`)
    return null
  }
}
