import type { Clock } from '../../kit/clock.ts'
import type { Log } from '../../kit/log.ts'
import { WorkLoop } from '../../kit/work-loop.ts'
import type { Storage } from '../../storage/index.ts'
import type { AuthTables } from '../table.ts'
import { idleMs } from './console-sessions.ts'

const minuteMs = 60_000
/** How long it waits after an error. */
const retryMs = 1_000

/** What `createSessionPruner` needs. */
export interface SessionPrunerParts {
  storage: Storage
  clock: Clock
  log: Log
}

/**
 * Deletes the sessions that have ended, of the console and of the consent page: at its start, and once a minute. Else a clock
 * that was ahead and is set back would make them valid again.
 */
export function createSessionPruner({ storage, clock, log }: SessionPrunerParts): WorkLoop {
  return new WorkLoop({
    async work() {
      await removeEnded(storage, clock.now())
      return minuteMs
    },
    idleMs: retryMs,
    log,
    events: {
      failed: 'ended sessions not deleted',
      recovered: 'ended sessions deleted again',
    },
  })
}

async function removeEnded(storage: Storage, now: number): Promise<void> {
  const db = storage.tables<AuthTables>()
  await db
    .deleteFrom('console_sessions')
    .where((where) =>
      where.or([where('expires_at', '<=', now), where('used_at', '<=', now - idleMs)]),
    )
    .execute()
  await db.deleteFrom('login_sessions').where('expires_at', '<=', now).execute()
}
