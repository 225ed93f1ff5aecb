import { BoundedMemory } from '../../kit/bounded-memory.ts'
import type { Clock } from '../../kit/clock.ts'
import { emailKey } from '../../kit/normalize-for-search.ts'
import { domainOf, type FindSuppressions } from '../../suppressions/index.ts'
import { type Deliver, type DeliverRequest, nothingSent } from '../deliver.ts'
import type { DeliveryLog } from '../log/delivery-log.ts'
import type { OnUnattempted } from '../unattempted.ts'
import { describeSuppression, type SuppressedRecipient } from './suppressed-recipient.ts'

export interface WithholdOptions {
  findSuppressions: FindSuppressions
  deliveryLog: Pick<DeliveryLog, 'recordSuppressed' | 'findDuplicates'>
  clock: Clock
  /** How long the same message over SMTP to a suppressed address is not logged again: Mautic repeats it many times. */
  repeatMs: number
  onUnattempted?: OnUnattempted
}

/**
 * Sends a message only to recipients who are not suppressed. The others get a row in the delivery log and are listed in
 * `suppressed` of the report. Without suppressions it costs next to nothing.
 */
export function withholdSuppressed(send: Deliver, options: WithholdOptions): Deliver {
  const { findSuppressions } = options
  const record = createRecord(options)
  return async (request) => {
    const { envelope } = request.message
    const { from = envelope.from, isBulk = false } = request
    const senderDomains = [...new Set([domainOf(from), domainOf(envelope.from)])]
    const found = await findSuppressions({ recipients: envelope.to, senderDomains, isBulk })
    if (found.size === 0) return send(request)
    const isSuppressed = (address: string) => found.has(emailKey(address))
    const others = envelope.to.filter((address) => !isSuppressed(address))
    const withheld = envelope.to.flatMap((address) => {
      const suppression = found.get(emailKey(address))
      if (suppression === undefined) return []
      return [{ address, suppression, reason: describeSuppression(suppression) }]
    })
    const { suppressed, duplicates } = await record(request, withheld)
    const message = { ...request.message, envelope: { ...envelope, to: others } }
    const report = others.length === 0 ? nothingSent : await send({ ...request, message })
    return { ...report, suppressed, duplicates: [...duplicates, ...report.duplicates] }
  }
}

const repeatsMax = 50_000

/** Creates the function that logs withheld recipients. Those who got the message before are duplicates, and not logged. */
function createRecord({ deliveryLog, clock, repeatMs, onUnattempted }: WithholdOptions) {
  const logged = new BoundedMemory<string, true>({
    sizeMax: repeatsMax,
    expiry: { keepMs: repeatMs, clock },
  })
  const isRepeated = ({ source, caller, emailId }: DeliverRequest, address: string) => {
    if (source !== 'smtp' || emailId === null) return false
    const key = JSON.stringify([caller, emailId, emailKey(address)])
    if (logged.get(key) === true) return true
    logged.set(key, true)
    return false
  }
  return async (request: DeliverRequest, withheld: readonly SuppressedRecipient[]) => {
    const { message, route, keysOf, beforeSend: _, isBulk: __, from: ___, ...about } = request
    const recipients = withheld.map(({ address }) => ({ address, ...keysOf(address) }))
    const duplicates = await deliveryLog.findDuplicates(recipients)
    const had = new Set(duplicates.map(({ address }) => address))
    const suppressed = withheld.filter(({ address }) => !had.has(address))
    const unlogged = suppressed.filter(({ address }) => !isRepeated(request, address))
    if (unlogged.length > 0) {
      const delivery = {
        ...about,
        sender: message.envelope.from,
        recipients: [],
        transportId: null,
        transport: null,
        trace: route.trace,
      }
      await deliveryLog.recordSuppressed(delivery, unlogged)
      for (const _ of unlogged) onUnattempted?.({ source: about.source, outcome: 'suppressed' })
    }
    return { suppressed, duplicates }
  }
}
