import type { App } from '../../app.ts'
import { AppError } from '../../kit/app-error.ts'
import { unwrap } from '../../kit/batch-item-result.ts'
import { type MauticInput, type MauticItem, mauticInput, readBaseUrl } from '../../mautic/index.ts'
import { isBeingServed } from '../../storage/index.ts'
import { commandName } from '../command-name.ts'
import { exitCodes } from '../errors.ts'
import { checkInput, readSeconds, readSecretFile } from '../input.ts'
import { awaitMessage } from '../mautic-connect/await-message.ts'
import { askTransport, readTransport } from '../mautic-connect/choose-transport.ts'
import { createWebhook } from '../mautic-connect/create-webhook.ts'
import type { CliEnvironment, CommandContext, Output } from '../output.ts'
import { openPrompt, type Prompt } from '../prompt.ts'
import { operator, readSettings, withApp } from '../session.ts'
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
  const login = await readLogin(environment, options, url)
  return withApp(environment, async (app) => {
    checkInput(mauticInput, { url, ...login })
    const existing = await findConnected(app, { name: login.name, url })
    const hasDefault = config.mailerDsn !== undefined
    const transportId =
      options.transport !== undefined
        ? await readTransport(app, options.transport, output)
        : (existing?.transportId ?? (await askTransport(app, environment, { output, hasDefault })))
    const input = { url, ...login, transportId }
    const item = await createOrContinue(app, existing, { input, options, output })
    sayDsn(output, item)
    output.say('', 'Check:')
    const check = await runCheck(app, item.id, output)
    sayHeaders(output)
    const baseUrl = options.webhookUrl ?? config.publicUrl
    const webhook =
      check.success && options.webhook
        ? await createWebhook(app, item.id, {
            output,
            baseUrl,
            acceptsUnproven: options.webhookUnproven === true,
          })
        : null
    sayTest(output, isBeingServed(config.databaseUrl))
    const message =
      options.wait && waitMs > 0 ? await awaitMessage(app, item, { output, waitMs }) : null
    output.print({ mautic: item, check, webhook, message }, [])
    if (message !== null && 'queued' in message) return exitCodes.failed
    return check.success ? exitCodes.ok : exitCodes.upstream
  })
}

interface Connection {
  input: MauticInput
  options: ConnectOptions
  output: Output
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

/** Creates the connection. One that exists gets the log-in and the transport. */
async function createOrContinue(
  app: App,
  existing: MauticItem | undefined,
  { input, options, output }: Connection,
): Promise<MauticItem> {
  const { transportId = null, ...login } = input
  if (existing === undefined) {
    const { item } = unwrap((await app.mautics.records.create([input], context))[0])
    output.say(`Mautic "${item.name}" is connected with the id ${item.id}.`)
    return item
  }
  const values = {
    ...{ clientId: null, clientSecret: null, username: null, password: null, ...login },
    transportId,
    ...(options.newPassword === true ? { newPassword: true } : {}),
  }
  const change = { id: existing.id, mode: 'patch' as const, values }
  const { item } = unwrap((await app.mautics.records.edit([change], context))[0])
  output.say(
    `Mautic "${item.name}" is connected already, with the id ${item.id}. It has this log-in now.`,
  )
  return item
}

type Login = Pick<MauticInput, 'name' | 'clientId' | 'clientSecret' | 'username' | 'password'>

/** Reads the name and the log-in from the options; what is missing is asked for in a terminal. */
async function readLogin(
  environment: CliEnvironment,
  options: ConnectOptions,
  url: string,
): Promise<Login> {
  const prompt = openPrompt(environment)
  try {
    const name = options.name ?? (await askName(prompt, url))
    if (options.clientId !== undefined || options.clientSecretFile !== undefined)
      return { name, ...(await readClient(prompt, options)) }
    const username =
      options.user ?? (await prompt?.ask('User of Mautic (empty: log in with API credentials): '))
    if (username === undefined) throw loginMissing('--user and --password-file')
    if (username === '') return { name, ...(await readClient(prompt, options)) }
    const password = await readSecret(prompt, {
      file: options.passwordFile,
      question: 'Password: ',
      option: '--password-file',
    })
    return { name, username, password }
  } finally {
    prompt?.close()
  }
}

async function readClient(prompt: Prompt | undefined, options: ConnectOptions) {
  const clientId = options.clientId ?? (await prompt?.ask('Client ID (public key): '))
  if (clientId === undefined) throw loginMissing('--client-id')
  const clientSecret = await readSecret(prompt, {
    file: options.clientSecretFile,
    question: 'Client secret (secret key): ',
    option: '--client-secret-file',
  })
  return { clientId, clientSecret }
}

interface SecretSource {
  file: string | undefined
  question: string
  option: string
}

async function readSecret(
  prompt: Prompt | undefined,
  { file, question, option }: SecretSource,
): Promise<string> {
  if (file !== undefined) return readSecretFile(file)
  const secret = await prompt?.askHidden(question)
  if (secret === undefined) throw loginMissing(option)
  return secret
}

function loginMissing(options: string): AppError {
  const message = `The log-in cannot be asked for without a terminal. Use ${options}.`
  return new AppError('invalid', 'no_terminal', message)
}

async function askName(prompt: Prompt | undefined, url: string): Promise<string> {
  const name = suggestName(url)
  return (await prompt?.ask(`Name, part of its addresses [${name}]: `)) || name
}

/** Returns the first part of a host name that says something: `shop` for mautic.shop.example. */
export function suggestName(url: string): string {
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

function sayHeaders(output: Output): void {
  output.say(
    '',
    'Optional: add these custom headers there, so that each message names its contact and owner:',
    '  X-Contact-Id  {contactfield=id}',
    '  X-Owner-Id    {contactfield=owner_id}',
  )
}

function sayTest(output: Output, isServing: boolean | undefined): void {
  output.say(
    '',
    ...(isServing === false
      ? [`Mailyard is not running: start it with \`${commandName} serve\`.`]
      : []),
    'Now send a test from Mautic: save the configuration, then "Send test email" beside the DSN.',
  )
}
