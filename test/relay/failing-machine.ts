import assert from 'node:assert/strict'
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Clock, systemClock } from '../../src/kit/clock.ts'
import type { SmtpMode } from '../../src/kit/smtp-mode.ts'
import { adminPassword } from '../administrator.ts'
import { testDatabases } from '../databases.ts'
import { type LossyDisk, openLossyDisk } from '../lossy-disk.ts'
import { createQuickFolder } from '../quick-folder.ts'
import { quickIntervals } from '../send-fixture.ts'
import { openTestApp, type TestApp } from '../test-app.ts'
import { type Cable, openCable } from './cable.ts'
import type { TestRelay } from './open-relay.ts'

/** How a machine fails: its processes are killed, or it also forgets what was not synced. */
export type MachineFailure = 'killed' | 'without power'

/** The moments of a commit: before the database has it, and before Mailyard knows that it has it. */
export const commitSteps = ['commit', 'committed'] as const
export type CommitStep = (typeof commitSteps)[number]

export interface FailingMachineOptions {
  databaseName: string
  failure: MachineFailure
  mode: SmtpMode
  /** The port of the default transport's server. */
  upstreamPort: number
}

/**
 * A Mailyard in this process that fails like a machine: its connections break at once, and the next one starts with what
 * its disk has then. The failed one goes on without connections, on files that nothing else uses.
 */
export interface FailingMachine extends Omit<TestRelay, 'folder' | 'output'> {
  readonly databaseUrl: string
  onCommit: (step: CommitStep) => void
}

/** What one Mailyard runs on. */
interface Running {
  service: TestApp
  cables: readonly Cable[]
  disk: LossyDisk | undefined
}

export async function openFailingMachine(options: FailingMachineOptions): Promise<FailingMachine> {
  const database = await createDatabase(options.databaseName)
  const folders = createQuickFolder('mailyard-machine-')
  const clients = await openCable()
  const closings: Promise<unknown>[] = []
  let running: Running | undefined
  let aheadMs = 0
  const clock = { ...systemClock, now: () => Date.now() + aheadMs }
  let { url: databaseUrl } = database
  const machine: FailingMachine = {
    get databaseUrl() {
      return databaseUrl
    },
    smtpPort: clients.port,
    login: { username: 'admin', password: adminPassword },
    onCommit: () => undefined,
    async start() {
      const onCommit = (step: CommitStep) => machine.onCommit(step)
      running = await start(options, { url: databaseUrl, clock, onCommit })
      const { port } = await running.service.openSmtpServer()
      clients.leadTo(port ?? 0)
    },
    async kill() {
      if (running === undefined) return
      const { service, cables, disk } = running
      running = undefined
      for (const cable of [clients, ...cables]) cable.cut()
      const hasPower = options.failure === 'killed'
      databaseUrl = copyDisk(databaseUrl, { folders, disk: hasPower ? undefined : disk })
      disk?.close()
      closings.push(service.close().finally(() => Promise.all(cables.map((each) => each.close()))))
    },
    setClock(ms) {
      aheadMs = ms
    },
    async ask(path, body) {
      assert.ok(running !== undefined, 'The machine does not run.')
      const answer = await running.service.ask(body === undefined ? 'GET' : 'POST', path, body)
      assert.ok(answer.status < 300, `${path} answered ${answer.status}: ${answer.text}`)
      return answer.body
    },
    async close() {
      await machine.kill()
      await clients.close()
      await Promise.allSettled(closings)
      await database.drop()
      rmSync(folders, { recursive: true, force: true })
    },
  }
  return machine
}

/** Longer than a message takes to its server: one that does not wait for the disk is lost or sent twice. */
const slowSyncMs = 200

function createDatabase(name: string) {
  const kind = testDatabases.find((each) => each.name === name)
  assert.ok(kind !== undefined)
  return kind.createMigrated()
}

async function start(
  { mode, upstreamPort, failure }: FailingMachineOptions,
  about: { url: string; clock: Clock; onCommit: (step: CommitStep) => void },
): Promise<Running> {
  const { url: databaseUrl, clock, onCommit } = about
  const upstream = await openCable()
  upstream.leadTo(upstreamPort)
  const path = sqlitePath(databaseUrl)
  const link = path === undefined ? await openDatabaseCable(databaseUrl, onCommit) : undefined
  const disk =
    path === undefined
      ? undefined
      : openLossyDisk(path, {
          onSync: (step) => onCommit(step === 'begun' ? 'commit' : 'committed'),
          ...(failure === 'without power' ? { syncMs: slowSyncMs } : {}),
        })
  const config = {
    ...{ smtpMode: mode, smtpWaitSeconds: 1 },
    mailerDsn: `smtp://127.0.0.1:${upstream.port}`,
  }
  const database = { url: link?.url ?? databaseUrl, drop: async () => undefined }
  const service = await openTestApp({ database, config, clock, intervals: quickIntervals })
  const cables = link === undefined ? [upstream] : [upstream, link.cable]
  return { service, cables, disk }
}

/** Leads to a PostgreSQL, and reports the commits that pass. */
async function openDatabaseCable(databaseUrl: string, onCommit: (step: CommitStep) => void) {
  let isCommitting = false
  const cable = await openCable({
    toServer(bytes) {
      if (!bytes.includes('commit\0')) return
      isCommitting = true
      onCommit('commit')
    },
    toClient() {
      if (isCommitting) onCommit('committed')
      isCommitting = false
    },
  })
  const url = new URL(databaseUrl)
  cable.leadTo(Number(url.port))
  url.port = String(cable.port)
  return { cable, url: url.href }
}

function sqlitePath(databaseUrl: string): string | undefined {
  return /^sqlite:(.*)$/.exec(databaseUrl)?.[1]
}

/** Copies what is on the disk of a failed machine; with `disk` only what a power failure leaves. Returns the URL of the copy. */
function copyDisk(
  databaseUrl: string,
  { folders, disk }: { folders: string; disk: LossyDisk | undefined },
): string {
  const path = sqlitePath(databaseUrl)
  if (path === undefined) return databaseUrl
  const copy = join(mkdtempSync(join(folders, 'disk-')), 'mailyard.db')
  copyFileSync(path, copy)
  const log = disk?.logAfterPowerFailure() ?? readFileSync(`${path}-wal`)
  writeFileSync(`${copy}-wal`, log)
  return `sqlite:${copy}`
}
