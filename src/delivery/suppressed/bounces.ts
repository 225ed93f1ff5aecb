import type { Log } from '../../kit/log.ts'
import type { DeliveryResult, RecipientResult } from '../../mailer/index.ts'
import { domainOf, type Suppressions } from '../../suppressions/index.ts'
import type { Route } from '../routing/choose-route.ts'

/**
 * The enhanced status codes that say that an address does not exist. Others of 5.1.x are about its syntax, about the
 * sender or about something else, and codes such as 5.2.2 (mailbox full) and 5.7.x (policy) say nothing of the address.
 */
const unknownAddressCodes: ReadonlySet<string> = new Set([
  // RFC 3463, section 3.2: bad destination mailbox address, bad destination system address.
  '5.1.1',
  '5.1.2',
  // RFC 3463, section 3.2: the mailbox has moved and has no forwarding address.
  '5.1.6',
  // RFC 7505, section 4.2: the domain accepts no mail (null MX).
  '5.1.10',
])

/** Other codes of 5.1.x that refuse an address: its status is not defined, its syntax is bad, or it is ambiguous. */
const otherAddressCodes: ReadonlySet<string> = new Set(['5.1.0', '5.1.3', '5.1.4'])

/** Returns the recipients whose address does not exist, according to the server's own reply to each of them. */
export function bouncedAddresses(result: DeliveryResult): string[] {
  return refusedFor(result, unknownAddressCodes).map(({ address }) => address)
}

/** Returns the recipients whose address is refused for good, also for another reason than that it does not exist. */
export function refusedAddresses(result: DeliveryResult): RecipientResult[] {
  const unknown = refusedFor(result, unknownAddressCodes)
  // After the message such a code may be about its sender.
  const isEarly = result.outcome === 'accepted' || result.fault?.stage === 'recipient'
  return isEarly ? [...unknown, ...refusedFor(result, otherAddressCodes)] : unknown
}

function refusedFor(
  { recipients, outcome, fault }: DeliveryResult,
  codes: ReadonlySet<string>,
): RecipientResult[] {
  const isOwnReply =
    outcome === 'accepted' || fault?.stage === 'recipient' || recipients.length === 1
  if (!isOwnReply || fault?.stage === 'sender') return []
  return recipients.filter(({ outcome: own, isPermanent, reply }) => {
    const code = reply?.protocol === 'smtp' ? reply.enhancedCode : null
    return own === 'refused' && isPermanent && code !== null && codes.has(code)
  })
}

/** A bounced address and the delivery that found it; undefined if that is not known. */
export interface Bounce {
  address: string
  deliveryId: number | undefined
  /** Only email from this domain is stopped; null: all. */
  senderDomain: string | null
}

/**
 * Returns the domain whose email a bounce stops; null for all email. A Mautic chooses the server of its own transport, so
 * the server's reply concerns only the sender. Undefined if that sender has no domain: then nothing is suppressed.
 */
export function bounceScope(
  { target }: Pick<Route, 'target'>,
  from: string,
): string | null | undefined {
  if (target.kind !== 'transport' || target.row.mautic_id === null) return null
  return domainOf(from) || undefined
}

/** Suppresses addresses that do not exist. */
export interface BounceRecorder {
  /** Suppresses what `find` returns; resolves when it is written. It does not reject. */
  record(find: () => Promise<readonly Bounce[]>): Promise<void>
  /** Resolves when everything that was recorded is written. */
  close(): Promise<void>
}

/** Opens the recorder; undefined where bounces are not suppressed (`MAILYARD_SUPPRESS_BOUNCES`). */
export function openBounceRecorder({
  suppressions,
  suppressBounces,
  log,
}: {
  suppressions: Pick<Suppressions, 'add'>
  suppressBounces: boolean
  log: Log
}): BounceRecorder | undefined {
  if (!suppressBounces) return undefined
  const running = new Set<Promise<void>>()
  const write = async (find: () => Promise<readonly Bounce[]>) => {
    try {
      const bounces = await find()
      await suppressions.add(
        bounces.map(({ address, deliveryId, senderDomain }) => ({
          ...{ address, senderDomain },
          reason: 'bounced',
          source: deliveryId === undefined ? null : `delivery ${deliveryId}`,
        })),
      )
      log.info({ addresses: bounces.length }, 'bounced addresses suppressed')
    } catch (err) {
      log.warn({ err }, 'bounced addresses not suppressed')
    }
  }
  return {
    record(find) {
      const written = write(find)
      running.add(written)
      void written.then(() => running.delete(written))
      return written
    },
    close: async () => void (await Promise.all(running)),
  }
}
