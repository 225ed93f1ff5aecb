import { FaultError } from './fault-error.ts'
import type { Stage } from './stage.ts'
import type { SendOptions } from './transport.ts'

/** Waits until the message may leave. Throws FaultError where it may not after all. */
export async function untilReady({ ready, signal }: SendOptions, stage: Stage): Promise<void> {
  if (ready === undefined) return
  try {
    await ready
    signal?.throwIfAborted()
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new FaultError(
      {
        code: 'cancelled',
        scope: 'message',
        stage,
        message: `The delivery was given up before the message left: ${reason}`,
      },
      { cause },
    )
  }
}
