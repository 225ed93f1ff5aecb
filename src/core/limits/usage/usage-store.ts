import type { Transaction } from 'kysely'
import type { Storage } from '../../../platform/storage/index.ts'
import type { LimitTables } from '../table.ts'
import {
  emptyUsage,
  exchange,
  type LimitRules,
  type Usage,
  type UsageAsk,
  type UsageGrant,
} from './usage.ts'

/** The usage of all limits, one row for each. */
export class UsageStore {
  readonly #storage: Storage
  readonly #process: string

  constructor(storage: Storage, process: string) {
    this.#storage = storage
    this.#process = process
  }

  /** Answers a process, in one short transaction that locks the row. */
  exchange(key: string, ask: UsageAsk, rules: LimitRules): Promise<UsageGrant> {
    return this.#storage.transaction(async (tx: Transaction<LimitTables>) => {
      const usage = await lockUsage(tx, key)
      const now = await this.#storage.now(tx)
      const grant = exchange(usage, ask, { rules, process: this.#process, now })
      const update = tx.updateTable('limit_usage').set({ state: JSON.stringify(usage) })
      await update.where('key', '=', key).execute()
      return grant
    })
  }

  async find(key: string): Promise<Usage> {
    const query = this.#storage.tables<LimitTables>().selectFrom('limit_usage').select('state')
    const row = await query.where('key', '=', key).executeTakeFirst()
    return row === undefined ? emptyUsage() : readUsage(row)
  }
}

/** Reads the row and locks it until the transaction ends. */
async function lockUsage(tx: Transaction<LimitTables>, key: string): Promise<Usage> {
  const query = tx.selectFrom('limit_usage').select('state').where('key', '=', key).forUpdate()
  const row = await query.executeTakeFirst()
  if (row !== undefined) return readUsage(row)
  const first = { key, state: JSON.stringify(emptyUsage()) }
  const insert = tx.insertInto('limit_usage').values(first)
  await insert.onConflict((conflict) => conflict.doNothing()).execute()
  return readUsage(await query.executeTakeFirstOrThrow())
}

function readUsage({ state }: { state: string }): Usage {
  return JSON.parse(state) as Usage
}
