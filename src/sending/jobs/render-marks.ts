import type { Transaction } from 'kysely'
import type { Storage } from '../../storage/index.ts'
import { runQuery } from '../../storage/index.ts'
import type { DeliveryTables } from '../table.ts'
import type { SendingTables } from './table.ts'

type Tables = SendingTables & DeliveryTables

const problem =
  'A Mailyard process ended while it rendered this email; the email may need too much memory. Check the email and its templates, then resume.'

/**
 * Marks which sending's email a process renders, so that an email that ends the process does not end it again at each start.
 */
export interface RenderMarks {
  /** Written before the rendering begins; null once it has ended. */
  set(sendingId: number | null): Promise<void>
  /** The sendings whose emails other processes render, or were rendering when they ended. */
  findOthers(): Promise<Set<number>>
  /** Pauses the sendings whose emails other processes were rendering when they ended. */
  pauseOthers(): Promise<void>
}

/** Opens the marks of one process. */
export function openRenderMarks(storage: Storage, processId: string): RenderMarks {
  const db = storage.tables<Tables>()
  const others = (tx: typeof db | Transaction<Tables>) =>
    tx
      .selectFrom('sending_processes')
      .select('rendering')
      .where('id', '<>', processId)
      .where('rendering', 'is not', null)
  return {
    async set(rendering) {
      const update = db.updateTable('sending_processes').set({ rendering })
      const query = update.where('id', '=', processId).compile()
      await storage.write(() => runQuery(query))
    },
    async findOthers() {
      const rows = await others(db).execute()
      return new Set(rows.flatMap((row) => row.rendering ?? []))
    },
    async pauseOthers() {
      await storage.transaction(async (tx: Transaction<Tables>) => {
        const rows = await others(tx).execute()
        await pauseRendered(
          tx,
          rows.flatMap((row) => row.rendering ?? []),
        ) // format
        const marked = tx.updateTable('sending_processes').set({ rendering: null })
        await marked.where('id', '<>', processId).execute()
      })
    },
  }
}

/** Pauses sendings whose email was being rendered when a process ended. */
export async function pauseRendered(
  tx: Transaction<Tables>,
  sendingIds: readonly number[],
): Promise<void> {
  if (sendingIds.length === 0) return
  const update = tx.updateTable('sendings').set({ status: 'paused', problem })
  await update
    .where('id', 'in', [...sendingIds])
    .where('status', '=', 'running')
    .execute()
}
