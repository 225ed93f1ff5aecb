import type { Log } from './log.ts'

/** What is tried again and again while something is wrong. The log is told once, and once more when it is over. */
export interface Trouble {
  /** It was met, again perhaps: another one is told as well. */
  meet: (err: unknown) => void
  /** What was tried has succeeded. */
  end: () => void
}

/** How the log is told. */
export interface TroubleWords {
  level: 'warn' | 'error'
  begun: string
  over: string
}

export function createTrouble(log: Log, { level, begun, over }: TroubleWords): Trouble {
  let told: string | undefined
  return {
    meet(err) {
      const text = String(err) + (err instanceof Error ? String(err.cause) : '')
      if (text === told) return
      told = text
      log[level]({ err }, begun)
    },
    end() {
      if (told === undefined) return
      told = undefined
      log.info(over)
    },
  }
}
