import { setTimeout } from 'node:timers/promises'
import type { App } from '../../app.ts'
import type { DeliveryItem, QueuedItem } from '../../delivery/index.ts'
import { commandName } from '../command-name.ts'
import type { Output } from '../output.ts'

const lookMs = 500

/** The first message of a Mautic: what became of it, or why it waits. */
export type FirstMessage = { delivery: DeliveryItem } | { queued: QueuedItem }

/** Waits for the first message of a Mautic, and says what became of it. Returns null if none comes in time. */
export async function awaitMessage(
  app: App,
  mauticId: number,
  { output, waitMs }: { output: Output; waitMs: number },
): Promise<FirstMessage | null> {
  output.say(`Waiting for it for ${formatWait(waitMs)}; Ctrl+C ends this.`)
  const end = performance.now() + waitMs
  for (;;) {
    const message = await findMessage(app, mauticId)
    if (message !== undefined) {
      output.say('', ...describe(message))
      return message
    }
    if (performance.now() >= end) break
    await setTimeout(lookMs)
  }
  output.say(
    `No message has come. Check host, port and password in Mautic, then \`${commandName} delivery list\`.`,
  )
  return null
}

async function findMessage(app: App, mauticId: number): Promise<FirstMessage | undefined> {
  const query = { before: undefined, start: 0, limit: 1, mauticId }
  const { deliveries } = await app.delivery.deliveries.list(query, {
    isCounted: false,
    owner: 'command line',
  })
  const [delivery] = deliveries
  if (delivery !== undefined && delivery.outcome !== 'started') return { delivery }
  const { messages } = await app.delivery.queue.list(
    { mauticId },
    { owner: 'command line', limit: 1 },
  )
  const [queued] = messages
  // Without a problem, it is sent in a moment.
  return queued?.problem ? { queued } : undefined
}

function describe(message: FirstMessage): string[] {
  if ('queued' in message) {
    const { recipient, problem } = message.queued
    return [`A message to ${recipient} has come. It is stored, and waits: ${problem}`]
  }
  const { id, recipient, transport, outcome, reason, reply } = message.delivery
  return [
    `A message to ${recipient} has come through Mailyard: ${outcome}, transport "${transport ?? '-'}".`,
    ...[reason ?? reply].filter((text) => text !== null).map((text) => `  ${text}`),
    `Delivery ${id} in the console has its route.`,
  ]
}

function formatWait(ms: number): string {
  const minutes = Math.round(ms / 60_000)
  return minutes >= 1 ? `${minutes} min` : `${Math.round(ms / 1_000)} s`
}
