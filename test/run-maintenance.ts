import { createMaintenance } from '../src/core/delivery/maintenance.ts'
import type { Clock } from '../src/kit/clock.ts'
import { createLog } from '../src/kit/log.ts'
import type { Storage } from '../src/platform/storage/index.ts'

const dayMs = 86_400_000

/** Removes what is too old from the delivery log, as the worker does each minute. */
export async function runMaintenance(
  storage: Storage,
  clock: Clock,
  keepMs = 90 * dayMs,
): Promise<void> {
  const log = createLog('silent')
  const maintenance = createMaintenance({
    storage,
    installation: { unconfirmed: undefined },
    clock,
    log,
    throttles: { list: () => [], forget: () => false },
    transportPool: { forget: () => undefined },
    keepMs,
    holdMs: dayMs,
  })
  await maintenance.run()
  await maintenance.stop()
}
