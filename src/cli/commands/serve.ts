import { type AppOptions, createServer, openApp } from '../../app.ts'
import { trackConnections } from '../../http/index.ts'
import type { Door } from '../../relay/index.ts'
import { explainStartFailure, lockServing, type ServerLock } from '../../storage/index.ts'
import type { CommandContext } from '../command-context.ts'
import { exitCodes } from '../exit-codes.ts'
import { listen } from '../listen.ts'
import { findMissingDatabase } from '../missing-database.ts'
import { releaseMemoryWhenIdle } from '../release-memory.ts'
import { readAppOptions } from '../session.ts'
import type { Surroundings } from '../surroundings.ts'

/** Requests in flight have this long to end. */
const closeTimeoutMs = 30_000
/** What is cancelled by then is answered before the connections are closed. */
const answerTimeMs = 3_000
/** By then whoever waited for the start has been answered. */
const releaseMemoryAfterMs = 3_000

/** Serves until it is told to stop; what is in flight is finished first. */
export async function serve({ surroundings }: CommandContext): Promise<number> {
  const options = readAppOptions(surroundings)
  const { config } = options
  // From here on, so that a stop during the start is heard too: it follows at once.
  const stopAsked = untilStopAsked(surroundings)
  const missing = findMissingDatabase(config)
  const lock = takeLock(config)
  try {
    return await serveLocked(options, { missing, stopAsked })
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
  options: AppOptions,
  { missing, stopAsked }: { missing: string | undefined; stopAsked: Promise<string> },
): Promise<number> {
  const { config, log } = options
  const app = await openApp(options)
  if (missing !== undefined) log.info({ path: missing }, 'a new database was made')
  const server = await createServer(app, options)
  const connections = trackConnections(server.server)
  let door: Door | undefined
  try {
    await app.start()
    door = await app.openDoor()
    await listen(server, config)
    setTimeout(releaseMemoryWhenIdle, releaseMemoryAfterMs).unref()
    log.info({ signal: await stopAsked }, 'stopping')
    const endDrain = connections.drain(closeTimeoutMs)
    const drained = app.sending.drain(closeTimeoutMs - answerTimeMs)
    await Promise.all([server.close(), door.close(closeTimeoutMs), drained])
    endDrain()
  } finally {
    await door?.close(0)
    await app.close()
  }
  log.info('stopped')
  return exitCodes.ok
}

function untilStopAsked(surroundings: Surroundings): Promise<string> {
  return new Promise((resolve) => {
    for (const name of ['SIGINT', 'SIGTERM'] as const) surroundings.once(name, () => resolve(name))
  })
}
