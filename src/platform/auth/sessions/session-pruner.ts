import type { Clock } from '../../../kit/clock.ts'
import type { Log } from '../../../kit/log.ts'
import { Periodic } from '../../../kit/periodic.ts'
import type { Storage } from '../../storage/index.ts'
import type { AuthTables } from '../table.ts'
import { idleMs } from './console-sessions.ts'

const minuteMs = 60_000

/**
 * Deletes the sessions that have ended, of the console and of the consent page: at its start, and once a minute. Else a clock
 * that was ahead and is set back would make them valid again.
 */
export function createSessionPruner(storage: Storage, clock: Clock, log: Log): Periodic {
  return new Periodic({
    task: () => removeEnded(storage, clock.now()),
    intervalMs: minuteMs,
    runsAtStart: true,
    log,
    events: { failed: 'ended sessions not deleted', recovered: 'ended sessions deleted again' },
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
