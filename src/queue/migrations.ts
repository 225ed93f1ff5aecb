import type { Migrations } from '../storage/index.ts'
import { createQueue, createQueueBrakes, createQueueHolds, createQueueNotices } from './table.ts'

/** The tables of queued messages with their recipients, brakes, holds and notices. */
export const queueMigrations: Migrations = {
  async '20261124_72_queue_brakes'(db, database) {
    await createQueue(db, database)
    await createQueueHolds(db)
    await createQueueBrakes(db, database)
    await createQueueNotices(db, database)
  },
}
