import type { Transaction } from 'kysely'
import { startStopwatch } from '../../../kit/clock.ts'
import { pause } from '../../../kit/pause.ts'
import { isUnstorable, type Storage } from '../../../platform/storage/index.ts'
import type { DeliveryTables } from '../table.ts'

/** Writes many items with few statements; returns their results in order. */
export type WriteAll<Item, Result> = (
  tx: Transaction<DeliveryTables>,
  items: readonly Item[],
) => Promise<readonly Result[]>

interface Waiting {
  writeAll: WriteAll<unknown, unknown>
  item: unknown
  rows: number
  resolve: (value: unknown) => void
  reject: (error: unknown) => void
}

/** The most rows of one transaction, unless a single item has more: some ten milliseconds. */
const groupRowsMax = 500
/** How long a group may wait for more writes. */
const growthMaxMs = 5

export type GroupCommit = ReturnType<typeof createGroupCommit>

/** Combines small concurrent writes into few transactions, which share their fsyncs. */
export function createGroupCommit(storage: Storage) {
  let waiting: Waiting[] = []
  let isRunning = false
  let isShared = false
  const disk = trackFlush(storage)

  // A commit blocks the thread and costs nearly as much for one item as for ten. So pending input is processed first,
  // which may add more items, as long as the group grows.
  const grow = async () => {
    const elapsedMs = startStopwatch()
    for (let size = 0; size < waiting.length && elapsedMs() < growthMaxMs; ) {
      size = waiting.length
      await pause()
    }
  }
  const commitAll = async () => {
    isRunning = true
    // Items that arrive during a commit or an fsync form the next group. If the last group had a single item, the next
    // is committed without waiting for more.
    while (waiting.length > 0) {
      await disk.settled()
      if (isShared) await grow()
      const size = countWithin(waiting, groupRowsMax)
      const group = waiting.slice(0, size)
      waiting = waiting.slice(size)
      isShared = group.length > 1 || waiting.length > 0
      await commit(storage, group)
    }
    isRunning = false
  }
  /**
   * Returns a function that writes one item and resolves once it is committed. `writeAll` is called once for all items
   * of a transaction. `rowsOf` returns the number of rows of an item; default: 1.
   */
  const batched =
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
        if (!isRunning) void commitAll()
      })
  /** `flush` resolves once everything committed so far survives a power failure. Without it, that takes some ten milliseconds. */
  return { batched, flush: disk.flush }
}

async function commit(storage: Storage, group: readonly Waiting[]): Promise<void> {
  try {
    const write = (tx: Transaction<DeliveryTables>) => writeGroup(tx, group)
    const results = await storage.transaction(write, { isFlushDeferred: true })
    for (const each of group) each.resolve(results.get(each))
  } catch (error) {
    // One item that the database cannot store must not fail the others.
    if (group.length > 1 && isUnstorable(error))
      for (const each of group) await commit(storage, [each])
    else for (const { reject } of group) reject(error)
  }
}

/** Counts the items from the first on that have at most `rowsMax` rows in total; at least one. */
function countWithin(waiting: readonly Waiting[], rowsMax: number): number {
  let rows = 0
  const over = waiting.findIndex((each) => {
    rows += each.rows
    return rows > rowsMax
  })
  return over === -1 ? waiting.length : Math.max(over, 1)
}

/** Flushes, and remembers the last flush. */
function trackFlush(storage: Storage) {
  let last: Promise<void> | undefined
  return {
    flush: () => {
      const flushed = storage.flush()
      const ignore = () => undefined
      last = flushed.then(ignore, ignore)
      return flushed
    },
    /** Resolves when the last flush has ended, successfully or not. */
    settled: () => last,
  }
}

async function writeGroup(
  tx: Transaction<DeliveryTables>,
  group: readonly Waiting[],
): Promise<Map<Waiting, unknown>> {
  const results = new Map<Waiting, unknown>()
  for (const [writeAll, members] of Map.groupBy(group, (each) => each.writeAll)) {
    const items = members.map(({ item }) => item)
    const answers = await writeAll(tx, items)
    for (const [index, member] of members.entries()) results.set(member, answers[index])
  }
  return results
}
