import { Notice } from '../../design/feedback.tsx'
import { ask } from '../../lib/api.ts'
import { partsOf } from '../../lib/batch.ts'
import { can } from '../../lib/session.ts'
import { useData } from '../../lib/use-data.ts'
import { countQueued } from '../../records/queue-groups.ts'
import { publishWords } from '../../words/published.ts'

/** Says what is sent through other transports once one is unpublished. */
export function Rerouted({ id }: { id: number }) {
  const { data } = useData(() => findRerouted([id]), [id])
  return data === undefined ? null : <Notice tone="warn">{data}</Notice>
}

/** Counts what is sent through other transports without these; undefined for nothing. */
export async function findRerouted(ids: readonly number[]): Promise<string | undefined> {
  const messages = can('queue:view') ? await countWaiting(new Set(ids)) : undefined
  let [emails, users] = [0, 0]
  for (const part of partsOf(ids)) {
    const query = { search: `ids:${part.join(',')}`, with: 'usage', limit: part.length }
    const { body } = await ask('GET', '/api/multipleTransports', { query })
    for (const { usage } of body) {
      emails += usage?.emails ?? 0
      users += usage?.users ?? 0
    }
  }
  if (emails + users + (messages ?? 0) === 0) return undefined
  return publishWords.rerouted(emails, users, messages)
}

/** Counts the messages of transports in the queue whose next attempt has not begun. */
async function countWaiting(ids: ReadonlySet<number>): Promise<number> {
  const { groups } = (await ask('GET', '/api/queue')).body
  return groups
    .filter(({ transportId }) => transportId !== null && ids.has(transportId))
    .reduce((sum, group) => sum + countQueued(group) - group.sending - group.uncertain, 0)
}
