import { type App, type AppOptions, createServer, openApp } from '../../../app.ts'
import { AppError } from '../../../kit/app-error.ts'
import { sleep } from '../../../kit/timers.ts'
import { type HttpApp, trackConnections } from '../../../platform/http/index.ts'
import {
  checkDatabase,
  explainStartFailure,
  lockServing,
  type ServerLock,
  wasLeftOpen,
} from '../../../platform/storage/index.ts'
import type { CommandInput } from '../command.ts'
import { exitCodes } from '../errors.ts'
import type { CliEnvironment, CommandContext } from '../output.ts'
import { collectGarbageEarly, releaseMemoryWhenIdle } from '../release-memory.ts'
import { readAppOptions, showFirstLogin } from '../session.ts'

/** How long open requests may take after a stop. */
const closeTimeoutMs = 30_000
/** How long cancelled requests have to be answered before connections are closed. */
const answerTimeMs = 3_000
/** The first release of memory waits until the first requests are answered. */
const releaseMemoryAfterMs = 3_000

/** `mailyard serve`: serves until SIGINT or SIGTERM, then finishes open requests. */
export async function serve(
  { environment }: CommandContext,
  { flags: { backedUp: isBackedUp = false } }: CommandInput,
): Promise<number> {
  const options = { ...readAppOptions(environment), isBackedUp }
  // Listens for signals from here on, so that a stop during the start is not lost.
  const stopRequested = waitForStop(environment)
  const lock = takeLock(options.config)
  try {
    return await serveLocked(environment, options, stopRequested)
  } finally {
    lock.release()
  }
}

function takeLock({ databaseUrl }: AppOptions['config']): ServerLock {
  try {
    return lockServing(databaseUrl)
  } catch (error) {
    throw explainStartFailure(error, databaseUrl)
  }
}

async function serveLocked(
  environment: CliEnvironment,
  options: AppOptions,
  stopRequested: Promise<string>,
): Promise<number> {
  const { config, log } = options
  const isLeftOpen = wasLeftOpen(config.databaseUrl)
  const app = await openApp(options)
  const server = await createServer(app, options)
  const connections = trackConnections(server.server)
  let smtpServer: Awaited<ReturnType<App['openSmtpServer']>> | undefined
  try {
    try {
      await app.start()
      smtpServer = await app.openSmtpServer()
      await listen(server, config)
    } finally {
      // After a start that failed, too: the next one has none.
      showFirstLogin(environment, app)
    }
    void sleep(releaseMemoryAfterMs, { isRef: false }).then(releaseMemoryWhenIdle)
    void collectGarbageEarly()
    if (isLeftOpen) void checkAfterUncleanEnd(options)
    log.info({ signal: await stopRequested }, 'stopping')
    const endDrain = connections.drain(closeTimeoutMs)
    const drained = app.drain(closeTimeoutMs - answerTimeMs)
    await Promise.all([server.close(), smtpServer.close(closeTimeoutMs), drained])
    endDrain()
  } finally {
    await smtpServer?.close(0)
    await app.close()
  }
  log.info('stopped')
  return exitCodes.ok
}

/** Checks the database while requests are served, and logs what it finds. */
async function checkAfterUncleanEnd({
  config,
  log,
}: Pick<AppOptions, 'config' | 'log'>): Promise<void> {
  log.warn('database not closed by the last process')
  try {
    const faults = await checkDatabase(config.databaseUrl)
    if (faults.length === 0) log.info('database checked: no faults')
    else log.error({ faults }, 'database damaged: stop, and restore the last back-up')
  } catch (err) {
    log.warn({ err }, 'database not checked')
  }
}

function waitForStop(environment: CliEnvironment): Promise<string> {
  return new Promise((resolve) => {
    for (const name of ['SIGINT', 'SIGTERM'] as const) environment.once(name, () => resolve(name))
  })
}

/** Starts to listen. Throws an AppError (`conflict`) that names the setting to change. */
export async function listen(
  server: HttpApp,
  { host, port }: { host: string; port: number },
): Promise<void> {
  const listenTextResolver = (address: string) => `listening at ${address}`
  try {
    await server.listen({ host, port, listenTextResolver })
  } catch (error) {
    const reason = explain(error as NodeJS.ErrnoException)
    const message = `The API cannot listen on ${host}, port ${port}: ${reason}`
    throw new AppError('conflict', 'api_port', message, { cause: error })
  }
}

function explain({ code, message }: NodeJS.ErrnoException): string {
  switch (code) {
    case 'EADDRINUSE':
      return 'the port is in use. Stop the other process or set MAILYARD_PORT.'
    case 'EACCES':
      return 'this user has no permission. Set MAILYARD_PORT to 1024 or above.'
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return 'this machine does not have the address. Set MAILYARD_HOST to one of its addresses.'
    default:
      return `${message}. See MAILYARD_HOST and MAILYARD_PORT.`
  }
}
