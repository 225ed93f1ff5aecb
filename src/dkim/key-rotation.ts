import type { Transaction } from 'kysely'
import { validationError } from '../http/index.ts'
import { type Caller, callerKey } from '../kit/caller.ts'
import type { Clock } from '../kit/clock.ts'
import { SingleFlight } from '../kit/single-flight.ts'
import { editStamp, type Keyring, type Storage } from '../storage/index.ts'
import { dkimKeyNotFound, firstCheckMs } from './dkim-records.ts'
import type { DkimSecrets } from './dkim-secrets.ts'
import type { KeyMaker } from './key-material.ts'
import type { RotationInput } from './schema.ts'
import { chooseSelector, findSelectorFault } from './selector.ts'
import { noRotation, readRemovable } from './state-after.ts'
import type { DkimKeyRow, DkimTables } from './table.ts'

/** Starts and cancels rotations. The look-up that finds the next record ends one. */
export class KeyRotation {
  readonly #storage: Storage
  readonly #keyring: Keyring
  readonly #secrets: DkimSecrets
  readonly #keys: KeyMaker
  readonly #clock: Clock
  /** A hundred equal requests make one key. */
  readonly #starting = new SingleFlight<string, void>()

  constructor(parts: {
    storage: Storage
    keyring: Keyring
    secrets: DkimSecrets
    keys: KeyMaker
    clock: Clock
  }) {
    this.#storage = parts.storage
    this.#keyring = parts.keyring
    this.#secrets = parts.secrets
    this.#keys = parts.keys
    this.#clock = parts.clock
  }

  /**
   * Creates the next key, unless there is one as requested.
   *
   * @throws AppError (`not_found`, `invalid`, `rate_limited`).
   */
  start(id: number, request: RotationInput, caller: Caller): Promise<void> {
    const { algorithm, selector } = request
    const key = JSON.stringify([id, algorithm, selector])
    return this.#starting.run(key, () => this.#start(id, request, caller))
  }

  async #start(id: number, request: RotationInput, caller: Caller): Promise<void> {
    const before = await this.#find(id)
    if (isAsRequested(before, request)) return
    // No key is made for a request that is refused.
    selectNext(before, request, this.#clock.now())
    const algorithm = request.algorithm ?? before.algorithm
    const material = await this.#keys.create(algorithm, callerKey(caller))
    await this.#storage.transaction(async (tx: Transaction<DkimTables>) => {
      const row = await lockRow(tx, id)
      // Another request may have been faster: all of them answer one key.
      if (isAsRequested(row, request)) return
      const now = this.#clock.now()
      const selector = selectNext(row, request, now)
      const sealer = await this.#keyring.sealer(tx)
      const sealed = this.#secrets.sealWith(sealer, 'next_private_key', material.privateKey)
      await tx
        .updateTable('dkim_keys')
        .set({
          next_algorithm: material.algorithm,
          next_selector: selector,
          next_private_key: sealed,
          next_public_key: material.publicKey,
          next_problem: null,
          next_added_at: now,
          check_at: now + firstCheckMs,
          ...editStamp(row, { caller, clock: this.#clock }),
        })
        .where('id', '=', id)
        .execute()
    })
  }

  /** Deletes the next key, if there is one. Throws an AppError (`not_found`). */
  async cancel(id: number, caller: Caller): Promise<void> {
    await this.#storage.transaction(async (tx: Transaction<DkimTables>) => {
      const row = await lockRow(tx, id)
      if (row.next_selector === null) return
      const change = { ...noRotation, ...editStamp(row, { caller, clock: this.#clock }) }
      await tx.updateTable('dkim_keys').set(change).where('id', '=', id).execute()
    })
  }

  async #find(id: number): Promise<DkimKeyRow> {
    const query = this.#storage.tables<DkimTables>().selectFrom('dkim_keys').selectAll()
    const row = await query.where('id', '=', id).executeTakeFirst()
    if (row === undefined) throw dkimKeyNotFound(id)
    return row
  }
}

async function lockRow(tx: Transaction<DkimTables>, id: number): Promise<DkimKeyRow> {
  const query = tx.selectFrom('dkim_keys').selectAll().where('id', '=', id)
  const row = await query.forUpdate().executeTakeFirst()
  if (row === undefined) throw dkimKeyNotFound(id)
  return row
}

/** Whether a rotation is under way that has what a request asks for. */
function isAsRequested(row: DkimKeyRow, { algorithm, selector }: RotationInput): boolean {
  if (row.next_selector === null) return false
  const wanted = selector?.toLowerCase() ?? row.next_selector
  return wanted === row.next_selector && (algorithm ?? row.next_algorithm) === row.next_algorithm
}

/** Returns the selector of the next key. Throws an AppError (`invalid`). */
function selectNext(row: DkimKeyRow, request: RotationInput, now: number): string {
  const used = usedSelectors(row)
  const selector = request.selector?.toLowerCase() ?? chooseSelector(now, used)
  const fault = used.includes(selector)
    ? `is in use: choose another one than ${selector}`
    : findSelectorFault(selector, row.domain)
  if (fault !== undefined) throw validationError({ selector: [fault] })
  return selector
}

/** The selectors whose records may be in DNS or its caches, that of a rotation that is replaced included. */
function usedSelectors(row: DkimKeyRow): string[] {
  const removable = readRemovable(row).map(({ selector }) => selector)
  return [row.selector, row.next_selector, ...removable].filter((selector) => selector !== null)
}
