import type { Transaction } from 'kysely'
import { pause } from '../kit/pause.ts'
import type { Storage } from '../storage/index.ts'
import type { SuppressionReason, SuppressionRow, SuppressionTables } from './table.ts'

/** Chooses bounces by what found them; a bounce must match all of it. */
export interface UndoFilter {
  /** Null for the configured default. */
  transportId?: number | null | undefined
  deliveryId?: number | undefined
  /** Added since then, in milliseconds since the epoch. */
  addedSince?: number | undefined
}

/** A suppression that was deleted. */
export interface RemovedSuppression {
  address: string
  reason: SuppressionReason
}

/** Called after suppressions were deleted, with the addresses that have no other one for the same reason. It does not throw. */
export type NoteRemoved = (removed: readonly RemovedSuppression[]) => Promise<void>

/** The suppressions of one transaction. */
const rowsPerBatch = 500

/** Takes bounces back that were recorded by mistake, such as those of a relay that refused everyone. */
export class SuppressionUndo {
  readonly #storage: Storage
  readonly #noteRemoved: NoteRemoved

  constructor(storage: Storage, noteRemoved: NoteRemoved) {
    this.#storage = storage
    this.#noteRemoved = noteRemoved
  }

  /** Counts the bounces that match; `owner` is the key of the caller. */
  async count(filter: UndoFilter, owner: string): Promise<number> {
    const { db, isInTime } = this.#storage.lists<SuppressionTables>(owner)
    const counted = this.#matching(db, filter)
      .where(isInTime)
      .select((row) => row.fn.countAll<number>().as('count'))
    return Number((await counted.executeTakeFirstOrThrow()).count)
  }

  /** Deletes the bounces that match, in parts; returns how many. */
  async undo(filter: UndoFilter): Promise<number> {
    let undone = 0
    for (;;) {
      const removed = await this.#storage.transaction(
        async (tx: Transaction<SuppressionTables>) => {
          const query = this.#matching(tx, filter).select('id').orderBy('id').limit(rowsPerBatch)
          const ids = (await query.execute()).map(({ id }) => id)
          if (ids.length === 0) return []
          const removal = tx.deleteFrom('suppressions').where('id', 'in', ids)
          return removal.returning(['address', 'address_key', 'reason']).execute()
        },
      )
      undone += removed.length
      await this.noteRemoved(removed)
      if (removed.length < rowsPerBatch) return undone
      await pause()
    }
  }

  /** Takes back what others were notified of, unless the address is suppressed for the same reason in another scope. */
  async noteRemoved(
    removed: readonly Pick<SuppressionRow, 'address' | 'address_key' | 'reason'>[],
  ): Promise<void> {
    for (let start = 0; start < removed.length; start += rowsPerBatch) {
      const batch = removed.slice(start, start + rowsPerBatch)
      const keys = [...new Set(batch.map((row) => row.address_key))]
      const others = await this.#storage
        .tables<SuppressionTables>()
        .selectFrom('suppressions')
        .select(['address_key', 'reason'])
        .where('address_key', 'in', keys)
        .execute()
      const remaining = new Set(others.map((row) => `${row.reason} ${row.address_key}`))
      await this.#noteRemoved(
        batch
          .filter((row) => !remaining.has(`${row.reason} ${row.address_key}`))
          .map(({ address, reason }) => ({ address, reason })),
      )
    }
  }

  /** What a person has unsubscribed or complained about is never undone together. */
  #matching(
    db: Pick<Transaction<SuppressionTables>, 'selectFrom'>,
    { transportId, deliveryId, addedSince }: UndoFilter,
  ) {
    let rows = db
      .selectFrom('suppressions')
      .where('reason', '=', 'bounced')
      .where('delivery_id', 'is not', null)
    if (transportId === null) rows = rows.where('transport_id', 'is', null)
    else if (transportId !== undefined) rows = rows.where('transport_id', '=', transportId)
    if (deliveryId !== undefined) rows = rows.where('delivery_id', '=', deliveryId)
    if (addedSince !== undefined) rows = rows.where('date_added', '>=', addedSince)
    return rows
  }
}
