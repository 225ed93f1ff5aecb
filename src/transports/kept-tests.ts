import { createHmac } from 'node:crypto'
import type { Transaction } from 'kysely'
import { type Caller, callerKey } from '../kit/caller.ts'
import type { Clock } from '../kit/clock.ts'
import { type Keyring, openSigningKey, type Storage } from '../storage/index.ts'
import { columnsOfTest, type FinishedTest, type StoredTest } from './last-tests.ts'
import type { TransportTables } from './table.ts'

/** Values that were tested before they are saved. */
export interface TestedValues {
  /** In clear. */
  dsn: string
  testedEmailFrom: string | null
  /** A test counts for the caller who made it. */
  caller: Caller
}

/** Dependencies of `KeptTests`. */
export interface KeptTestsParts {
  storage: Storage
  keyring: Keyring
  clock: Clock
}

const keepMs = 15 * 60_000

/**
 * Keeps the tests of unsaved values for some minutes, so that a transport that is saved with them counts as tested. A test is
 * found by a keyed hash of its values: the table has no DSN, and a client cannot add a test.
 */
export class KeptTests {
  readonly #parts: KeptTestsParts
  #key: Promise<Buffer> | undefined

  constructor(parts: KeptTestsParts) {
    this.#parts = parts
  }

  async keep(values: TestedValues, test: FinishedTest): Promise<void> {
    const { storage, clock } = this.#parts
    const key = await this.#keyOf(values)
    const columns = columnsOfTest(test, clock.now())
    await storage.transaction(async (tx: Transaction<TransportTables>) => {
      const old = tx.deleteFrom('kept_tests').where('tested_at', '<', clock.now() - keepMs)
      await old.execute()
      await tx
        .insertInto('kept_tests')
        .values({ key, ...columns })
        .onConflict((conflict) => conflict.column('key').doUpdateSet(columns))
        .execute()
    })
  }

  /** Finds the test of exactly these values by the same caller. */
  async find(values: TestedValues): Promise<StoredTest | undefined> {
    const { storage, clock } = this.#parts
    const row = await storage
      .tables<TransportTables>()
      .selectFrom('kept_tests')
      .selectAll()
      .where('key', '=', await this.#keyOf(values))
      .where('tested_at', '>=', clock.now() - keepMs)
      .executeTakeFirst()
    if (row === undefined) return undefined
    const { key: _, ...test } = row
    return { ...test, success: Boolean(test.success) }
  }

  async #keyOf({ dsn, testedEmailFrom, caller }: TestedValues): Promise<string> {
    this.#key ??= openSigningKey(this.#parts, 'kept tests')
    const key = await this.#key.catch((error: unknown) => {
      this.#key = undefined
      throw error
    })
    const values = JSON.stringify([callerKey(caller), dsn, testedEmailFrom])
    return createHmac('sha256', key).update(values).digest('base64url')
  }
}
