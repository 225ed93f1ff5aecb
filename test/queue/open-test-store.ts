import { createGroupCommit } from '../../src/delivery/log/group-commit.ts'
import type { Storage } from '../../src/platform/storage/index.ts'
import { QueueStore } from '../../src/queue/queue-store.ts'

/** Opens the store of the queue as a process does that has this id. */
export function openTestStore(storage: Storage, processId: string): QueueStore {
  return new QueueStore({
    storage,
    processId,
    group: createGroupCommit(storage),
    onRemoved: () => undefined,
  })
}
