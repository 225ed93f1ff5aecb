import { countChanges } from '../../src/broadcasts/counts.ts'
import { createGroupCommit } from '../../src/delivery/log/group-commit.ts'
import { QueueStore } from '../../src/queue/queue-store.ts'
import type { Storage } from '../../src/storage/index.ts'

/** Opens the store of the queue as a process does that has this id. */
export function openTestStore(storage: Storage, processId: string): QueueStore {
  return new QueueStore({
    storage,
    processId,
    group: createGroupCommit(storage),
    countChanges: (tx, changes) => countChanges(tx, changes, { now: Date.now() }),
    onRemoved: () => undefined,
  })
}
