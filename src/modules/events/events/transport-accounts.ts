import type { Transaction } from 'kysely'
import { defaultTransport } from '../../../core/delivery/index.ts'
import type { TransportRow, Transports, TransportTables } from '../../../core/transports/index.ts'
import { BoundedMemory } from '../../../kit/bounded-memory.ts'
import { noBrand } from '../../../kit/caller.ts'
import type { Log } from '../../../kit/log.ts'
import { findDeletedRows } from '../../../platform/resource/index.ts'

/** What is read of transports in a transaction: see `TransportAccounts.read`. */
export interface ReadTransports {
  /**
   * Whether the events of a transport's webhook count for messages of another transport: both use one account of a provider. The
   * callers of a Mautic may set the key of the webhooks of its transports: their events count for its transports only.
   */
  sharesAccount(webhook: number, other: number): boolean
  /** Undefined for the default transport and for one that was erased. */
  find(id: number): Pick<TransportRow, 'id' | 'brand_id' | 'is_public_only'> | undefined
}

export interface TransportAccountsOptions {
  transports: Pick<Transports, 'dsnOf'>
  /** Names the accounts of a DSN without their secrets; see mailer/. It throws for a DSN that cannot be read. */
  accountsOf: (dsn: string) => readonly string[]
  /** The DSN of the default transport. */
  defaultDsn: string | undefined
  log: Log
}

/** Transports whose accounts are remembered, each until its DSN is changed. */
const rememberedMax = 5_000

/** Knows which transports use which accounts. Several may share one: its provider then reports the messages of all of them. */
export class TransportAccounts {
  readonly #options: TransportAccountsOptions
  readonly #known = new BoundedMemory<number, { sealed: string; accounts: readonly string[] }>({
    sizeMax: rememberedMax,
  })
  readonly #ofDefault: readonly string[]

  constructor(options: TransportAccountsOptions) {
    this.#options = options
    this.#ofDefault = this.#readAccounts(options.defaultDsn)
  }

  /** Reads transports by their ids, also deleted ones: their last messages still get events. */
  async read(tx: Transaction<object>, ids: Iterable<number>): Promise<ReadTransports> {
    const rows = await findTransports(
      tx,
      [...new Set(ids)].filter((id) => id > defaultTransport),
    )
    const accounts = new Map([[defaultTransport, this.#ofDefault]])
    for (const row of rows) accounts.set(row.id, await this.#findAccounts(row))
    const byId = new Map(rows.map((row) => [row.id, row]))
    return {
      sharesAccount(webhook, other) {
        if (webhook === other) return true
        const owner = byId.get(webhook)?.brand_id ?? noBrand
        if (owner !== noBrand && byId.get(other)?.brand_id !== owner) return false
        const ofOther = accounts.get(other) ?? []
        return accounts.get(webhook)?.some((each) => ofOther.includes(each)) === true
      },
      find: (id) => byId.get(id),
    }
  }

  async #findAccounts(row: AccountRow): Promise<readonly string[]> {
    const { id, mailer_dsn: sealed } = row
    const known = this.#known.get(id)
    if (known?.sealed === sealed) return known.accounts
    const dsn = await this.#openDsn(row)
    if (dsn === undefined) return []
    const accounts = this.#readAccounts(dsn)
    this.#known.set(id, { sealed, accounts })
    return accounts
  }

  /** Undefined if its key is missing, which the transport itself reports, or cannot be read now. */
  async #openDsn(row: AccountRow): Promise<string | undefined> {
    try {
      return await this.#options.transports.dsnOf(row)
    } catch (err) {
      this.#options.log.debug({ err, transportId: row.id }, 'accounts of a transport not known')
      return undefined
    }
  }

  #readAccounts(dsn: string | undefined): readonly string[] {
    if (dsn === undefined) return []
    try {
      return this.#options.accountsOf(dsn)
    } catch {
      return []
    }
  }
}

const columns = ['id', 'brand_id', 'is_public_only', 'mailer_dsn'] as const
type AccountRow = Pick<TransportRow, (typeof columns)[number]>

async function findTransports(
  tx: Transaction<object>,
  ids: readonly number[],
): Promise<AccountRow[]> {
  if (ids.length === 0) return []
  const query = tx.withTables<TransportTables>().selectFrom('transports').select(columns)
  const rows = await query.where('id', 'in', ids).execute()
  const known = new Set(rows.map(({ id }) => id))
  const deleted = ids.filter((id) => !known.has(id))
  return [...rows, ...(await findDeletedRows<TransportRow>(tx, 'transports', deleted))]
}
