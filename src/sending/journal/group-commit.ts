import type { Transaction } from 'kysely'
import { pause } from '../../kit/pause.ts'
import { isUnstorable, type Storage } from '../../storage/index.ts'

/** Writes many items in one go; answers each, in order. */
export type WriteAll<Tables, Item, Result> = (
  tx: Transaction<Tables>,
  items: readonly Item[],
) => Promise<readonly Result[]>

/** Runs small writes of many messages in few transactions, which share their waits for the disk. */
export interface GroupCommit<Tables> {
  /** One call for all items that share a transaction; each resolves once it is committed. */
  together<Item, Result>(writeAll: WriteAll<Tables, Item, Result>): (item: Item) => Promise<Result>
  /** Resolves once what is committed by now survives a power cut; else it does ten milliseconds later. */
  reachDisk(): Promise<void>
}

interface Waiting<Tables> {
  writeAll: WriteAll<Tables, unknown, unknown>
  item: unknown
  resolve: (value: unknown) => void
  reject: (error: unknown) => void
}

/** How many writes one transaction takes. */
const groupSizeMax = 500

export function createGroupCommit<Tables>(storage: Storage): GroupCommit<Tables> {
  let waiting: Waiting<Tables>[] = []
  let isRunning = false
  let isShared = false
  const disk = watchDisk(storage)

  const commit = async (group: readonly Waiting<Tables>[]): Promise<void> => {
    try {
      const results = await storage.transaction(
        (tx: Transaction<Tables>) => writeGroup(tx, group),
        { disk: 'soon' },
      )
      for (const each of group) each.resolve(results.get(each))
    } catch (error) {
      // One that cannot be written keeps no other from it.
      if (group.length > 1 && isUnstorable(error)) for (const each of group) await commit([each])
      else for (const { reject } of group) reject(error)
    }
  }
  const flush = async () => {
    isRunning = true
    // What arrives while one group is being committed, and while the disk is waited for, is the next group. A
    // commit may hold up the thread, so what came in meanwhile has its turn first: the more share a commit
    // and a wait for the disk, the better. Where nobody shared the last one, nobody is waited for.
    while (waiting.length > 0) {
      if (isShared) await pause()
      await disk.waited()
      const group = waiting.slice(0, groupSizeMax)
      waiting = waiting.slice(groupSizeMax)
      isShared = group.length > 1
      await commit(group)
    }
    isRunning = false
  }
  const together =
    <Item, Result>(writeAll: WriteAll<Tables, Item, Result>) =>
    (item: Item) =>
      new Promise<Result>((resolve, reject) => {
        waiting.push({
          writeAll: writeAll as Waiting<Tables>['writeAll'],
          item,
          resolve: (value) => resolve(value as Result),
          reject,
        })
        if (!isRunning) void flush()
      })
  return { together, reachDisk: disk.reach }
}

/** Waits for the disk, and knows of the last wait. */
function watchDisk(storage: Storage) {
  let last: Promise<void> | undefined
  return {
    reach: () => {
      const reached = storage.reachDisk()
      const end = () => undefined
      last = reached.then(end, end)
      return reached
    },
    /** Resolves when nobody waits any more, however that ended. */
    waited: () => last,
  }
}

async function writeGroup<Tables>(
  tx: Transaction<Tables>,
  group: readonly Waiting<Tables>[],
): Promise<Map<Waiting<Tables>, unknown>> {
  const results = new Map<Waiting<Tables>, unknown>()
  for (const [writeAll, members] of Map.groupBy(group, (each) => each.writeAll)) {
    const answers = await writeAll(
      tx,
      members.map(({ item }) => item),
    )
    for (const [index, member] of members.entries()) results.set(member, answers[index])
  }
  return results
}
