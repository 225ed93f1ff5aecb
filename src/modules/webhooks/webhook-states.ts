import { type Kysely, sql, type Transaction } from 'kysely'
import type { Clock } from '../../kit/clock.ts'
import { formatOptionalDate } from '../../kit/iso-date.ts'
import type { Log } from '../../kit/log.ts'
import type { Storage } from '../../platform/storage/index.ts'
import type { EventPublisher } from './event-publisher.ts'
import type { WebhookRow, WebhookStateRow, WebhookTables } from './table.ts'

const dayMs = 86_400_000
/** A receiver that fails for this time is dead. */
export const deadAfterMs = 3 * dayMs
/** How exact the time of the last success is. */
const successMs = 60_000

/** A webhook, and whether it worked before. */
export interface CalledWebhook
  extends Pick<WebhookStateRow, 'failing_since' | 'last_success_at' | 'problem'> {
  id: number
  name: string
}

interface WebhookStatesOptions {
  storage: Storage
  publisher: EventPublisher
  clock: Clock
  log: Log
  /** Called after a receiver was found dead. */
  onDead: (id: number) => Promise<void>
}

/** Notes whether the receivers of webhooks work. */
export class WebhookStates {
  readonly #options: WebhookStatesOptions

  constructor(options: WebhookStatesOptions) {
    this.#options = options
  }

  /** Finds the states of webhooks. Those that were never called have none. */
  async find(ids: readonly number[]): Promise<Map<number, WebhookStateRow>> {
    if (ids.length === 0) return new Map()
    const query = this.#db.selectFrom('webhook_states').selectAll()
    const rows = await query.where('webhook_id', 'in', ids).execute()
    return new Map(rows.map((row) => [row.webhook_id, row]))
  }

  /** Notes that a receiver has accepted a message. */
  async noteSuccess({ id, problem, last_success_at: last }: CalledWebhook): Promise<void> {
    const now = this.#options.clock.now()
    if (problem === null && last !== null && Math.abs(now - last) < successMs) return
    await upsert(this.#db, id, { last_success_at: now, failing_since: null, problem: null })
  }

  /** Notes that a receiver has failed. Returns whether it is dead now, because it has failed for three days. */
  async noteFailure(webhook: CalledWebhook, problem: string): Promise<boolean> {
    const now = this.#options.clock.now()
    const { failing_since: failingSince } = webhook
    if (failingSince !== null && now - failingSince >= deadAfterMs) {
      await this.kill(webhook, `It failed for three days. ${problem}`)
      return true
    }
    await upsert(this.#db, webhook.id, { last_success_at: null, failing_since: now, problem })
    return false
  }

  /** Notes that a receiver has refused a message for itself: others may be accepted. */
  async noteRefusal({ id }: CalledWebhook, problem: string): Promise<void> {
    await upsert(this.#db, id, { last_success_at: null, failing_since: null, problem })
  }

  /** Notes that a receiver is dead. */
  async kill({ id, name }: CalledWebhook, problem: string): Promise<void> {
    const { storage, publisher, clock, log, onDead } = this.#options
    const now = clock.now()
    const isKilled = await storage.transaction(async (tx: Transaction<WebhookTables>) => {
      await upsert(tx, id, { last_success_at: null, failing_since: now, problem })
      const update = tx.updateTable('webhook_states').set({ dead_at: now })
      const living = update.where('webhook_id', '=', id).where('dead_at', 'is', null)
      return (await living.executeTakeFirst()).numUpdatedRows > 0n
    })
    if (!isKilled) return
    log.error({ webhookId: id, webhook: name, problem }, 'webhook dead')
    await publisher.reload()
    await onDead(id)
  }

  /** Finds the webhooks that are dead. */
  async listDead(): Promise<number[]> {
    const query = this.#db.selectFrom('webhook_states').select('webhook_id')
    const rows = await query.where('dead_at', 'is not', null).execute()
    return rows.map((row) => row.webhook_id)
  }

  /** Calls a dead receiver again, as if it had never failed. Part of a transaction if it is given one. */
  async revive(id: number, db = this.#db): Promise<void> {
    await db
      .updateTable('webhook_states')
      .set({ failing_since: null, dead_at: null, problem: null })
      .where('webhook_id', '=', id)
      .where((state) => state('problem', 'is not', null).or('dead_at', 'is not', null))
      .execute()
  }

  get #db(): Kysely<WebhookTables> {
    return this.#options.storage.tables<WebhookTables>()
  }
}

/** A problem starts or goes on; a success ends it, but does not revive what is dead. */
async function upsert(
  db: Kysely<WebhookTables>,
  id: number,
  state: Pick<WebhookStateRow, 'last_success_at' | 'failing_since' | 'problem'>,
): Promise<void> {
  const { last_success_at: lastSuccessAt, failing_since: failingSince, problem } = state
  await sql`insert into webhook_states (webhook_id, last_success_at, failing_since, problem)
    select id, cast(${lastSuccessAt} as bigint), cast(${failingSince} as bigint), cast(${problem} as text)
    from webhooks where id = ${id}
    on conflict (webhook_id) do update set
      last_success_at = coalesce(excluded.last_success_at, webhook_states.last_success_at),
      failing_since = case when excluded.problem is null then null
        else coalesce(webhook_states.failing_since, excluded.failing_since) end,
      problem = excluded.problem
    where webhook_states.dead_at is null`.execute(db)
}

/** A webhook whose receiver fails. */
export interface FailingWebhook extends Pick<WebhookRow, 'id' | 'name'> {
  problem: string
  /** ISO 8601: since when it fails, or is dead; null if it refused the last message only for itself. */
  since: string | null
}

/** Lists the published webhooks that are dead, or those whose receivers fail and are still called. */
export async function listFailingWebhooks(
  storage: Storage,
  { isDead }: { isDead: boolean },
): Promise<FailingWebhook[]> {
  const rows = await storage
    .tables<WebhookTables>()
    .selectFrom('webhooks')
    .innerJoin('webhook_states', 'webhook_states.webhook_id', 'webhooks.id')
    .select(['webhooks.id', 'name', 'failing_since', 'dead_at', 'problem'])
    .where('is_published', '=', true)
    .where('problem', 'is not', null)
    .where('dead_at', isDead ? 'is not' : 'is', null)
    .orderBy('webhooks.id')
    .execute()
  return rows.map(({ id, name, problem, ...row }) => ({
    id,
    name,
    problem: problem ?? '',
    since: formatOptionalDate(row.dead_at ?? row.failing_since),
  }))
}
