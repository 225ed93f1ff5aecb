import { setTimeout } from 'node:timers/promises'
import type { DeliveryTables } from '../../src/core/delivery/table.ts'
import type { QueueTables } from '../../src/core/queue/table.ts'
import { openStorage, type Storage } from '../../src/platform/storage/index.ts'

/** The steps of a message in the queue, in order, as they can be seen in the database. */
export const queueSteps = ['stored', 'claimed', 'attempted', 'settled'] as const
export type QueueStep = (typeof queueSteps)[number]

/** A look into the database of a relay, from another process. */
export interface QueueView {
  /** Calls `onStep` for each step that messages have made since the last call. */
  look(onStep: (step: QueueStep) => void): Promise<void>
  /** Returns the recipients in the queue by state. */
  count(): Promise<Record<string, number>>
  /** Returns `<sender> <recipient>` of those whose outcome is uncertain. */
  listUncertain(): Promise<Set<string>>
  close(): Promise<void>
}

interface Seen {
  claimed: ReadonlySet<number>
  lastRecipient: number
  lastDelivery: number
}

export function openQueueView(databaseUrl: string): QueueView {
  const storage = openStorage({ url: databaseUrl, onIdleError: () => undefined })
  const db = storage.tables<QueueTables & DeliveryTables>()
  let seen: Seen | undefined
  return {
    async look(onStep) {
      const now = await see(storage)
      const before = seen ?? now
      seen = now
      if (now.lastRecipient > before.lastRecipient) onStep('stored')
      if (now.lastDelivery > before.lastDelivery) onStep('attempted')
      if ([...now.claimed].some((id) => !before.claimed.has(id))) onStep('claimed')
      if ([...before.claimed].some((id) => !now.claimed.has(id))) onStep('settled')
    },
    async count() {
      const query = db.selectFrom('queue_recipients').groupBy('state')
      const rows = await query
        .select(['state', (select) => select.fn.countAll<number>().as('count')])
        .execute()
      return Object.fromEntries(rows.map(({ state, count }) => [state, Number(count)]))
    },
    async listUncertain() {
      const rows = await db
        .selectFrom('queue_recipients')
        .innerJoin('queue_messages', 'queue_messages.id', 'queue_recipients.message_id')
        .select(['queue_messages.sender', 'queue_recipients.address'])
        .where('queue_recipients.state', '=', 'uncertain')
        .execute()
      return new Set(rows.map(({ sender, address }) => `${sender} ${address}`))
    },
    close: () => storage.close(),
  }
}

async function see(storage: Storage): Promise<Seen> {
  const db = storage.tables<QueueTables & DeliveryTables>()
  const lastOf = async (table: 'queue_recipients' | 'deliveries') => {
    const row = await db.selectFrom(table).select('id').orderBy('id', 'desc').executeTakeFirst()
    return row?.id ?? 0
  }
  const claimed = await db
    .selectFrom('queue_recipients')
    .select('id')
    .where('claimed_by', 'is not', null)
    .execute()
  return {
    claimed: new Set(claimed.map(({ id }) => id)),
    lastRecipient: await lastOf('queue_recipients'),
    lastDelivery: await lastOf('deliveries'),
  }
}

/** Watches the queue until it is closed. */
export function watchQueue(
  databaseUrl: string,
  onStep: (step: QueueStep) => void,
): () => Promise<void> {
  const view = openQueueView(databaseUrl)
  let isOpen = true
  const watch = async () => {
    while (isOpen) {
      await view.look(onStep).catch(() => undefined)
      await setTimeout(5)
    }
  }
  const watching = watch()
  return async () => {
    isOpen = false
    await watching
    await view.close()
  }
}
