import { sql } from 'kysely'
import { AppError } from '../../kit/app-error.ts'
import type { Log } from '../../kit/log.ts'
import { SharedCopy } from '../../kit/shared-copy.ts'
import type { Config } from '../config/index.ts'
import type { Storage } from '../storage/index.ts'
import type { Unconfirmed } from './schema.ts'
import type { InstallationTables } from './table.ts'

export interface InstallationOptions {
  storage: Storage
  config: Pick<Config, 'publicUrl' | 'confirmUrl'>
  log: Log
}

const channel = 'installation'
/** A command of the operator on SQLite notifies no other process. */
const renewMs = 1_000
const advice =
  'If the original is off, or this Mailyard takes its place, confirm it: `mailyard confirm`, or in the console.'

/**
 * Whether this database is the original. A copy sends nothing until a person confirms it: one that was restored, or that was last
 * served under another public URL.
 */
export class Installation {
  readonly #options: InstallationOptions
  readonly #copy: SharedCopy<Unconfirmed | undefined>

  constructor(options: InstallationOptions) {
    const { storage, config, log } = options
    this.#options = options
    this.#copy = new SharedCopy({
      read: () => findUnconfirmed(storage, config),
      empty: undefined,
      listen: (onChanged) => storage.listen(channel, onChanged),
      log,
      events: { failed: 'installation not read', recovered: 'installation read again' },
    })
  }

  /** Why nothing is sent; undefined once it is confirmed. */
  get unconfirmed(): Unconfirmed | undefined {
    return this.#copy.value && this.#copy.renew(renewMs)
  }

  /** The same as sentences, with what to do. */
  get problem(): string | undefined {
    const { unconfirmed } = this
    return unconfirmed && `${describeUnconfirmed(unconfirmed)} ${advice}`
  }

  /** Throws an AppError (`conflict`) while nothing may be sent. */
  check(): void {
    const { problem } = this
    if (problem !== undefined) throw new AppError('conflict', 'installation_unconfirmed', problem)
  }

  read(): Promise<void> {
    return this.#copy.read()
  }

  /** Begins to serve: remembers the first public URL, and confirms what the settings confirm. */
  async start(): Promise<void> {
    const { config, log } = this.#options
    const { publicUrl = null, confirmUrl } = config
    this.#copy.listen()
    await this.#db
      .updateTable('installation')
      .set({ public_url: publicUrl })
      .where('public_url', 'is', null)
      .execute()
    if (this.unconfirmed !== undefined && confirmUrl !== undefined && confirmUrl === publicUrl)
      await this.confirm('MAILYARD_CONFIRM_URL')
    if (this.unconfirmed !== undefined)
      log.warn(this.unconfirmed, 'installation not confirmed: nothing is sent')
  }

  stop(): Promise<void> {
    return this.#copy.stop()
  }

  /** Makes this database the original: everything that waits is sent. */
  async confirm(by: string): Promise<void> {
    const { storage, config, log } = this.#options
    const { publicUrl } = config
    const tableId = storage.tableId('installation')
    await this.#db
      .updateTable('installation')
      .set({
        // A command may run without the setting of the service.
        ...(publicUrl === undefined ? {} : { public_url: publicUrl }),
        is_restored: false,
        table_id: tableId,
      })
      .execute()
    await this.#copy.read()
    storage.notify(channel)
    log.info({ by, publicUrl }, 'installation confirmed')
  }

  get #db() {
    return this.#options.storage.tables<InstallationTables>()
  }
}

/** Returns why a database may be a copy; undefined for the original. */
export async function findUnconfirmed(
  storage: Storage,
  { publicUrl }: Pick<Config, 'publicUrl'>,
): Promise<Unconfirmed | undefined> {
  const row = await storage
    .tables<InstallationTables>()
    .selectFrom('installation')
    .select(['public_url', 'is_restored'])
    .select(sql<boolean>`table_id = ${storage.tableId('installation')}`.as('is_same_table'))
    // A restore of the data alone adds the row of the original.
    .orderBy('is_same_table')
    .executeTakeFirstOrThrow()
  const { public_url: url } = row
  const original = url === null ? {} : { servedAs: url }
  if (row.is_restored || !row.is_same_table) return { reason: 'restored', ...original }
  const isOther = url !== null && publicUrl !== undefined && url !== publicUrl
  return isOther ? { reason: 'otherUrl', ...original } : undefined
}

/** Makes a database a copy that a person has to confirm. */
export async function markRestored(storage: Storage): Promise<void> {
  const db = storage.tables<InstallationTables>()
  await db.updateTable('installation').set({ is_restored: true }).execute()
}

export function describeUnconfirmed({ reason, servedAs }: Unconfirmed): string {
  const cause =
    reason === 'restored' ? 'was restored from a back-up' : `was last served as ${servedAs}`
  return `This database ${cause}, and may be a copy: nothing is sent.`
}
