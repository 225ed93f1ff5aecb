import { randomUUID } from 'node:crypto'
import type { Clock } from '../../../kit/clock.ts'
import { type HttpClient, refuseRedirect } from '../connect/http-client.ts'
import type { HttpResponse } from '../connect/http-message.ts'
import { type Accepted, attempt } from '../delivery/create-result.ts'
import type { DeliveryResult, RecipientResult } from '../delivery/delivery-result.ts'
import {
  FaultError,
  type FaultFields,
  type ImproveFault,
  uncertainFault,
} from '../delivery/fault-error.ts'
import type { Redactor } from '../delivery/redactor.ts'
import type { SendLimiter } from '../delivery/send-limiter.ts'
import type { Observer } from '../delivery/stage.ts'
import {
  requireLease,
  type SendOptions,
  type Transport,
  type TransportLoad,
  waitUntilReady,
} from '../delivery/transport.ts'
import type { Message } from '../message/message.ts'
import { type ParsedMessage, parseMessage } from '../message/parse-message.ts'
import type { AccessToken } from '../oauth/access-token.ts'
import type { Secret } from '../secret.ts'
import type { ApiAdapter, ApiLimits, ApiMessage } from './api-adapter.ts'
import { type ApiAcceptance, readApiResult, seeProviderLog } from './api-result.ts'

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

/** The transport of a provider's API. */
export class ApiTransport implements Transport {
  readonly label: string
  readonly #options: ApiTransportOptions

  constructor(options: ApiTransportOptions) {
    this.label = options.label
    this.#options = options
  }

  send(message: Message, sendOptions?: SendOptions): Promise<DeliveryResult> {
    const { improve } = this.#options
    const attempted = { member: this.label, improve, options: sendOptions }
    return attempt(message, attempted, (options) => this.#deliver(message, options))
  }

  load(): TransportLoad {
    const load = this.#options.limiter.load()
    return { connections: load.sending, ...load }
  }

  async close(): Promise<void> {
    await this.#options.limiter.close()
    await this.#options.client.close()
  }

  async #deliver(message: Message, options: SendOptions): Promise<Accepted> {
    const { adapter, title, clock, limiter, redact } = this.#options
    checkLimits(message, adapter.limits, title)
    const permit = await limiter.acquire(options.signal)
    try {
      const first = await this.#exchange(message, options)
      // A refused token cannot have sent anything.
      const { response } = first.isTokenRefused ? await this.#exchange(message, options) : first
      const recipientCount = message.envelope.to.length
      const now = clock.now()
      const acceptance = readApiResult(response, { adapter, title, now, recipientCount })
      return accepted(message, acceptance, (text) => replyOf(response, redact(text)))
    } finally {
      permit.release()
    }
  }

  /** Sends the request of a message. A refused access token is dropped. */
  async #exchange(
    message: Message,
    options: SendOptions,
  ): Promise<{ response: HttpResponse; isTokenRefused: boolean }> {
    const { adapter, client, clock, token, observer } = this.#options
    const { signal } = options
    let used: Secret | undefined
    const request = await adapter.request(apiMessage(message), {
      now: () => new Date(clock.now()),
      uuid: () => randomUUID(),
      async accessToken() {
        if (token === undefined) throw new Error('The adapter has no grant.')
        observer.enter('token')
        used = await token.get(signal)
        return used
      },
    })
    await waitUntilReady(options, 'request')
    const beforeSend = () => requireLease(options, 'request')
    const response = await client.send(request, { signal, beforeSend }).catch((error: unknown) => {
      if (!(error instanceof FaultError && error.isUncertain)) throw error
      throw uncertainFault(error, { doubt: 'the message may have been sent', hint: seeProviderLog })
    })
    refuseRedirect(request, response)
    if (used === undefined || response.status !== 401) return { response, isTokenRefused: false }
    token?.forget(used, '')
    return { response, isTokenRefused: true }
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

function replyOf({ status }: HttpResponse, text: string) {
  return { protocol: 'http', code: status, enhancedCode: null, text } as const
}

function accepted(
  { envelope }: Message,
  { messageId, recipients = [] }: ApiAcceptance,
  reply: (text: string) => ReturnType<typeof replyOf>,
): Accepted {
  const reported = new Map(recipients.map((one) => [one.address.toLowerCase(), one]))
  return {
    stage: 'request',
    reply: reply(''),
    messageId,
    recipients: envelope.to.map((address): RecipientResult => {
      const report = reported.get(address.toLowerCase())
      return {
        address,
        outcome: report?.outcome ?? 'accepted',
        reply: reply(report?.text ?? ''),
        isPermanent: report?.isPermanent ?? false,
      }
    }),
  }
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
      isPermanent: true,
    })
}
