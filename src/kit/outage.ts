import type { Log } from './log.ts'

/** A failure that repeats, such as that of a connection: it is logged once, and once more after the recovery. */
export interface Outage {
  /** Logs an error, unless the last one was the same. */
  report: (err: unknown) => void
  /** Logs the recovery, if an error was reported before. */
  recover: () => void
}

/** The events that are logged. */
export interface OutageEvents {
  level: 'warn' | 'error'
  failed: string
  recovered: string
}

export function createOutage(log: Log, { level, failed, recovered }: OutageEvents): Outage {
  let reported: string | undefined
  return {
    report(err) {
      const text = String(err) + (err instanceof Error ? String(err.cause) : '')
      if (text === reported) return
      reported = text
      log[level]({ err }, failed)
    },
    recover() {
      if (reported === undefined) return
      reported = undefined
      log.info(recovered)
    },
  }
}
