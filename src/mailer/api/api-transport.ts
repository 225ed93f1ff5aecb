import { randomUUID } from 'node:crypto'
import type { Clock } from '../clock.ts'
import type { HttpRequest, HttpResponse } from '../connect/http-message.ts'
import type { HttpsClient } from '../connect/https-client.ts'
import { createResult, faultResult } from '../delivery/create-result.ts'
import type { DeliveryResult, RecipientResult } from '../delivery/delivery-result.ts'
import { FaultError, type FaultFields, type ImproveFault } from '../delivery/fault-error.ts'
import type { Redactor } from '../delivery/redactor.ts'
import type { SendLimiter } from '../delivery/send-limiter.ts'
import {
  requireLease,
  type SendOptions,
  type Transport,
  waitUntilReady,
} from '../delivery/transport.ts'
import { checkEnvelope, type Message } from '../message/message.ts'
import { type ParsedMessage, parseMessage } from '../message/parse-message.ts'

import type { ApiAdapter, ApiLimits, ApiMessage, ApiResult, ApiTools } from './api-adapter.ts'
import { readApiResult } from './read-api-result.ts'

/** Options of an API transport. */
interface ApiTransportOptions {
  readonly adapter: ApiAdapter
  /** Scheme, host and port of the DSN. */
  readonly label: string
  /** The provider's name as it writes it. */
  readonly title: string
  readonly client: HttpsClient
  readonly clock: Clock
  readonly limiter: SendLimiter
  readonly redact: Redactor
  readonly improve: ImproveFault
}

/** Opens the transport of a provider's API. */
export function openApiTransport(options: ApiTransportOptions): Transport {
  const { label, limiter, client, improve } = options
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
      const load = limiter.load()
      return { connections: load.sending, ...load }
    },
    async close() {
      await limiter.close()
      client.close()
    },
  }
}

interface Delivery extends ApiTransportOptions, SendOptions {
  readonly startedAt: number
}

async function deliver(message: Message, delivery: Delivery): Promise<DeliveryResult> {
  const { adapter, title, client, clock, limiter, signal } = delivery
  checkEnvelope(message.envelope)
  checkLimits(message, adapter.limits, title)
  const permit = await limiter.acquire(signal)
  try {
    const request = await adapter.request(apiMessage(message), tools(delivery))
    await waitUntilReady(delivery, 'request')
    const response = await client.send(request, {
      signal,
      beforeSend: () => requireLease(delivery, 'request'),
    })
    const recipientCount = message.envelope.to.length
    const accepted = readApiResult(response, { adapter, title, now: clock.now(), recipientCount })
    return acceptedResult(message, { accepted, response }, delivery)
  } finally {
    permit.release()
  }
}

const unparsable: FaultFields = {
  code: 'message_refused',
  scope: 'message',
  stage: 'request',
  isPermanent: true,
  message: 'The message cannot be parsed into the fields of the API.',
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
    fetch: (request) => fetchAuxiliary(request, client, signal),
  }
}

/** Sends a request without a message, for example for a token. When it is lost, the message was not sent. */
async function fetchAuxiliary(
  request: HttpRequest,
  client: HttpsClient,
  signal: AbortSignal | undefined,
): Promise<HttpResponse> {
  try {
    return await client.send(request, { signal })
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
  readonly accepted: Extract<ApiResult, { isAccepted: true }>
  readonly response: HttpResponse
}

function acceptedResult(
  message: Message,
  { accepted, response }: Acceptance,
  { label, startedAt, redact }: Delivery,
): DeliveryResult {
  const reply = (text: string) =>
    ({ protocol: 'http', code: response.status, enhancedCode: null, text: redact(text) }) as const
  const reported = new Map(accepted.recipients?.map((one) => [one.address.toLowerCase(), one]))
  const recipients = message.envelope.to.map((address): RecipientResult => {
    const own = reported.get(address.toLowerCase())
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

/**
 * Checks a message against the limits of the provider.
 * @throws {FaultError} a permanent fault of the message.
 */
function checkLimits({ envelope, raw }: Message, limits: ApiLimits, title: string): void {
  const { recipientsMax = Infinity, sizeBytesMax = Infinity } = limits
  if (envelope.to.length > recipientsMax)
    throw new FaultError({
      code: 'too_many_recipients',
      scope: 'message',
      stage: 'recipient',
      message: `${title} takes at most ${recipientsMax} recipients for a message; this one has ${envelope.to.length}.`,
      hint: 'Send it in parts.',
      isPermanent: true,
    })
  if (raw.length > sizeBytesMax)
    throw new FaultError({
      code: 'too_large',
      scope: 'message',
      stage: 'data',
      message: `${title} takes messages of at most ${sizeBytesMax} bytes; this one has ${raw.length}.`,
      hint: 'Send smaller attachments, or link to them.',
      isPermanent: true,
    })
}
