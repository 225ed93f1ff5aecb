import { type App, OutboundFetch, outboundRules } from '../../app.ts'
import { AppError } from '../../kit/app-error.ts'
import { unwrap } from '../../kit/batch-item-result.ts'
import { isMailAddress } from '../../mailer/index.ts'
import {
  createAuthorizationUrl,
  createGoogleDsn,
  exchangeCode,
  type GoogleLogin,
  googleEndpoints,
  transportInput,
} from '../../transports/index.ts'
import { commandName } from '../command-name.ts'
import { exitCodes } from '../errors.ts'
import { checkInput, readSeconds, readSecretFile, readSecretInput } from '../input.ts'
import { LoopbackServer } from '../oauth-google/loopback-server.ts'
import { openBrowser } from '../oauth-google/open-browser.ts'
import { type CliEnvironment, type CommandContext, formatWait, type Output } from '../output.ts'
import { operator, readSettings, withApp } from '../session.ts'

interface GoogleOptions {
  clientId: string
  clientSecretFile?: string
  mailbox?: string
  save?: string
  browser: boolean
  waitSeconds: string
}

/**
 * `mailyard oauth google`: gets a refresh token by the consent of the owner of a mailbox, and prints the DSN, or saves it as a
 * transport. Standard output has nothing but the result.
 */
export async function signInWithGoogle(
  { environment, output }: CommandContext,
  options: GoogleOptions,
): Promise<number> {
  const { clientId, mailbox, save } = options
  if (mailbox !== undefined && !isMailAddress(mailbox)) {
    const message = `--mailbox "${mailbox}" is not an email address.`
    throw new AppError('invalid', 'option_invalid', message)
  }
  const waitMs = readSeconds(options.waitSeconds, '--wait-seconds') * 1_000
  // Before a person is sent to Google.
  if (save !== undefined) checkInput(transportInput, { name: save, mailerDsn: 'null://null' })
  const clientSecret = await readClientSecret(environment, options.clientSecretFile)
  const login = { clientId, clientSecret, mailbox }
  const getDsn = () => fetchDsn(environment, login, { waitMs, opensBrowser: options.browser })
  if (save === undefined) {
    const mailerDsn = await getDsn()
    output.print({ mailerDsn }, [mailerDsn])
    return exitCodes.ok
  }
  return withApp(environment, async (app) => {
    await saveTransport(app, { name: save, mailerDsn: await getDsn(), mailbox }, output)
    return exitCodes.ok
  })
}

/** The text that Google calls the client secret; not the JSON file that it is in. */
async function readClientSecret(
  environment: CliEnvironment,
  file: string | undefined,
): Promise<string> {
  const secret =
    file === undefined
      ? await readSecretInput(environment, 'Client secret: ', '--client-secret-file')
      : readSecretFile(file)
  if (/^[!-z|~]{1,500}$/.test(secret)) return secret
  const message =
    'The client secret must be one line without spaces: only the value of `client_secret`, not the JSON file of Google.'
  throw new AppError('invalid', 'client_secret_malformed', message)
}

async function fetchDsn(
  environment: CliEnvironment,
  login: GoogleLogin,
  { waitMs, opensBrowser }: { waitMs: number; opensBrowser: boolean },
): Promise<string> {
  const { generateRandomCodeVerifier, generateRandomState } = await import('oauth4webapi')
  const { config } = readSettings(environment)
  const interrupted = new AbortController()
  environment.once('SIGINT', () => interrupted.abort(stopped()))
  const outbound = new OutboundFetch({ rules: outboundRules(config) })
  const server = await LoopbackServer.open()
  try {
    const request = {
      endpoints: environment.googleEndpoints ?? googleEndpoints,
      clientId: login.clientId,
      redirectUri: server.redirectUri,
      state: generateRandomState(),
      codeVerifier: generateRandomCodeVerifier(),
    }
    const url = await createAuthorizationUrl(request, login.mailbox)
    const late = new AbortController()
    const timer = setTimeout(() => late.abort(timedOut(waitMs)), waitMs)
    const received = server.receive(
      request.state,
      AbortSignal.any([interrupted.signal, late.signal]),
    )
    sayUrl(environment, url, { redirectUri: server.redirectUri, waitMs })
    if (opensBrowser) openBrowser(url, environment.env)
    const response = await received.finally(() => clearTimeout(timer))
    const { refreshToken, warnings } = await exchangeCode({
      ...request,
      clientSecret: login.clientSecret,
      clientType: 'Desktop app',
      response,
      fetch: outbound.fetch,
      signal: interrupted.signal,
    })
    for (const warning of warnings) environment.stderr.write(`${warning}\n`)
    return createGoogleDsn(login, refreshToken)
  } finally {
    await server.close()
    await outbound.close()
  }
}

function sayUrl(
  { stderr }: CliEnvironment,
  url: string,
  { redirectUri, waitMs }: { redirectUri: string; waitMs: number },
): void {
  const { port } = new URL(redirectUri)
  const lines = [
    'Open this page in a browser on this machine, and allow the access:',
    `  ${url}`,
    `If the browser is on another machine, forward the port first: ssh -L ${port}:127.0.0.1:${port} SERVER`,
    'If Google shows "redirect_uri_mismatch", the client is not of the type "Desktop app".',
    `Waiting for Google for ${formatWait(waitMs)}; Ctrl+C ends this.`,
  ]
  stderr.write(`${lines.join('\n')}\n`)
}

async function saveTransport(
  app: App,
  { name, mailerDsn, mailbox }: { name: string; mailerDsn: string; mailbox: string | undefined },
  output: Output,
): Promise<void> {
  // Google refuses, or rewrites, another sender than the mailbox.
  const input = { name, mailerDsn, testedEmailFrom: mailbox ?? null }
  const context = { caller: operator, isAtomic: true }
  const { item } = unwrap((await app.transports.create([input], context))[0])
  const { id, isPublished, warnings = [] } = item
  output.print({ id, name: item.name, isPublished, warnings }, [
    `Transport "${item.name}" was created with the id ${id}.`,
    ...warnings,
    `Test it: ${commandName} transport test ${id} --to ${mailbox ?? 'you@example.com'}`,
  ])
}

function timedOut(waitMs: number): AppError {
  const message =
    `Google did not answer within ${formatWait(waitMs)}. Repeat the command, and allow the access in the browser. ` +
    'If Google showed "redirect_uri_mismatch" or "invalid_client", use the client id of a client of the type "Desktop app".'
  return new AppError('upstream', 'google_timeout', message)
}

function stopped(): AppError {
  return new AppError('invalid', 'google_stopped', 'Stopped. No token was fetched.')
}
