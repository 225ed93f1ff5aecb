import type { Log } from './log.ts'

export interface OutageEvents {
  level: 'warn' | 'error'
  failed: string
  recovered: string
}

export type Outage = ReturnType<typeof createOutage>

/** A failure that repeats, such as that of a connection: it is logged once, and once more after the recovery. */
export function createOutage(log: Log, { level, failed, recovered }: OutageEvents) {
  let reported: string | undefined
  return {
    /** Logs an error, unless the last one was the same. */
    report: (err: unknown) => {
      const text = String(err) + (err instanceof Error ? String(err.cause) : '')
      if (text === reported) return
      reported = text
      log[level]({ err }, failed)
    },
    /** Logs the recovery, if an error was reported before. */
    recover: () => {
      if (reported === undefined) return
      reported = undefined
      log.info(recovered)
    },
  }
}
