import { sql, type Transaction } from 'kysely'
import type { Log } from '../kit/log.ts'
import { pause } from '../kit/pause.ts'
import type { Storage } from '../storage/index.ts'
import type { TemplateTables } from './table.ts'

const intervalMs = 60_000
/** Some ten milliseconds of the one writer that SQLite has. */
const versionsAtOnce = 100
const templatesAtOnce = 500

/** Keeps the history of each template within its limit: the newest versions stay, the current one always. */
export interface VersionPruner {
  /** Deletes the versions that are over the limit now; returns how many. */
  prune(): Promise<number>
  /** Prunes from now on, once a minute. */
  start(): void
  /** Waits for the statement that is running. */
  stop(): Promise<void>
}

/** What the pruner is created with. `keep` is how many versions each template has at most, 1 or more. */
export interface VersionPrunerOptions {
  storage: Storage
  log: Log
  keep: number
}

export function createVersionPruner({ storage, log, keep }: VersionPrunerOptions): VersionPruner {
  let timer: NodeJS.Timeout | undefined
  let running: Promise<number> | undefined
  let isStopped = false
  const pruneAll = async () => {
    let pruned = 0
    for (let after = 0; !isStopped; ) {
      const templates = await findOverfull(storage, { after, keep })
      for (const { id, oldestKept } of templates) {
        let removed = versionsAtOnce
        while (removed === versionsAtOnce && !isStopped) {
          removed = await removeSome(storage, { id, oldestKept })
          pruned += removed
          await pause()
        }
      }
      const last = templates.at(-1)
      if (last === undefined || templates.length < templatesAtOnce) break
      after = last.id
    }
    return pruned
  }
  const prune = () => {
    running ??= pruneAll().finally(() => {
      running = undefined
    })
    return running
  }
  return {
    prune,
    start() {
      const tick = () => {
        prune().catch((err: unknown) => log.warn({ err }, 'template versions not pruned'))
      }
      timer = setInterval(tick, intervalMs)
      timer.unref()
    },
    async stop() {
      isStopped = true
      clearInterval(timer)
      await running?.catch(() => undefined)
    },
  }
}

interface Overfull {
  id: number
  /** The oldest version that stays. */
  oldestKept: number
}

/** Each save is the next version, so what is over the limit is older than the current one by that much. */
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
    .limit(templatesAtOnce)
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
          .limit(versionsAtOnce),
      )
      .executeTakeFirstOrThrow(),
  )
  return Number(numDeletedRows)
}
