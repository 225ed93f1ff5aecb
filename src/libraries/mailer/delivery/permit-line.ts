import { startStopwatch } from '../../../kit/clock.ts'
import { faultResult } from './create-result.ts'
import { FaultError } from './fault-error.ts'
import { cancelledTurn, closedFault } from './send-limiter.ts'
import type { SendOptions, Transport } from './transport.ts'

/** Gives permits that several transports and processes share. Rejects when the signal aborts. */
interface PermitSource<Permit> {
  acquire(signal: AbortSignal): Promise<Permit>
}

/** The messages of one transport that wait for a shared permit. */
export class PermitLine<Permit> {
  readonly #source: PermitSource<Permit>
  readonly #closing = new AbortController()
  #waiting = 0

  constructor(source: PermitSource<Permit>) {
    this.#source = source
  }

  get waiting(): number {
    return this.#waiting
  }

  /** @throws {FaultError} when it is cancelled or closed. */
  async acquire(signal: AbortSignal | undefined): Promise<Permit> {
    const closing = this.#closing.signal
    this.#waiting += 1
    try {
      return await this.#source.acquire(
        signal === undefined ? closing : AbortSignal.any([closing, signal]),
      )
    } catch {
      throw closing.aborted ? closedFault() : cancelledTurn()
    } finally {
      this.#waiting -= 1
    }
  }

  /** Refuses those that wait. */
  close(): void {
    this.#closing.abort()
  }
}

/** Sends each message with a permit of its own, which is released with the result. */
export function withPermits<Permit extends { release(): void }>(
  transport: Transport,
  source: PermitSource<Permit>,
  optionsOf = (_permit: Permit, options: SendOptions) => options,
): Transport {
  const { label } = transport
  const line = new PermitLine(source)
  return {
    label,
    async send(message, options = {}) {
      const elapsedMs = startStopwatch()
      try {
        const permit = await line.acquire(options.signal)
        return await transport
          .send(message, optionsOf(permit, options))
          .finally(() => permit.release())
      } catch (error) {
        if (!(error instanceof FaultError)) throw error
        return faultResult(error, { member: label, message, durationMs: elapsedMs() })
      }
    },
    load() {
      const load = transport.load()
      return { ...load, waiting: load.waiting + line.waiting }
    },
    async close() {
      line.close()
      await transport.close()
    },
  }
}
