import assert from 'node:assert/strict'
import { setTimeout } from 'node:timers/promises'
import type { SmtpMode } from '../../src/kit/smtp-mode.ts'
import { listEndedDeliveries } from './delivery-log.ts'
import type { KillTrigger } from './kill-triggers.ts'
import { createKiller, type WatchSteps } from './killer.ts'
import { isAccepted, startQueue } from './mail-queue.ts'
import type { TestRelay } from './open-relay.ts'
import { openQueueView, type QueueView } from './queue-steps.ts'
import {
  type Script,
  type ScriptedUpstream,
  type UpstreamStep,
  upstreamSteps,
} from './scripted-upstream.ts'
import { checkStory, createMail, timesTaken } from './story.ts'

/** A killed process expires within this time; its open attempts are uncertain then. */
const expiryMs = 30_000
const hourMs = 3_600_000

/** The relay that fails, and when. */
export interface Crashes {
  relay: Omit<TestRelay, 'folder' | 'output'>
  upstreams: readonly ScriptedUpstream[]
  mode: SmtpMode
  /** It fails at each of them, in order. */
  triggers: readonly KillTrigger[]
  watch: WatchSteps
  databaseUrl: () => string
  /** The number of messages that are submitted at the same time. */
  workers: number
  mayForgetOutcomes?: boolean
  say: (text: string) => void
}

/**
 * Submits messages while the relay and the upstream servers fail and the clock is set. Then everything works again, and
 * an operator settles what is uncertain: each message has arrived once, as its sender and the delivery log know.
 */
export async function runCrashes(crashes: Crashes): Promise<void> {
  const { relay, upstreams, mode, triggers, watch, databaseUrl, workers, say } = crashes
  await relay.start()
  const clock = createSteppedClock(relay)
  const killer = await createKiller(relay, watch, clock.step)
  const script = unreliableScript((step) => killer.notice('upstream', step))
  for (const upstream of upstreams) upstream.script = script
  const onStep = (step: string) => killer.notice('client', step)
  const queue = startQueue(createMail, { port: relay.smtpPort, ...relay.login, workers, onStep })
  try {
    for (const trigger of triggers) {
      await killer.killAt(trigger)
      if (Math.random() < 0.3) clock.step()
    }
  } finally {
    queue.isBusy = false
    await killer.close()
  }
  for (const upstream of upstreams) upstream.script = () => 'go'
  await queue.calm(3)
  const view = openQueueView(databaseUrl())
  try {
    await untilSettled(view, clock, ['uncertain'])
    const taken = () => upstreams.flatMap((upstream) => upstream.taken)
    const listEnded = () => listEndedDeliveries(relay, expiryMs)
    const deliveries = await listEnded()
    const waiting = await view.listUncertain()
    const { mayForgetOutcomes = false } = crashes
    const about = { mode, mayForgetOutcomes, mails: queue.mails }
    checkStory({ ...about, taken: taken(), deliveries, waiting })
    const held = deliveries.filter(({ outcome }) => outcome === 'uncertain')
    say(
      `${triggers.length} failures, ${queue.mails.length} messages, ${deliveries.length} attempts, ${held.length} uncertain, ${waiting.size} of them queued`,
    )
    // An operator settles each uncertain delivery by what the servers received; then the queues empty.
    for (const { id, sender, recipient } of held) {
      const hasIt = timesTaken(taken(), sender, recipient) > 0
      await relay.ask(`/api/deliveries/${id}/settle`, { outcome: hasIt ? 'accepted' : 'deferred' })
    }
    await queue.calm(3)
    await untilSettled(view, clock, [])
    const ended = { taken: taken(), deliveries: await listEnded(), waiting: new Set<string>() }
    checkStory({ ...about, ...ended })
    for (const mail of queue.mails)
      assert.ok(isAccepted(mail), `${mail.from} is left in the queue of its sender`)
  } finally {
    await view.close()
  }
}

/** Returns all triggers, the share of one combination first. */
export function shareOf(
  combination: number,
  { combinations, triggers }: { combinations: number; triggers: readonly KillTrigger[] },
): KillTrigger[] {
  const turn = (index: number) => (index - combination + combinations) % combinations
  return [...triggers.entries()]
    .sort(([one], [other]) => turn(one) - turn(other))
    .map(([, trigger]) => trigger)
}

/** Returns so many triggers, in order, again and again. */
export function repeatTriggers(triggers: readonly KillTrigger[], count: number): KillTrigger[] {
  const rounds = Math.ceil(count / triggers.length)
  return Array.from({ length: rounds }, () => triggers)
    .flat()
    .slice(0, count)
}

interface SteppedClock {
  /** Sets it some hours ahead or behind. */
  step: () => void
  /** Sets it forward, to when everything is due. */
  forward: () => void
}

function createSteppedClock(relay: Pick<TestRelay, 'setClock'>): SteppedClock {
  let aheadMs = 0
  return {
    step: () => relay.setClock(Math.round(hourMs * (Math.random() * 4 - 2))),
    forward() {
      aheadMs = Math.max(aheadMs, 4 * hourMs) + hourMs / 2
      relay.setClock(aheadMs)
    },
  }
}

/** How long a step of the clock takes to show: claims of killed processes are recovered after it. */
const stepMs = 9_000
const stepsMax = 12

/** Waits until the queue of the relay holds only recipients in these states. */
async function untilSettled(
  view: QueueView,
  clock: SteppedClock,
  states: readonly string[],
): Promise<void> {
  let counts = await view.count()
  const isSettled = () => Object.keys(counts).every((state) => states.includes(state))
  for (let steps = 0; !isSettled() && steps < stepsMax; steps++) {
    clock.forward()
    const end = performance.now() + stepMs
    for (; !isSettled() && performance.now() < end; counts = await view.count())
      await setTimeout(100)
  }
  assert.ok(isSettled(), `the queue does not empty: ${JSON.stringify(counts)}`)
}

const disconnectRate = 0.02

/**
 * Disconnects once for each message, at a step that depends on it, and now and then at any step. Before the final reply
 * it may have accepted the message or not.
 */
function unreliableScript(onStep: (step: UpstreamStep) => void): Script {
  const failed = new Set<string>()
  return (step, sender) => {
    onStep(step)
    const number = Number(/^m(\d+)@/.exec(sender)?.[1])
    const isTurn = upstreamSteps[number % upstreamSteps.length] === step && !failed.has(sender)
    if (isTurn) failed.add(sender)
    else if (Math.random() > disconnectRate) return 'go'
    return step === 'dot' && Math.random() < 0.5 ? 'accept and disconnect' : 'disconnect'
  }
}
