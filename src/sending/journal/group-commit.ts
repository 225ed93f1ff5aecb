import type { Transaction } from 'kysely'
import { pause } from '../../kit/pause.ts'
import type { Storage } from '../../storage/index.ts'

/** Writes many items in one go; answers each, in order. It must not fail but for the database's own faults. */
export type WriteAll<Tables, Item, Result> = (
  tx: Transaction<Tables>,
  items: readonly Item[],
) => Promise<readonly Result[]>

/** Runs small writes of many messages in few transactions: each commit waits for the disk once. */
export interface GroupCommit<Tables> {
  /** Resolves once the write is committed. It must not fail but for the database's own faults. */
  run<Result>(write: (tx: Transaction<Tables>) => Promise<Result>): Promise<Result>
  /** As `run`, for writes that are cheaper together: one call for all that share a transaction. */
  together<Item, Result>(writeAll: WriteAll<Tables, Item, Result>): (item: Item) => Promise<Result>
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

  const commit = async (group: readonly Waiting<Tables>[]) => {
    try {
      const results = await storage.transaction((tx: Transaction<Tables>) => writeGroup(tx, group))
      for (const each of group) each.resolve(results.get(each))
    } catch (error) {
      for (const { reject } of group) reject(error)
    }
  }
  const flush = async () => {
    isRunning = true
    // What arrives while one group is being committed is the next group. A commit may hold up the thread, so
    // what came in meanwhile has its turn first: the more share a wait for the disk, the better.
    while (waiting.length > 0) {
      await pause()
      const group = waiting.slice(0, groupSizeMax)
      waiting = waiting.slice(groupSizeMax)
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
  const runEach = together(writeEach<Tables>)
  return {
    together,
    run: <Result>(write: Write<Tables>) => runEach(write) as Promise<Result>,
  }
}

type Write<Tables> = (tx: Transaction<Tables>) => Promise<unknown>

async function writeEach<Tables>(tx: Transaction<Tables>, writes: readonly Write<Tables>[]) {
  const results: unknown[] = []
  for (const write of writes) results.push(await write(tx))
  return results
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
