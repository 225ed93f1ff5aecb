import { setTimeout } from 'node:timers/promises'
import { type KillTrigger, watchDeliveryLog } from './kill-triggers.ts'
import type { TestRelay } from './open-relay.ts'
import { watchQueue } from './queue-steps.ts'

/** Kills a relay at chosen moments, and starts it again. */
export interface Killer {
  /** Something happened that a trigger may wait for. */
  notice(kind: KillTrigger['kind'], step: string): void
  /** Kills at this trigger, once it has come a few times, and starts the relay again. */
  killAt(trigger: KillTrigger): Promise<void>
  close(): Promise<void>
}

/** A trigger that does not come, since others keep the relay busy, is not waited for. */
const patienceMs = 1_500
const timesMax = 12

/** @param onKilled Called while the relay does not run. */
export async function createKiller(
  relay: TestRelay,
  databaseUrl: string,
  onKilled: () => void = () => undefined,
): Promise<Killer> {
  let armed: { trigger: KillTrigger; times: number; fire: () => void } | undefined
  const notice = (kind: KillTrigger['kind'], step: string) => {
    if (armed?.trigger.kind !== kind || armed.trigger.step !== step) return
    armed.times -= 1
    if (armed.times <= 0) armed.fire()
  }
  const unwatch = await watchDeliveryLog(databaseUrl, () => {
    if (armed?.trigger.kind === 'deliveryLog') notice('deliveryLog', armed.trigger.step)
  })
  const unwatchQueue = watchQueue(databaseUrl, (step) => notice('queue', step))
  return {
    notice,
    async close() {
      await unwatch()
      await unwatchQueue()
    },
    async killAt(trigger) {
      let dead: Promise<void> | undefined
      const fired = new Promise<void>((done) => {
        const times = 1 + Math.floor(Math.random() * timesMax)
        const fire = () => {
          armed = undefined
          // At once, within the very event: the relay gets no further.
          dead ??= relay.kill()
          done()
        }
        armed = { trigger, times, fire }
      })
      const waitMs = trigger.kind === 'time' ? Math.random() * 200 : patienceMs
      await Promise.race([fired, setTimeout(waitMs)])
      armed = undefined
      await (dead ?? relay.kill())
      onKilled()
      await relay.start()
    },
  }
}
