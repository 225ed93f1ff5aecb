import { type Kysely, sql } from 'kysely'
import type { Clock } from '../../kit/clock.ts'
import type { Log } from '../../kit/log.ts'
import { runQuery, type Statements, type Storage } from '../../storage/index.ts'
import { persist } from '../persist.ts'
import type { DeliveryTables } from '../table.ts'
import { createGroupCommit } from './group-commit.ts'

/** A sender that has lost a reply asks again within minutes. */
const lostReplyMs = 300_000
/** How long a stop waits for a database that does not answer. */
const closeWaitMs = 2_000

/**
 * Which accepted messages without a Message-ID were acknowledged: their sender's 250 was written to the
 * connection. The same bytes once more are a retry for as long as the reply may have been lost, and another
 * message after that, such as an alert; without an acknowledgement they are a retry for a day.
 */
export interface Acknowledgements {
  /** Writes down that the sender of these was answered 250; it neither waits nor throws. */
  note(messageKeys: readonly string[]): void
  /** Waits until what was noted is written down, but not for a database that is gone. */
  close(): Promise<void>
}

interface Acknowledged {
  messageKeys: readonly string[]
  at: number
}

export function openAcknowledgements(
  storage: Storage,
  { clock, log }: { clock: Clock; log: Log },
): Acknowledgements {
  const db = storage.tables<DeliveryTables>()
  const write = createGroupCommit(storage).together(
    createWriteAcknowledged(db),
    ({ messageKeys }: Acknowledged) => messageKeys.length,
  )
  const writing = new Set<Promise<void>>()
  return {
    note(messageKeys) {
      const acknowledged = { messageKeys, at: clock.now() }
      const written = persist(async () => void (await write(acknowledged)), log).finally(() => {
        writing.delete(written)
      })
      writing.add(written)
    },
    async close() {
      const late = AbortSignal.timeout(closeWaitMs)
      const expired = new Promise<void>((resolve) => {
        late.addEventListener('abort', () => resolve())
      })
      await Promise.race([Promise.allSettled(writing), expired])
    },
  }
}

/** A message that is acknowledged again is no later for it: an alert each minute would never be sent again. */
function createWriteAcknowledged(db: Kysely<DeliveryTables>) {
  return function* (all: readonly Acknowledged[]): Statements<undefined[]> {
    for (const { messageKeys, at } of all) {
      const update = db.updateTable('deliveries').set({ acknowledged_at: at })
      const unacknowledged = update.where('acknowledged_at', 'is', null)
      yield* runQuery(unacknowledged.where('message_key', 'in', messageKeys).compile())
    }
    return all.map(() => undefined)
  }
}

/** Lets some messages be sent again whose senders were acknowledged minutes ago; returns how many rows changed. */
export function releaseAcknowledged(
  db: Kysely<DeliveryTables>,
  { now, limit }: { now: number; limit: number },
): Promise<unknown[]> {
  const due = db
    .selectFrom('deliveries')
    .select('id')
    .where('acknowledged_at', '<=', now - lostReplyMs)
    .where('message_key', 'is not', null)
    .orderBy('acknowledged_at')
    .limit(limit)
  const update = db.updateTable('deliveries').set({ message_key: null, acknowledged_at: null })
  return update.where('id', 'in', due).where('outcome', '=', 'accepted').returning('id').execute()
}

/**
 * What processes that have crashed accepted without a note of the acknowledgement counts as acknowledged now: the note may
 * have been lost with the process, and a message that is sent a second time does less harm than one that is lost.
 */
export async function acknowledgeForCrashed(
  db: Kysely<DeliveryTables>,
  { processIds, now }: { processIds: readonly string[]; now: number },
): Promise<void> {
  await db
    .updateTable('deliveries')
    .set({ acknowledged_at: now })
    .where(sql<boolean>`${sql.raw(unacknowledged)}`)
    .where('process_id', 'in', processIds)
    .where('outcome', '=', 'accepted')
    .execute()
}

/** The condition of a small index, word for word. */
export const unacknowledged =
  "message_key is not null and message_id is null and source = 'smtp' and acknowledged_at is null"
