import type { Transaction } from 'kysely'
import type { DeliveryTables } from '../delivery/index.ts'
import type { QueueTables } from '../queue/index.ts'
import type { Storage } from '../storage/index.ts'
import { pauseRecipients } from './queued-recipients.ts'
import type { BroadcastTables } from './table.ts'

type Tables = BroadcastTables & QueueTables & DeliveryTables

const problem =
  'A Mailyard process ended while it rendered this email; the email may need too much memory. Check the email and its templates, then resume.'

/**
 * Records the broadcast whose email a process is rendering. If the email ends the process, the broadcast is paused instead
 * of ending each new process.
 */
export interface RenderMarks {
  /** Sets the broadcast before its email is rendered; null afterwards. */
  set(broadcastId: number | null): Promise<void>
  /** Finds the broadcasts whose emails other processes are rendering, or were rendering when they ended. */
  findOthers(): Promise<Set<number>>
  /** Pauses the broadcasts whose emails other processes were rendering when they ended. */
  pauseOthers(): Promise<void>
}

/** Opens the marks of one process. */
export function openRenderMarks(storage: Storage, processId: string): RenderMarks {
  const db = storage.tables<Tables>()
  const others = (tx: typeof db | Transaction<Tables>) =>
    tx
      .selectFrom('delivery_processes')
      .select('rendering')
      .where('id', '<>', processId)
      .where('rendering', 'is not', null)
  return {
    async set(rendering) {
      const update = db.updateTable('delivery_processes').set({ rendering })
      await update.where('id', '=', processId).execute()
    },
    async findOthers() {
      const rows = await others(db).execute()
      return new Set(rows.flatMap((row) => row.rendering ?? []))
    },
    async pauseOthers() {
      await storage.transaction(async (tx: Transaction<Tables>) => {
        const rows = await others(tx).execute()
        const broadcastIds = rows.flatMap((row) => row.rendering ?? [])
        await pauseRendered(tx, broadcastIds)
        const marked = tx.updateTable('delivery_processes').set({ rendering: null })
        await marked.where('id', '<>', processId).execute()
      })
    },
  }
}

/** Pauses broadcasts whose email was being rendered when a process ended. */
export async function pauseRendered(
  tx: Transaction<Tables>,
  broadcastIds: readonly number[],
): Promise<void> {
  if (broadcastIds.length === 0) return
  const update = tx.updateTable('broadcasts').set({ state: 'paused', problem })
  const paused = await update
    .where('id', 'in', [...broadcastIds])
    .where('state', '=', 'running')
    .returning('id')
    .execute()
  for (const { id } of paused) await pauseRecipients(tx, id)
}
