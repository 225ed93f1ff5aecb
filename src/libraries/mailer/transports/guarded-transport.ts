import type { Capture } from '../delivery/capture.ts'
import { attempt } from '../delivery/create-result.ts'
import type { DeliveryResult } from '../delivery/delivery-result.ts'
import { FaultError, joinSentences } from '../delivery/fault-error.ts'
import type { RecipientGuard } from '../delivery/recipient-guard.ts'
import {
  type SendOptions,
  type Transport,
  type TransportLoad,
  waitUntilReady,
} from '../delivery/transport.ts'
import type { Message } from '../message/message.ts'
import { capturedBy } from './local-transports.ts'

/** What a message to recipients who are not allowed needs. */
export interface Guarding {
  readonly guard: RecipientGuard
  /** Undefined: their messages are refused. */
  readonly capture: Capture | undefined
}

/** A transport, or a list of them, that gets messages to the allowed recipients only. */
export class GuardedTransport implements Transport {
  readonly label: string
  readonly #transport: Transport
  readonly #guarding: Guarding

  constructor(transport: Transport, guarding: Guarding) {
    this.label = transport.label
    this.#transport = transport
    this.#guarding = guarding
  }

  /** One copy is captured for all who are not allowed, before the message is sent to the others. */
  async send(message: Message, options: SendOptions = {}): Promise<DeliveryResult> {
    const { from, to } = message.envelope
    const others = new Set(to.filter((address) => !this.#guarding.guard.allows(address)))
    if (others.size === 0) return this.#transport.send(message, options)
    options.onGuarded?.(others.size)
    const copyTo = (some: readonly string[]) => ({ ...message, envelope: { from, to: some } })
    const captured = await captureInstead(copyTo([...others]), this.#guarding, options)
    const allowed = to.filter((address) => !others.has(address))
    if (allowed.length === 0) return captured
    const result = await this.#transport.send(copyTo(allowed), options)
    const recipients = [...result.recipients, ...captured.recipients]
    const byAddress = new Map(recipients.map((one) => [one.address, one]))
    return {
      ...result,
      fault: result.fault ?? captured.fault,
      recipients: to.flatMap((address) => byAddress.get(address) ?? []),
    }
  }

  load(): TransportLoad {
    return this.#transport.load()
  }

  close(): Promise<void> {
    return this.#transport.close()
  }
}

/** Captures a message instead of sending it. Without a server there is neither a lease nor a limit to keep. */
export async function captureInstead(
  message: Message,
  { guard, capture }: Guarding,
  { ready, signal, through, submitter }: SendOptions,
): Promise<DeliveryResult> {
  const member = 'inbox://local'
  const improve = ({ fault, isUncertain, cause }: FaultError) => {
    const sentences = joinSentences([guard.reason, fault.message])
    return new FaultError(
      { ...fault, scope: 'message', message: sentences },
      { isUncertain, cause },
    )
  }
  const result = await attempt(message, { member, improve }, async () => {
    await waitUntilReady({ ready, signal }, 'data')
    return capturedBy(capture ?? refuse, message, { through, submitter, reason: guard.reason })
  })
  const { messageId: inboxId } = result
  const guarded = { member, inboxId }
  return { ...result, recipients: result.recipients.map((one) => ({ ...one, guarded })) }
}

const refuse: Capture = async () => ({
  outcome: 'refused',
  reason: 'No inbox is configured that captures the message.',
  isPermanent: true,
})
