import type { Dispatcher } from 'undici'
import { OutboundPolicy, type OutboundRules } from '../policy/outbound-policy.ts'
import { Connector } from './connector.ts'
import { HttpClient, type HttpSendOptions } from './http-client.ts'
import type { HttpRequest, HttpResponse, ReceivedResponse } from './http-message.ts'
import { OutboundError } from './outbound-error.ts'
import { lookupBySystem } from './resolve-host.ts'

const stepMs = 10_000

/**
 * Sends HTTP requests other than those of transports, to addresses that the outbound policy allows. A redirect is a
 * response like any other.
 * @internal
 */
export class OutboundClient {
  readonly #http: HttpClient

  constructor(rules: OutboundRules, { connectionsMax }: { connectionsMax: number }) {
    const connector = new Connector({
      policy: new OutboundPolicy(rules),
      lookup: lookupBySystem,
      timeouts: { resolveMs: stepMs, connectMs: stepMs, tlsMs: stepMs },
    })
    this.#http = new HttpClient({ connector, connectionsMax })
  }

  /** The connections of the client, for requests whose bodies are streamed. */
  get dispatcher(): Dispatcher {
    return this.#http.dispatcher
  }

  /**
   * Sends a request, and reads its response as a whole, or only its beginning where that is enough (`isCutAccepted`).
   * @throws {OutboundError} or the reason of the signal.
   */
  async send(
    request: HttpRequest,
    {
      timeoutMs,
      bytesMax,
      signal,
      isCutAccepted = false,
    }: Required<Pick<HttpSendOptions, 'timeoutMs' | 'bytesMax'>> &
      Pick<HttpSendOptions, 'signal'> & { isCutAccepted?: boolean },
  ): Promise<HttpResponse> {
    try {
      const response = await this.#http.send(request, { timeoutMs, bytesMax, signal })
      if (response.ending !== 'whole' && !isCutAccepted)
        throw incomplete(request, response, bytesMax)
      return response
    } catch (error) {
      signal?.throwIfAborted()
      throw OutboundError.of(error)
    }
  }

  close(): Promise<void> {
    return this.#http.close()
  }
}

function incomplete(
  { url }: HttpRequest,
  { ending }: ReceivedResponse,
  bytesMax = 0,
): OutboundError {
  const { host } = new URL(url)
  if (ending === 'cut_off')
    return new OutboundError('unreachable', {
      detail: `${host} closed the connection before the end of its answer.`,
      hint: 'Check that the server works, and try again later.',
    })
  const size = bytesMax < 1_048_576 ? `${bytesMax / 1024} KB` : `${bytesMax / 1_048_576} MB`
  return new OutboundError('answer_too_large', {
    detail: `The answer of ${host} is larger than ${size}.`,
    hint: 'Check that nothing on the way answers in its place.',
  })
}
