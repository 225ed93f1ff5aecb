import type { Database } from './database.ts'

const waitMs = 10

/** Sees to it that what nobody waits for reaches the disk. */
export interface LateDisk {
  /** What is committed by now is to reach it in a while. */
  ask(): void
  /** Makes up for what was asked for and has not been done yet. */
  end(): Promise<void>
}

/** `onError` is told what nobody else is. */
export function createLateDisk(
  { reachDisk }: Pick<Database, 'reachDisk'>,
  onError: (error: Error) => void,
): LateDisk {
  let timer: NodeJS.Timeout | undefined
  const reach = async () => {
    clearTimeout(timer)
    timer = undefined
    await reachDisk().catch(onError)
  }
  return {
    ask() {
      timer ??= setTimeout(() => void reach(), waitMs)
    },
    async end() {
      if (timer !== undefined) await reach()
    },
  }
}
