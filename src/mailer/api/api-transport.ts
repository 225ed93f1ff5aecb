import { randomUUID } from 'node:crypto'
import type { Clock } from '../clock.ts'
import type { HttpClient } from '../connect/http-client.ts'
import type { HttpResponse } from '../connect/http-message.ts'
import { createResult, faultResult } from '../delivery/create-result.ts'
import type { DeliveryResult, RecipientResult } from '../delivery/delivery-result.ts'
import { FaultError, type FaultFields, type ImproveFault } from '../delivery/fault-error.ts'
import type { Redactor } from '../delivery/redactor.ts'
import type { SendLimiter } from '../delivery/send-limiter.ts'
import type { Observer } from '../delivery/stage.ts'
import {
  requireLease,
  type SendOptions,
  type Transport,
  waitUntilReady,
} from '../delivery/transport.ts'
import { checkEnvelope, type Message } from '../message/message.ts'
import { type ParsedMessage, parseMessage } from '../message/parse-message.ts'
import type { AccessToken } from '../oauth/access-token.ts'
import type { Secret } from '../secret.ts'

import type { ApiAdapter, ApiLimits, ApiMessage, ApiResult, ApiTools } from './api-adapter.ts'
import { readApiResult } from './read-api-result.ts'

/** Options of an API transport. */
interface ApiTransportOptions {
  readonly adapter: ApiAdapter
  /** Scheme, host and port of the DSN. */
  readonly label: string
  /** The provider's name as it writes it. */
  readonly title: string
  readonly client: HttpClient
  /** Undefined if the API has no OAuth. */
  readonly token: AccessToken | undefined
  readonly observer: Observer
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
  const { adapter, title, clock, limiter, signal } = delivery
  checkEnvelope(message.envelope)
  checkLimits(message, adapter.limits, title)
  const permit = await limiter.acquire(signal)
  try {
    const first = await exchange(message, delivery)
    // A refused token cannot have sent anything.
    const { response } = first.isTokenRefused ? await exchange(message, delivery) : first
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

/** Sends the request of a message. A refused access token is dropped. */
async function exchange(
  message: Message,
  delivery: Delivery,
): Promise<{ response: HttpResponse; isTokenRefused: boolean }> {
  const { adapter, client, clock, token, observer, signal } = delivery
  let used: Secret | undefined
  const tools: ApiTools = {
    now: () => new Date(clock.now()),
    uuid: () => randomUUID(),
    async accessToken() {
      if (token === undefined) throw new Error('The adapter has no grant.')
      observer.enter('token')
      used = await token.get(signal)
      return used
    },
  }
  const request = await adapter.request(apiMessage(message), tools)
  await waitUntilReady(delivery, 'request')
  const response = await client.send(request, {
    signal,
    beforeSend: () => requireLease(delivery, 'request'),
  })
  if (used === undefined || response.status !== 401) return { response, isTokenRefused: false }
  token?.forget(used, '')
  return { response, isTokenRefused: true }
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
