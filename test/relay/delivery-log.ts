import { setTimeout } from 'node:timers/promises'
import type { TestRelay } from './open-relay.ts'

/** What `GET /api/deliveries` says of an attempt, as far as the tests look at it. */
export interface Delivery {
  id: number
  sender: string
  recipient: string
  outcome: 'started' | 'accepted' | 'deferred' | 'refused' | 'uncertain' | 'expired' | 'cancelled'
  reply: string | null
  reason: string | null
}

interface Page {
  deliveries: Delivery[]
  next: number | null
}

/** All that came by SMTP, page by page, the newest first. */
export async function listDeliveries(relay: Pick<TestRelay, 'ask'>): Promise<Delivery[]> {
  const found: Delivery[] = []
  let after = ''
  for (;;) {
    const path = `/api/deliveries?source=smtp&limit=1000${after}`
    const { deliveries, next } = (await relay.ask(path)) as Page
    found.push(...deliveries)
    if (next === null) return found
    after = `&next=${next}`
  }
}

/** Lists the deliveries once no attempt is open; those of expired processes are uncertain by then. */
export async function listEndedDeliveries(
  relay: Pick<TestRelay, 'ask'>,
  waitMs: number,
): Promise<Delivery[]> {
  const end = performance.now() + waitMs
  for (;;) {
    const deliveries = await listDeliveries(relay)
    const isEnded = deliveries.every(({ outcome }) => outcome !== 'started')
    if (isEnded || performance.now() > end) return deliveries
    await setTimeout(500)
  }
}
