import { createGroupCommit } from '../../src/core/delivery/log/group-commit.ts'
import { QueueStore } from '../../src/core/queue/queue-store.ts'
import type { Storage } from '../../src/platform/storage/index.ts'

/** Opens the store of the queue as a process does that has this id. */
export function openTestStore(storage: Storage, processId: string): QueueStore {
  return new QueueStore({
    storage,
    processId,
    group: createGroupCommit(storage),
    onRemoved: () => undefined,
  })
}
