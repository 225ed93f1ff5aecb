import { ApiFault, ask, type Schema } from '../../lib/api.ts'
import type { QueueFilters } from '../../records/queue-filters.ts'
import type { queueWords } from '../../words/queue.ts'

export type QueueAction = keyof typeof queueWords.actions

interface Changed {
  changed: number
  skipped: number
}

interface QueueAnswer {
  body: Changed & { next: number | null }
}

/** Changes single messages; those that left the queue or are being sent are skipped. */
export async function changeEach(action: QueueAction, ids: readonly number[]): Promise<Changed> {
  const result = { changed: 0, skipped: 0 }
  for (const id of ids) {
    try {
      await ask('POST', `/api/queue/messages/{id}/${action}`, { path: { id } })
      result.changed += 1
    } catch (error) {
      if (!(error instanceof ApiFault) || (error.status !== 404 && error.status !== 409))
        throw error
      result.skipped += 1
    }
  }
  return result
}

/** Changes all messages that match. */
export function changeAll(action: QueueAction, filters: QueueFilters): Promise<Changed> {
  return askAll(action, filters, {})
}

/** Counts the messages that `changeAll` would change. */
export async function countAll(action: QueueAction, filters: QueueFilters): Promise<number> {
  return (await askAll(action, filters, { dryRun: '1' })).changed
}

/** The server answers a part of many messages at a time. */
async function askAll(
  action: QueueAction,
  filters: QueueFilters,
  query: { dryRun?: string },
): Promise<Changed> {
  const result = { changed: 0, skipped: 0 }
  const { transportId, mautic, broadcastId, state, ...rest } = filters
  const numbers = Object.entries({ transportId, mautic, broadcastId }).filter(([, id]) => id)
  const filter = {
    ...rest,
    ...Object.fromEntries(numbers.map(([name, id]) => [name, Number(id)])),
    ...(state === undefined ? {} : { state: state.split(',') }),
    all: Object.keys(filters).length === 0,
  } as Schema<'QueueFilter'>
  for (let next: number | null = 0; next !== null; ) {
    const answer: QueueAnswer = await ask('POST', `/api/queue/${action}`, {
      body: { ...filter, next },
      query,
    })
    result.changed += answer.body.changed
    result.skipped += answer.body.skipped
    next = answer.body.next
  }
  return result
}
