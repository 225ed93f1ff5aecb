import { hash, randomBytes } from 'node:crypto'
import type { Transaction } from 'kysely'
import type { TransportTables } from '../../../core/transports/index.ts'
import type { Clock } from '../../../kit/clock.ts'
import type { Log } from '../../../kit/log.ts'
import { pause } from '../../../kit/pause.ts'
import { Periodic } from '../../../kit/periodic.ts'
import { findDeletedNames } from '../../../platform/resource/index.ts'
import { type Keyring, SealedColumns, type Storage } from '../../../platform/storage/index.ts'
import type { ReceivedEvents } from '../events/received-events.ts'
import type { TransportWebhookRow, TransportWebhookTables } from './table.ts'
import type { WebhookKey } from './transport-webhook-counts.ts'

/** A webhook, with its secrets in clear. */
export interface StoredWebhook {
  key: WebhookKey
  row: TransportWebhookRow
  /** The last segment of its address; undefined if its data key is missing. */
  secret: string | undefined
  /** Null for none, or if its data key is missing. */
  signingKey: string | null
}

export interface TransportWebhookStoreOptions {
  storage: Storage
  keyring: Keyring
  clock: Clock
}

type Tables = TransportWebhookTables & TransportTables

const secretBytes = 24
/** They take SQLite's one writer some milliseconds. */
const tokensPerBatch = 1_000
/** Providers sign the time, too: what is older is refused for that. */
const keepTokensMs = 86_400_000

/** The webhooks of transports in the database. Their secrets are encrypted. */
export class TransportWebhookStore {
  readonly #storage: Storage
  readonly #keyring: Keyring
  readonly #clock: Clock
  readonly #secrets: SealedColumns<'secret' | 'signing_key'>

