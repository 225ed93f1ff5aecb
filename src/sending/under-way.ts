import { createDeliver, type Deliver, type DeliverOptions, type Dispatched } from './deliver.ts'

/** Deliveries that can be cancelled, and waited for. */
export interface UnderWay {
  deliver: Deliver
  /** Resolves when nothing is under way, whoever still waits for it; cancels what is after so long, in milliseconds. */
  drain(timeMs: number): Promise<void>
  /** Cancels what is under way, now, and resolves when nothing is; nothing is to be begun after that. */
  cancel(): Promise<void>
}

export function openUnderWay(options: Omit<DeliverOptions, 'stopping'>): UnderWay {
  const stopping = new AbortController()
  const deliver = createDeliver({ ...options, stopping: stopping.signal })
  const underWay = new Set<Promise<Dispatched>>()
  let later: NodeJS.Timeout | undefined
  return {
    async deliver(dispatch) {
      const delivery = deliver(dispatch)
      underWay.add(delivery)
      try {
        return await delivery
      } finally {
        underWay.delete(delivery)
      }
    },
    async drain(timeMs) {
      later = setTimeout(() => stopping.abort(), timeMs)
      while (underWay.size > 0) await Promise.allSettled(underWay)
    },
    async cancel() {
      clearTimeout(later)
      stopping.abort()
      await Promise.allSettled(underWay)
      options.journal.close()
    },
  }
}
