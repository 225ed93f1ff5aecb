import { pause } from '../../kit/pause.ts'
import { isUnstorable, type Statements, type Storage } from '../../storage/index.ts'

/** Writes many items in one go; answers each, in order. */
export type WriteAll<Item, Result> = (items: readonly Item[]) => Statements<readonly Result[]>

/** Runs small writes of many messages in few transactions, which share their waits for the disk. */
export interface GroupCommit {
  /**
   * One call for all items that share a transaction; each resolves once it is committed. `rowsOf` says how many
   * rows an item writes; one, if left out.
   */
  together<Item, Result>(
    writeAll: WriteAll<Item, Result>,
    rowsOf?: (item: Item) => number,
  ): (item: Item) => Promise<Result>
  /** Resolves once what is committed by now survives a power cut; else it does ten milliseconds later. */
  reachDisk(): Promise<void>
}

interface Waiting {
  writeAll: WriteAll<unknown, unknown>
  item: unknown
  rows: number
  resolve: (value: unknown) => void
  reject: (error: unknown) => void
}

/** How many rows the writes of one transaction have, unless a single one has more: some ten milliseconds. */
const groupRowsMax = 500
/** How long a group may grow. */
const growthMaxMs = 5

export function createGroupCommit(storage: Storage): GroupCommit {
  let waiting: Waiting[] = []
  let isRunning = false
  let isShared = false
  const disk = watchDisk(storage)

  const commit = async (group: readonly Waiting[]): Promise<void> => {
    try {
      const results = await storage.write(() => writeGroup(group))
      for (const each of group) each.resolve(results.get(each))
    } catch (error) {
      // One that cannot be written keeps no other from it.
      if (group.length > 1 && isUnstorable(error)) for (const each of group) await commit([each])
      else for (const { reject } of group) reject(error)
    }
  }
  // A commit holds up the thread, and costs nearly as much for one as for ten, so what came in meanwhile has its turn
  // first, and what comes in during that, as long as the group grows.
  const grow = async () => {
    const deadline = performance.now() + growthMaxMs
    for (let size = 0; size < waiting.length && performance.now() < deadline; ) {
      size = waiting.length
      await pause()
    }
  }
  const flush = async () => {
    isRunning = true
    // What arrives while one group is being committed, and while the disk is waited for, is the next group. Where
    // nobody shared the last one, nobody is waited for.
    while (waiting.length > 0) {
      await disk.waited()
      if (isShared) await grow()
      const size = countWithin(waiting, groupRowsMax)
      const group = waiting.slice(0, size)
      waiting = waiting.slice(size)
      isShared = group.length > 1 || waiting.length > 0
      await commit(group)
    }
    isRunning = false
  }
  const together =
    <Item, Result>(writeAll: WriteAll<Item, Result>, rowsOf = (_: Item) => 1) =>
    (item: Item) =>
      new Promise<Result>((resolve, reject) => {
        waiting.push({
          writeAll: writeAll as Waiting['writeAll'],
          item,
          rows: rowsOf(item),
          resolve: (value) => resolve(value as Result),
          reject,
        })
        if (!isRunning) void flush()
      })
  return { together, reachDisk: disk.reach }
}

/** How many of them, from the first on, have no more rows together; one at least. */
function countWithin(waiting: readonly Waiting[], rowsMax: number): number {
  let rows = 0
  const over = waiting.findIndex((each) => {
    rows += each.rows
    return rows > rowsMax
  })
  return over === -1 ? waiting.length : Math.max(over, 1)
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

function* writeGroup(group: readonly Waiting[]): Statements<Map<Waiting, unknown>> {
  const results = new Map<Waiting, unknown>()
  for (const [writeAll, members] of Map.groupBy(group, (each) => each.writeAll)) {
    const answers = yield* writeAll(members.map(({ item }) => item))
    for (const [index, member] of members.entries()) results.set(member, answers[index])
  }
  return results
}
