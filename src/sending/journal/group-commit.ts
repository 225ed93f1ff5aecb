import type { Transaction } from 'kysely'
import type { Storage } from '../../storage/index.ts'

/** Runs small writes of many messages in few transactions: each commit waits for the disk once. */
export interface GroupCommit<Tables> {
  /** Resolves once the write is committed. It must not fail but for the database's own faults. */
  run<Result>(write: (tx: Transaction<Tables>) => Promise<Result>): Promise<Result>
}

interface Waiting<Tables> {
  write: (tx: Transaction<Tables>) => Promise<unknown>
  resolve: (value: unknown) => void
  reject: (error: unknown) => void
}

/** How many writes one transaction takes. */
const groupSizeMax = 500

export function createGroupCommit<Tables>(storage: Storage): GroupCommit<Tables> {
  let waiting: Waiting<Tables>[] = []
  let isRunning = false

  const commit = async (group: Waiting<Tables>[]) => {
    try {
      const results = await storage.transaction(async (tx: Transaction<Tables>) => {
        const values: unknown[] = []
        for (const { write } of group) values.push(await write(tx))
        return values
      })
      group.forEach(({ resolve }, index) => {
        resolve(results[index])
      })
    } catch (error) {
      for (const { reject } of group) reject(error)
    }
  }
  const flush = async () => {
    isRunning = true
    // What arrives while one group is being committed is the next group.
    while (waiting.length > 0) {
      const group = waiting.slice(0, groupSizeMax)
      waiting = waiting.slice(groupSizeMax)
      await commit(group)
    }
    isRunning = false
  }
  return {
    run<Result>(write: (tx: Transaction<Tables>) => Promise<Result>) {
      return new Promise<Result>((resolve, reject) => {
        waiting.push({ write, resolve: (value) => resolve(value as Result), reject })
        if (!isRunning) void flush()
      })
    },
  }
}