  constructor({ storage, keyring, clock }: TransportWebhookStoreOptions) {
    this.#storage = storage
    this.#keyring = keyring
    this.#clock = clock
    this.#secrets = new SealedColumns({
      storage,
      keyring,
      table: 'transport_webhooks',
      keyColumns: ['transport_id', 'provider'],
      columns: ['secret', 'signing_key'],
    })
  }

  /** Lists the webhooks of a transport, by provider. There are none while the transport is deleted. */
  async list(transportId: number): Promise<StoredWebhook[]> {
    const rows = await this.#db
      .selectFrom('transport_webhooks')
      .innerJoin('transports', 'transports.id', 'transport_webhooks.transport_id')
      .selectAll('transport_webhooks')
      .where('transport_id', '=', transportId)
      .orderBy('provider')
      .execute()
    return Promise.all(rows.map((row) => this.#open(row)))
  }

  /**
   * Creates a webhook with a new secret, or changes the one that is there. One whose secret cannot be decrypted gets a new one.
   *
   * @param signingKey Undefined: it stays.
   * @returns Whether it was created; undefined if the transport was deleted meanwhile.
   */
  async save(key: WebhookKey, signingKey: string | null | undefined): Promise<boolean | undefined> {
    const write = async (tx: Transaction<Tables>) => {
      const sealer = await this.#keyring.sealer(tx)
      // Two requests at once wait for each other.
      const transport = tx.selectFrom('transports').select('id').where('id', '=', key.transportId)
      if ((await transport.forUpdate().executeTakeFirst()) === undefined)
        return { isNew: undefined, isCurrent: true }
      const row = await findRow(tx, key)
      const isReadable = row !== undefined && (await this.#open(row)).secret !== undefined
      const columns = {
        secret: isReadable ? row.secret : this.#secrets.sealWith(sealer, 'secret', createSecret()),
        // Undefined leaves it as it is.
        signing_key:
          typeof signingKey === 'string'
            ? this.#secrets.sealWith(sealer, 'signing_key', signingKey)
            : signingKey === undefined
              ? (row?.signing_key ?? null)
              : null,
      }
      if (row === undefined) await insert(tx, key, { ...columns, created_at: this.#clock.now() })
      else await update(tx, key, columns)
      const { keyId } = await this.#keyring.sealer(tx)
      return { isNew: row === undefined, isCurrent: keyId === sealer.keyId }
    }
    const keeps = (saved: Awaited<ReturnType<typeof write>>) => saved.isCurrent
    for (;;) {
      // Under a key that was replaced meanwhile, the secrets could become unreadable once that key is deleted.
      const { isNew, isCurrent } = await this.#storage.transaction(write, { keeps })
      if (isCurrent) return isNew
    }
  }

  /** Deletes the webhooks of a transport: all, or the one of a provider. Returns how many. */
  async remove(transportId: number, provider: string | undefined): Promise<number> {
    const rows = this.#db.deleteFrom('transport_webhooks').where('transport_id', '=', transportId)
    const query = provider === undefined ? rows : rows.where('provider', '=', provider)
    return Number((await query.executeTakeFirst()).numDeletedRows)
  }

  /** Stores who sends the requests of a webhook, unless that is stored. Returns whether it is this one. */
  pin(key: WebhookKey, pin: string): Promise<boolean> {
    return this.#storage.transaction(async (tx: Transaction<Tables>) => {
      const row = await findRow(tx, key)
      if (row === undefined) return false
      if (row.pinned !== null) return row.pinned === pin
      await update(tx, key, { pinned: pin })
      return true
    })
  }

  /** Encrypts every secret with the current data key; returns the ids of the keys that are still in use. */
  reseal(): Promise<string[]> {
    return this.#secrets.reseal()
  }

  /** Deletes up to 1,000 tokens that are older than a day; returns how many. */
  async pruneTokens(): Promise<number> {
    const before = this.#clock.now() - keepTokensMs
    const old = this.#db.selectFrom('webhook_tokens').select('hash')
    const { numDeletedRows } = await this.#db
      .deleteFrom('webhook_tokens')
      .where('hash', 'in', old.where('received_at', '<', before).limit(tokensPerBatch))
      .executeTakeFirst()
    return Number(numDeletedRows)
  }

  /** Deletes the webhooks of transports that cannot be restored any more. */
  async pruneWebhooks(): Promise<void> {
    const rows = await this.#db
      .selectFrom('transport_webhooks')
      .leftJoin('transports', 'transports.id', 'transport_webhooks.transport_id')
      .select('transport_id')
      .distinct()
      .where('transports.id', 'is', null)
      .execute()
    const ids = rows.map((row) => row.transport_id)
    const restorable = await findDeletedNames(this.#storage, 'transports', ids)
    for (const id of ids) if (!restorable.has(id)) await this.remove(id, undefined)
  }

  get #db() {
    return this.#storage.tables<Tables>()
  }

  async #open(row: TransportWebhookRow): Promise<StoredWebhook> {
    const key = { transportId: row.transport_id, provider: row.provider }
    const secret = (await this.#secrets.open(row, 'secret')) ?? undefined
    const signingKey = (await this.#secrets.open(row, 'signing_key')) ?? null
    return { key, row, secret, signingKey }
  }
}

/**
 * Stores the token of a genuine request, in the transaction of its events. Returns whether it is new: a request with one that was
 * seen before is a replay.
 */
export async function addToken(
  tx: Transaction<object>,
  { transportId, provider }: WebhookKey,
  { token, now }: { token: string; now: number },
): Promise<boolean> {
  const { numInsertedOrUpdatedRows = 0n } = await tx
    .withTables<TransportWebhookTables>()
    .insertInto('webhook_tokens')
    .values({
      hash: hash('sha256', JSON.stringify([transportId, provider, token])),
      received_at: now,
    })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  return numInsertedOrUpdatedRows > 0n
}

function createSecret(): string {
  return randomBytes(secretBytes).toString('base64url')
}

/** Locks the row. */
function findRow(tx: Transaction<Tables>, { transportId, provider }: WebhookKey) {
  const rows = tx.selectFrom('transport_webhooks').selectAll()
  const row = rows.where('transport_id', '=', transportId).where('provider', '=', provider)
  return row.forUpdate().executeTakeFirst()
}

async function insert(
  tx: Transaction<Tables>,
  { transportId, provider }: WebhookKey,
  columns: Pick<TransportWebhookRow, 'secret' | 'signing_key' | 'created_at'>,
): Promise<void> {
  const values = {
    transport_id: transportId,
    provider,
    ...columns,
    pinned: null,
    last_event_at: null,
    problem: null,
    problem_at: null,
  }
  await tx.insertInto('transport_webhooks').values(values).execute()
}

async function update(
  tx: Transaction<Tables>,
  { transportId, provider }: WebhookKey,
  columns: Partial<Pick<TransportWebhookRow, 'secret' | 'signing_key' | 'pinned'>>,
): Promise<void> {
  const rows = tx.updateTable('transport_webhooks').set(columns)
  await rows.where('transport_id', '=', transportId).where('provider', '=', provider).execute()
}

const hourMs = 3_600_000

/**
 * Creates the task that deletes, once an hour, old tokens, events that could not be applied, and the webhooks of transports that
 * were erased.
 */
export function createWebhookPruner({
  store,
  received,
  log,
}: {
  store: TransportWebhookStore
  received: ReceivedEvents
  log: Log
}): Periodic {
  return new Periodic({
    task: async (signal) => {
      await store.pruneWebhooks()
      await received.pruneGivenUp()
      while ((await store.pruneTokens()) > 0 && !signal.aborted) await pause()
    },
    intervalMs: hourMs,
    runsAtStart: true,
    log,
    events: {
      failed: 'old tokens of webhooks not deleted',
      recovered: 'old tokens of webhooks deleted again',
    },
  })
}
