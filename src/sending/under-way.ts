import { createDeliver, type Deliver, type DeliverOptions, type Dispatched } from './deliver.ts'

/** Deliveries that can be cancelled, and waited for. */
export interface UnderWay {
  deliver: Deliver
  /** Cancels what is under way after so long, in milliseconds. */
  cancelAfter(timeMs: number): void
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
    cancelAfter(timeMs) {
      later = setTimeout(() => stopping.abort(), timeMs)
    },
    async cancel() {
      clearTimeout(later)
      stopping.abort()
      await Promise.allSettled(underWay)
      options.journal.close()
    },
  }
}
