import { resolve } from 'node:path'
import { type AppOptions, install, migrations, openDatabase } from './app/database.ts'
import { type Core, openCore } from './core/core.ts'
import type { Module } from './core/module.ts'
import { Gateway } from './edges/gateway/index.ts'
import { BounceMail, openRelay, type SmtpServer } from './edges/relay/index.ts'
import { idleAll } from './kit/worker.ts'
import { EventsModule } from './modules/events/index.ts'
import { HealthModule } from './modules/health/index.ts'
import { InboxModule } from './modules/inbox/index.ts'
import { PreviewModule } from './modules/preview/index.ts'
import { SendersModule } from './modules/senders/index.ts'
import { WebhooksModule } from './modules/webhooks/index.ts'
import { openAppKeyring } from './platform/config/index.ts'
import { Installation } from './platform/installation/index.ts'
import { databaseFile, type Migrated, openSigningKey } from './platform/storage/index.ts'

export { type AppOptions, inspectDatabase, openDatabase } from './app/database.ts'
export { createServer } from './app/server.ts'
export { dsnOptionsOf } from './core/core.ts'

/** What can be left out: each is opened with the core, and with those that are opened before it. */
export const allModules = {
  webhooks: WebhooksModule,
  inbox: InboxModule,
  events: EventsModule,
  senders: SendersModule,
  preview: PreviewModule,
  health: HealthModule,
}

type AllModules = typeof allModules
type OpenModules = { [Name in keyof AllModules]: InstanceType<AllModules[Name]> }

/** The open core and modules, and what starts and stops them. */
export type App = Awaited<ReturnType<typeof openApp>>

/**
 * Opens the database and all parts, from the lowest to the highest, and creates the first administrator of a new database.
 *
 * @param modules Those that it has. Without one, the member of the result that is named for it is missing.
 */
export async function openApp(options: AppOptions, modules: Partial<AllModules> = allModules) {
  const { config, log, clock } = options
  const { storage, migrated } = await openDatabase(options)
  logMigrated(migrated, options)
  try {
    const keyring = await openAppKeyring(config, { storage, clock })
    const firstLogin = await install(storage, options)
    const installation = new Installation({ storage, config, log })
    await installation.read()
    const signingKeys = {
      links: await openSigningKey({ storage, keyring }, 'links'),
      returnPaths: await openSigningKey({ storage, keyring }, 'return paths'),
    }
    const core = openCore({
      config,
      clock,
      log,
      storage,
      keyring,
      installation,
      signingKeys,
      migrations,
      reading: options.reading,
      intervals: options.intervals,
      passwordCost: options.passwordCost,
      googleEndpoints: options.googleEndpoints,
      providerFetch: options.providerFetch,
    })
    return { ...openParts(core, options, modules), firstLogin }
  } catch (error) {
    await storage.close()
    throw error
  }
}

function logMigrated({ names, from, to, copy }: Migrated, { config, log }: AppOptions): void {
  if (names.length === 0) return
  const file = databaseFile(config.databaseUrl)
  if (from === undefined) log.info({ path: file && resolve(file), version: to }, 'database created')
  else log.info({ from, to, migrations: names.length, copy }, 'database migrated')
}

function openParts(core: Core, options: AppOptions, chosen: Partial<AllModules>) {
  const { config, clock, log, auth, mautics, storage } = core
  const named = {} as OpenModules
  for (const [name, OneModule] of Object.entries(chosen))
    Object.assign(named, { [name]: new OneModule(core, Object.values(named)) })
  const modules: readonly Module[] = Object.values(named)
  const gateway = new Gateway({
    clock,
    log,
    answerMs: options.mauticAnswerMs,
    outboundRules: core.rules,
    mautics,
    loginLimits: auth.loginLimits,
    loginRules: auth.loginRules,
    findGrants: (roleId) => auth.findGrants(roleId),
  })
  const { start, idle, stop, ...parts } = core
  return {
    ...parts,
    ...named,
    modules,
    gateway,
    /** Starts the delivery of queued messages, and the background tasks. */
    async start(): Promise<void> {
      for (const each of modules) await each.start?.()
      await start()
      for (const each of modules) each.started?.()
    },
    /** Opens the SMTP server on the configured ports. The caller closes it before the app. */
    async openSmtpServer(): Promise<SmtpServer> {
      const { returnPaths } = core
      const { events }: Partial<OpenModules> = named
      const receiver = events?.reports
      const server = await openRelay({
        clock,
        log,
        delivery: core.delivery,
        logins: auth.logins,
        checkSender: core.sendingBrands.check,
        config,
        rereadConfig: options.rereadConfig,
        memory: core.memory,
        bounceMail: returnPaths && receiver && new BounceMail({ returnPaths, receiver, log }),
      })
      core.smtp.listens(server)
      return server
    },
    /** Takes nothing new, and waits for deliveries in flight; cancels those after `timeMs`. */
    async drain(timeMs: number): Promise<void> {
      for (const each of modules) await each.drain?.()
      await core.delivery.drain(timeMs)
    },
    /** Does what is due, and resolves when nothing is any more. */
    async idle(): Promise<void> {
      const workers = [
        core,
        ...modules.map((each) => ({ idle: async () => (await each.idle?.()) ?? false })),
      ]
      // What one of them does may be due for another.
      while (await idleAll(workers));
    },
    async close(): Promise<void> {
      try {
        for (const each of modules) await each.drain?.()
        // What is sent may still need a module: they stop after it.
        await stop()
        for (const each of modules.toReversed()) await each.stop?.()
        await gateway.close()
      } finally {
        await storage.close()
      }
    },
  }
}
