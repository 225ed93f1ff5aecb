import { sql, type Transaction } from 'kysely'
import type { Log } from '../../kit/log.ts'
import { pause } from '../../kit/pause.ts'
import { Periodic } from '../../kit/periodic.ts'
import type { Storage } from '../../platform/storage/index.ts'
import type { TemplateTables } from './table.ts'

const intervalMs = 60_000
/** They take SQLite's one writer about ten milliseconds. */
const versionsPerBatch = 100
const templatesPerBatch = 500

/**
 * Deletes the oldest versions of templates that have too many, once a minute; each run returns how many. The current version
 * always stays.
 */
export function createVersionPruner({
  storage,
  log,
  keep,
}: {
  storage: Storage
  log: Log
  /** How many versions each template has at most, 1 or more. */
  keep: number
}): Periodic<number> {
  return new Periodic({
    task: (signal) => prune(storage, keep, signal),
    intervalMs,
    log,
    events: { failed: 'template versions not pruned', recovered: 'template versions pruned again' },
  })
}

async function prune(storage: Storage, keep: number, signal: AbortSignal): Promise<number> {
  let pruned = 0
  for (let after = 0; !signal.aborted; ) {
    const templates = await findOverfull(storage, { after, keep })
    for (const { id, oldestKept } of templates) {
      let removed = versionsPerBatch
      while (removed === versionsPerBatch && !signal.aborted) {
        removed = await removeSome(storage, { id, oldestKept })
        pruned += removed
        await pause()
      }
    }
    const last = templates.at(-1)
    if (last === undefined || templates.length < templatesPerBatch) break
    after = last.id
  }
  return pruned
}

interface Overfull {
  id: number
  /** The oldest version that stays. */
  oldestKept: number
}

/** Versions are numbered without gaps up to the current one, so the limit gives the oldest that stays. */
async function findOverfull(
  storage: Storage,
  { after, keep }: { after: number; keep: number },
): Promise<Overfull[]> {
  const oldestKept = sql<number>`revision - cast(${keep - 1} as bigint)`
  return storage
    .tables<TemplateTables>()
    .selectFrom('twig_templates')
    .select(['id', oldestKept.as('oldestKept')])
    .where('id', '>', after)
    .where((where) =>
      where.exists(
        where
          .selectFrom('twig_template_versions')
          .select('version')
          .whereRef('template_id', '=', 'twig_templates.id')
          .where('version', '<', oldestKept),
      ),
    )
    .orderBy('id')
    .limit(templatesPerBatch)
    .execute()
}

async function removeSome(storage: Storage, { id, oldestKept }: Overfull): Promise<number> {
  const { numDeletedRows } = await storage.transaction((tx: Transaction<TemplateTables>) =>
    tx
      .deleteFrom('twig_template_versions')
      .where('template_id', '=', id)
      .where('version', 'in', (from) =>
        from
          .selectFrom('twig_template_versions')
          .select('version')
          .where('template_id', '=', id)
          .where('version', '<', oldestKept)
          .orderBy('version')
          .limit(versionsPerBatch),
      )
      .executeTakeFirstOrThrow(),
  )
  return Number(numDeletedRows)
}
