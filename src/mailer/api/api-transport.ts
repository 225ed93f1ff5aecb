import { randomUUID } from 'node:crypto'
import type { Clock } from '../clock.ts'
import type { DeliveryResult, RecipientResult } from '../delivery/delivery-result.ts'
import { FaultError, type FaultFields } from '../delivery/fault-error.ts'
import type { ImproveFault } from '../delivery/improve-fault.ts'
import type { Redactor } from '../delivery/redactor.ts'
import { createResult, faultResult } from '../delivery/result.ts'
import type { SendOptions, Transport } from '../delivery/transport.ts'
import { untilReady } from '../delivery/until-ready.ts'
import type { HttpAnswer, HttpRequest } from '../http/http-exchange.ts'
import type { HttpsClient } from '../http/https-client.ts'
import { checkEnvelope } from '../message/check-envelope.ts'
import type { Message } from '../message/message.ts'
import { parseMessage } from '../message/parse-message.ts'
import type { ParsedMessage } from '../message/parsed-message.ts'
import type { Gate } from '../rate/gate.ts'
import type { ApiAdapter, ApiMessage, ApiTools, ApiVerdict } from './api-adapter.ts'
import { checkLimits } from './check-limits.ts'
import { readVerdict } from './read-verdict.ts'

/** What an API transport is made of. */
export interface ApiTransportOptions {
  readonly adapter: ApiAdapter
  /** Scheme, host and port of the DSN. */
  readonly label: string
  /** The provider as it writes itself. */
  readonly title: string
  readonly client: HttpsClient
  readonly clock: Clock
  readonly gate: Gate
  readonly redact: Redactor
  readonly improve: ImproveFault
}

/** Opens the transport of a provider's API. */
export function openApiTransport(options: ApiTransportOptions): Transport {
  const { label, gate, client, improve } = options
  return {
    label,
    async send(message, sendOptions = {}) {
      const startedAt = performance.now()
      try {
        return await deliver(message, { ...options, ...sendOptions, startedAt })
      } catch (error) {
        if (!(error instanceof FaultError)) throw error
        const durationMs = performance.now() - startedAt
        return faultResult(improve(error), { member: label, message, durationMs })
      }
    },
    load() {
      const load = gate.load()
      return { connections: load.sending, ...load }
    },
    async close() {
      await gate.close()
      client.close()
    },
  }
}

interface Delivery extends ApiTransportOptions, SendOptions {
  readonly startedAt: number
}

async function deliver(message: Message, delivery: Delivery): Promise<DeliveryResult> {
  const { adapter, title, client, clock, gate, signal } = delivery
  checkEnvelope(message.envelope)
  checkLimits(message, adapter.limits, title)
  const place = await gate.enter(signal)
  try {
    const request = await adapter.request(apiMessage(message), tools(delivery))
    await untilReady(delivery, 'request')
    const answer = await client.send(request, signal)
    const recipientCount = message.envelope.to.length
    const accepted = readVerdict(answer, { adapter, title, now: clock.now(), recipientCount })
    return acceptedResult(message, { accepted, answer }, delivery)
  } finally {
    place.leave()
  }
}

const unparsable: FaultFields = {
  code: 'message_refused',
  scope: 'message',
  stage: 'request',
  isPermanent: true,
  message: 'The message cannot be taken apart into the fields that the API wants.',
  hint: 'Its MIME structure is too deep or its header too large.',
}

function apiMessage(message: Message): ApiMessage {
  let parsed: Promise<ParsedMessage> | undefined
  const parse = () => {
    parsed ??= parseMessage(message).catch((cause: unknown) => {
      throw new FaultError(unparsable, { cause })
    })
    return parsed
  }
  return { ...message, parse }
}

function tools({ client, clock, signal }: Delivery): ApiTools {
  return {
    now: () => new Date(clock.now()),
    uuid: () => randomUUID(),
    fetch: (request) => fetchAside(request, client, signal),
  }
}

/** A request that carries no message, such as one for a token: its loss leaves nothing open. */
async function fetchAside(
  request: HttpRequest,
  client: HttpsClient,
  signal: AbortSignal | undefined,
): Promise<HttpAnswer> {
  try {
    return await client.send(request, signal)
  } catch (error) {
    if (error instanceof FaultError)
      throw new FaultError(
        { ...error.fault, message: error.fault.message.replace(/; the message may .*$/, '.') },
        { cause: error },
      )
    throw error
  }
}

interface Acceptance {
  readonly accepted: Extract<ApiVerdict, { isAccepted: true }>
  readonly answer: HttpAnswer
}

function acceptedResult(
  message: Message,
  { accepted, answer }: Acceptance,
  { label, startedAt, redact }: Delivery,
): DeliveryResult {
  const reply = (text: string) =>
    ({ protocol: 'http', code: answer.status, enhancedCode: null, text: redact(text) }) as const
  const told = new Map(accepted.recipients?.map((one) => [one.address.toLowerCase(), one]))
  const recipients = message.envelope.to.map((address): RecipientResult => {
    const own = told.get(address.toLowerCase())
    return {
      address,
      outcome: own?.outcome ?? 'accepted',
      reply: reply(own?.text ?? ''),
      isPermanent: own?.isPermanent ?? false,
    }
  })
  return createResult({
    member: label,
    outcome: 'accepted',
    stage: 'request',
    reply: reply(''),
    fault: null,
    durationMs: performance.now() - startedAt,
    recipients,
    messageId: accepted.messageId,
  })
}
