import { noBrand } from '../../../kit/caller.ts'
import type { Log } from '../../../kit/log.ts'
import {
  classOfReply,
  type DeliveryResult,
  type RecipientResult,
} from '../../../libraries/mailer/index.ts'
import { inputOf, type SuppressionScope, type Suppressions } from '../../suppressions/index.ts'
import type { TransportRow } from '../../transports/index.ts'
import type { RecordBounces, SentMessage } from '../deliver.ts'
import type { DeliveryLog } from '../log/delivery-log.ts'
import { replyText } from '../log/delivery-row.ts'
import type { MauticReporter } from './mautic-reporter.ts'
import type { TransportEvidence } from './transport-evidence.ts'

/** Codes of 5.1.x that refuse an address at RCPT; after the message they may be about its sender. */
const otherAddressCodes: ReadonlySet<string> = new Set(['5.1.0', '5.1.3', '5.1.4'])

/** Returns the recipients whose address is refused for good, according to the server's own reply to each of them. */
export function refusedAddresses({
  recipients,
  outcome,
  fault,
}: DeliveryResult): RecipientResult[] {
  const isEarly = outcome === 'accepted' || fault?.stage === 'recipient'
  if (fault?.stage === 'sender' || !(isEarly || recipients.length === 1)) return []
  return recipients.filter((recipient) => {
    const { reply } = recipient
    const isRefused = recipient.outcome === 'refused' && recipient.isPermanent
    if (!isRefused || reply?.protocol !== 'smtp') return false
    const about = classOfReply(replyText(recipient) ?? '')
    if (about !== 'other') return about === 'address'
    return isEarly && otherAddressCodes.has(reply.enhancedCode ?? '')
  })
}

/**
 * Returns which messages a bounce stops; undefined for none. A transport of a brand speaks for this brand. If a caller of a Mautic wrote its DSN, it suppresses nothing: this caller may run its server, and chooses
 * the domain in From.
 *
 * @param transport Undefined for the default transport.
 */
export function bounceScope(
  transport: Pick<TransportRow, 'is_public_only' | 'brand_id'> | undefined,
): SuppressionScope | undefined {
  if (transport?.is_public_only) return undefined
  return { brand: transport?.brand_id ?? noBrand, senderDomain: null }
}

export interface BounceRecorderOptions {
  evidence: TransportEvidence
  suppressions: Pick<Suppressions, 'add'>
  deliveryLog: Pick<DeliveryLog, 'markBounced'>
  mauticReporter: Pick<MauticReporter, 'reportBounced'>
  /** Whether bounced addresses are suppressed (`MAILYARD_SUPPRESS_BOUNCES`). */
  suppressBounces: boolean
  log: Log
}

/**
 * Takes a refused address for bounced, if the transport that refused it works: it reports it to the Mautic whose message it
 * was, and suppresses it. A transport that refuses everyone says nothing about an address; one that a caller of a Mautic wrote
 * says it to that Mautic only.
 */
export class BounceRecorder implements RecordBounces {
  readonly #options: BounceRecorderOptions
  readonly #running = new Set<Promise<readonly string[]>>()

  constructor(options: BounceRecorderOptions) {
    this.#options = options
  }

  async record(sent: SentMessage): Promise<readonly string[]> {
    const refused = refusedAddresses(sent.result)
    if (refused.length === 0) return []
    const recorded = this.#record(sent, refused)
    this.#running.add(recorded)
    try {
      return await recorded
    } finally {
      this.#running.delete(recorded)
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.#running)
  }

  async #record(
    sent: SentMessage,
    refused: readonly RecipientResult[],
  ): Promise<readonly string[]> {
    const { evidence, deliveryLog, mauticReporter, suppressBounces, log } = this.#options
    const { transportId, written, request, attempts } = sent
    const addresses = refused.length
    try {
      await written
      if (!(await evidence.isReliable(transportId))) {
        log.info({ transportId, addresses }, 'refused addresses not suppressed: transport fails')
        return []
      }
      // Before they are suppressed: a report names the contact and the email.
      if (await mauticReporter.reportBounced(request, refused)) {
        const bounced = new Set(refused.map(({ address }) => address))
        await deliveryLog.markBounced(attempts.filter(({ address }) => bounced.has(address)))
      }
      return suppressBounces ? await this.#suppress(sent, refused) : []
    } catch (err) {
      log.warn({ err, transportId, addresses }, 'bounced addresses not suppressed')
      return []
    }
  }

  async #suppress(
    { route, attempts, transportId }: SentMessage,
    refused: readonly RecipientResult[],
  ): Promise<readonly string[]> {
    const { suppressions, log } = this.#options
    const { target } = route
    const transport = target.kind === 'transport' ? target.row : undefined
    const scope = bounceScope(transport)
    if (scope === undefined) return []
    const addresses = refused.map(({ address }) => address)
    await suppressions.add(
      addresses.map((address) => {
        const deliveryId = attempts.find((each) => each.address === address)?.id
        const source = deliveryId === undefined ? null : `delivery ${deliveryId}`
        const evidence = { transport_id: transportId, delivery_id: deliveryId ?? null }
        return { address, ...inputOf(scope), reason: 'bounced', source, evidence }
      }),
    )
    log.info({ addresses: addresses.length }, 'bounced addresses suppressed')
    return addresses
  }
}
