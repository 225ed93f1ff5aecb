import { Notice } from '../../design/feedback.tsx'
import { ask } from '../../lib/api.ts'
import { partsOf } from '../../lib/batch.ts'
import { can } from '../../lib/session.ts'
import { useData } from '../../lib/use-data.ts'
import { countQueued } from '../../records/queue.tsx'
import { words } from '../../words/common.ts'
import { publishWords } from '../../words/published.ts'

/** Says what is sent through other transports once one is unpublished. */
export function Rerouted({ id }: { id: number }) {
  const { data } = useData(() => findRerouted([id]), [id])
  return data === undefined ? null : <Notice tone="warn">{data}</Notice>
}

/** Counts what is sent through other transports without these, and names those; undefined for nothing. */
export async function findRerouted(ids: readonly number[]): Promise<string | undefined> {
  const messages = can('queue:view') ? await countMessagesOf(new Set(ids)) : 0
  let [emails, users] = [0, 0]
  const brands = new Set<number | undefined>()
  for (const part of partsOf(ids)) {
    const query = { search: `ids:${part.join(',')}`, with: 'usage', limit: part.length }
    const { body } = await ask('GET', '/api/multipleTransports', { query })
    for (const { usage, brand } of body) {
      emails += usage?.emails ?? 0
      users += usage?.users ?? 0
      brands.add(brand)
    }
  }
  if (emails + users + messages === 0) return undefined
  const query = { limit: 0, fields: 'id,brand' }
  const mautics = can('api:view') ? (await ask('GET', '/api/mautics', { query })).body.mautics : []
  // A transport without a brand serves all of them.
  const affected = mautics.filter(({ brand }) => brands.has(undefined) || brands.has(brand))
  const drills = await Promise.all([undefined, ...affected].map((mautic) => drill(ids, mautic?.id)))
  return publishWords.rerouted({ emails, users, messages }, drills.flat())
}

/** What takes over for emails and users of a Mautic, or of Mailyard itself, without some transports. */
async function drill(down: readonly number[], mautic: number | undefined) {
  // The API takes 1,000 at most.
  const body = { down: down.slice(0, 1_000), ...(mautic === undefined ? {} : { mautic }) }
  const answer = await ask('POST', '/api/multipleTransport/drill', { body, isRead: true })
  return answer.body.targets
    .filter(({ emails, users }) => emails + users > 0)
    .map(({ to: { kind, transport }, emails, users }) => ({
      name: kind === 'none' ? undefined : (transport?.name ?? words.theDefaultTransport),
      emails,
      users,
    }))
}

/** Counts the messages of transports in the queue whose next attempt has not begun. */
async function countMessagesOf(ids: ReadonlySet<number>): Promise<number> {
  const { groups } = (await ask('GET', '/api/queue')).body
  return groups
    .filter(({ transportId }) => transportId !== null && ids.has(transportId))
    .reduce((sum, group) => sum + countQueued(group) - group.sending - group.uncertain, 0)
}
