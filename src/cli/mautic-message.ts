import { setTimeout } from 'node:timers/promises'
import type { App } from '../app.ts'
import type { DeliveryItem } from '../delivery/index.ts'
import type { MauticItem } from '../mautic/index.ts'
import type { QueuedItem } from '../queue/index.ts'
import { commandName } from './command-name.ts'
import { formatWait, type Output } from './output.ts'
import { operatorKey } from './session.ts'

const lookMs = 500
/** A message that waited for its route is sent within a moment once the route is repaired. */
const repairMs = 3_000

/** The first message of a Mautic: its outcome, or why it waits. */
export type FirstMessage = { delivery: DeliveryItem } | { queued: QueuedItem }

/** Waits for the first message of a Mautic, and says its outcome. Returns null if none comes in time. */
export async function awaitMessage(
  app: App,
  mautic: MauticItem,
  { output, waitMs }: { output: Output; waitMs: number },
): Promise<FirstMessage | null> {
  output.say(`Waiting for it for ${formatWait(waitMs)}; Ctrl+C ends this.`)
  const end = performance.now() + waitMs
  let waitsSince: number | undefined
  for (;;) {
    const message = await findMessage(app, mautic.id)
    const now = performance.now()
    const isWaiting = message !== undefined && 'queued' in message
    waitsSince = isWaiting ? (waitsSince ?? now) : undefined
    const isCertain = waitsSince === undefined || now - waitsSince >= repairMs || now >= end
    if (message !== undefined && isCertain) {
      output.say('', ...describe(message, mautic))
      return message
    }
    if (now >= end) break
    await setTimeout(lookMs)
  }
  output.say(
    `No message has come. Check host, port and password in Mautic, then \`${commandName} delivery list\`.`,
  )
  return null
}

async function findMessage(app: App, mauticId: number): Promise<FirstMessage | undefined> {
  const { messages } = await app.delivery.queue.list({ mauticId }, { owner: operatorKey, limit: 1 })
  const [queued] = messages
  // Without a problem, it is sent in a moment.
  if (queued?.problem) return { queued }
  const query = { after: undefined, start: 0, limit: 1, mauticId }
  const { deliveries } = await app.delivery.deliveries.list(query, {
    isCounted: false,
    owner: operatorKey,
  })
  const [delivery] = deliveries
  return delivery === undefined || delivery.outcome === 'started' ? undefined : { delivery }
}

function describe(message: FirstMessage, mautic: MauticItem): string[] {
  if ('queued' in message) {
    const { recipient, problem } = message.queued
    return [
      `A message to ${recipient} has come. It is stored, not sent, and waits: ${problem}`,
      whatToDo(message.queued, mautic),
    ]
  }
  const { id, recipient, transport, outcome, reason, reply } = message.delivery
  return [
    `A message to ${recipient} has come through Mailyard: ${outcome}, transport "${transport ?? '-'}".`,
    ...[reason ?? reply].filter((text) => text !== null).map((text) => `  ${text}`),
    `Delivery ${id} in the console has its route.`,
  ]
}

function whatToDo({ transport, transportId }: QueuedItem, { url, name }: MauticItem): string {
  if (transportId !== null)
    return `Find out why with \`${commandName} transport test ${transportId}\`. Once the transport is repaired, the message is sent at once.`
  if (transport !== null) return 'Set MAILYARD_MAILER_DSN to a server that takes it, and restart.'
  return `Give the Mautic a transport: repeat this with \`${commandName} mautic connect ${url} --name ${name} --transport ID\`. The message is then sent at once.`
}
