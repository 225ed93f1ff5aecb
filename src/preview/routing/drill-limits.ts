import { countByTransport } from '../../delivery/index.ts'
import { listDayAllowances } from '../../limits/index.ts'
import type { Storage } from '../../storage/index.ts'

/** A limit that would be reached: the remaining transports would need more on a day than it allows. */
export interface ReachedLimit {
  id: number
  name: string
  /** Recipients that it allows today, all its windows considered. */
  allowed: number
  /** Recipients of the last day through its transports, together with those that would be moved to them. */
  needed: number
}

/** The deliveries that would be moved to a transport. */
interface MovedDeliveries {
  transportId: number
  deliveries: number
}

const hourMs = 3_600_000
const dayMs = 86_400_000

/** Finds the limits that do not allow the load of the last day, if some transports are down and others take over. */
export async function findReachedLimits(
  storage: Storage,
  now: number,
  { down, moved }: { down: ReadonlySet<number>; moved: readonly MovedDeliveries[] },
): Promise<ReachedLimit[]> {
  const targetIds = new Set(moved.map(({ transportId }) => transportId))
  const allowances = await listDayAllowances(storage, now - (now % dayMs))
  const limits = allowances.filter(({ transports }) => transports.some((id) => targetIds.has(id)))
  if (limits.length === 0) return []
  const range = {
    from: Math.floor((now - dayMs) / hourMs) * hourMs,
    to: Math.ceil((now + 1) / hourMs) * hourMs,
  }
  const ids = [...new Set(limits.flatMap(({ transports }) => transports))]
  const counts = await countByTransport(
    storage,
    range,
    ids.filter((id) => !down.has(id)),
  )
  return limits.flatMap(({ id, name, transports, recipients }) => {
    const isMember = ({ transportId }: { transportId: number }) => transports.includes(transportId)
    const sent = counts.filter(isMember).reduce((sum, { attempted }) => sum + attempted, 0)
    const added = moved.filter(isMember).reduce((sum, { deliveries }) => sum + deliveries, 0)
    const needed = sent + added
    return needed > recipients ? [{ id, name, allowed: recipients, needed }] : []
  })
}
