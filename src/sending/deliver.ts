import type { Log } from '../kit/log.ts'
import type { DeliveryResult, Message } from '../mailer/index.ts'
import type { Journal } from './journal/journal.ts'
import type { JournalRecipient, Known, NewDelivery } from './journal/new-delivery.ts'
import type { Outlets } from './outlets/outlets.ts'
import { persist } from './persist.ts'
import type { Way } from './way/way.ts'

/** How long an answer waits for what became of a delivery to be written down. */
const writeWaitMs = 2_000

/** A message whose way is known. */
export interface Dispatch
  extends Omit<NewDelivery, 'recipients' | 'sender' | 'transport' | 'transportId' | 'trace'> {
  message: Message
  way: Way
  /** What the same message to this recipient is known by when it is handed in again. */
  keysOf: (address: string) => Omit<JournalRecipient, 'address'>
  /** Asked once the message is written down: where it throws, nothing leaves, and so does `Deliver`. */
  mayLeave?: () => Promise<void>
}

/** What became of it. */
export interface Dispatched {
  /** Undefined where nothing was sent: for want of a transport, or because all was known already. */
  result: DeliveryResult | undefined
  /** The recipients whom an earlier delivery of the same message stands for. */
  known: readonly Known[]
  /** The deliveries that were begun, and their transport; undefined where nothing was sent. */
  begun:
    | { deliveryIds: readonly number[]; transportId: number | null; transport: string }
    | undefined
  /** Why nothing was sent, for want of a transport, to those who are not known. */
  missing: string | undefined
}

/** Sends messages: written down before a server can have them, and what became of them after. Throws for a lost database. */
export type Deliver = (dispatch: Dispatch) => Promise<Dispatched>

/** What messages are sent with. */
export interface DeliverOptions {
  journal: Journal
  outlets: Outlets
  /** Cancels what is under way. */
  stopping: AbortSignal
  log: Log
}

export function createDeliver({ journal, outlets, stopping, log }: DeliverOptions): Deliver {
  return async (dispatch) => {
    const { message, way, keysOf, mayLeave, ...rest } = dispatch
    const outlet = await outlets.open(way)
    const { from: sender, to } = message.envelope
    const recipients = to.map((address) => ({ address, ...keysOf(address) }))
    if ('problem' in outlet) {
      const known = await journal.recall(recipients)
      return { result: undefined, known, begun: undefined, missing: outlet.problem }
    }
    const { transportId, name } = outlet
    const about = { ...rest, sender, transportId, transport: name, trace: way.trace }
    const { admissions, onDisk } = await journal.begin({ ...about, recipients })
    const begun = admissions.filter((each) => each.state === 'begun')
    const known = admissions.filter((each) => each.state === 'known')
    if (begun.length === 0)
      return { result: undefined, known, begun: undefined, missing: undefined }
    const envelope = { ...message.envelope, to: begun.map(({ address }) => address) }
    const allowed = mayLeave?.()
    const ready = Promise.all([onDisk, allowed])
    // A message that comes to nothing before that does not ask for it.
    ready.catch(() => undefined)
    const result = await outlet.send({ ...message, envelope }, { signal: stopping, ready })
    // The caller need not wait for a database that is gone: he is told what happened.
    const written = persist(() => journal.finish(begun, result), log)
    await atMost(writeWaitMs, written)
    await allowed
    const deliveryIds = begun.map(({ id }) => id)
    return {
      result,
      known,
      begun: { deliveryIds, transportId, transport: name },
      missing: undefined,
    }
  }
}

/** Waits for work, but not longer than this. */
function atMost(timeMs: number, work: Promise<void>): Promise<void> {
  return new Promise((resolve, reject) => {
    const late = setTimeout(resolve, timeMs)
    work.then(resolve, reject).finally(() => clearTimeout(late))
  })
}
