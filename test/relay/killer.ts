import { setTimeout } from 'node:timers/promises'
import type { KillTrigger } from './kill-triggers.ts'
import type { TestRelay } from './open-relay.ts'

type Notice = (kind: KillTrigger['kind'], step: string) => void

/** Reports the steps that only the database shows, until the returned function is called. */
export type WatchSteps = (notice: Notice) => Promise<() => Promise<void>>

/** Kills a relay at chosen moments, and starts it again. */
export interface Killer {
  /** Something happened that a trigger may wait for. */
  notice: Notice
  /** Kills at this trigger, once it has come a few times, and starts the relay again. */
  killAt(trigger: KillTrigger): Promise<void>
  close(): Promise<void>
}

/** A trigger that does not come, since others keep the relay busy, is not waited for. */
const patienceMs = 1_500
const timesMax = 12

/** @param onKilled Called while the relay does not run. */
export async function createKiller(
  relay: Pick<TestRelay, 'kill' | 'start'>,
  watch: WatchSteps,
  onKilled: () => void,
): Promise<Killer> {
  let armed: { trigger: KillTrigger; times: number; fire: () => void } | undefined
  const notice: Notice = (kind, step) => {
    if (armed?.trigger.kind !== kind || armed.trigger.step !== step) return
    armed.times -= 1
    if (armed.times <= 0) armed.fire()
  }
  const unwatch = await watch(notice)
  return {
    notice,
    close: unwatch,
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
