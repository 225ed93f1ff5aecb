import type { Kysely, Transaction } from 'kysely'
import { batches } from '../../../kit/batches.ts'
import type { Clock } from '../../../kit/clock.ts'
import { emailKey } from '../../../kit/normalize-for-search.ts'
import { createLookUp, type LookUp, type Storage } from '../../../platform/storage/index.ts'
import {
  asCount,
  asObject,
  asText,
  listOf,
  type MauticClient,
  notMautic,
  where,
} from '../../mautic-client/index.ts'
import type { MauticClients } from '../mautic-clients.ts'
import { storable } from '../mirror/mirror-records.ts'
import type { MauticSendRow, MauticTables } from '../table.ts'
import { RemoteLookup } from './remote-lookup.ts'

/** A message that a Mautic has sent, as its statistics show it. */
export interface MauticSend {
  /** The tracking hash. */
  hash: string
  emailId: number | null
  contactId: number | null
  /** The recipient. */
  address: string
}

const requestMs = 5_000
/** Mautic writes the row before it sends the message. */
const missingMs = 10_000
const keptMs = 30 * 86_400_000
const prunedPerBatch = 1_000
/** 6 values each: below the limit of SQLite for one statement. */
const rowsPerStatement = 1_000
const hashesPerRequest = 100
const waitingMax = 500
const hashForm = /^[A-Za-z0-9]{8,64}$/

/** Finds the messages of Mautics by the tracking hashes that they carry. */
export class SendFinder {
  readonly #storage: Storage
  readonly #db: Kysely<MauticTables>
  readonly #clock: Clock
  readonly #findKnown: LookUp<{ mauticId: number; hash: string }, MauticSendRow>
  readonly #remote: RemoteLookup<string, MauticSend>

  constructor(parts: { storage: Storage; clock: Clock; clients: MauticClients }) {
    const { storage, clock, clients } = parts
    this.#storage = storage
    this.#db = storage.tables<MauticTables>()
    this.#clock = clock
    this.#findKnown = createLookUp(storage, ({ mauticId, hash }) => {
      const sends = this.#db.selectFrom('mautic_sends').selectAll()
      return sends.where('mautic_id', '=', mauticId).where('hash', '=', hash)
    })
    this.#remote = new RemoteLookup({
      clock,
      missingMs,
      keysMax: hashesPerRequest,
      requestsMax: 2,
      waitingMax,
      ask: async (mauticId, hashes) => {
        const client = await clients.find(mauticId)
        const sends = client === undefined ? [] : await askForSends(client, hashes)
        await this.save(mauticId, sends)
        return new Map(sends.map((send) => [send.hash, send]))
      },
    })
  }

  /** Finds a message. Throws an AppError (`upstream`) where that Mautic does not answer. A late answer is kept for the next look-up. */
  async find(mauticId: number, hash: string): Promise<MauticSend | undefined> {
    if (!hashForm.test(hash)) return undefined
    const known = await this.#findKnown({ mauticId, hash })
    return known === undefined ? this.#remote.find(mauticId, hash) : toSend(known)
  }

  /** Keeps what Mautic said. It is not flushed to the disk at once: a message waits for it. */
  async save(mauticId: number, sends: readonly MauticSend[]): Promise<void> {
    const rows = sends
      .filter(({ hash }) => hashForm.test(hash))
      .map(({ hash, emailId, contactId, address }) => ({
        mautic_id: mauticId,
        hash,
        email_id: emailId,
        contact_id: contactId,
        address_key: emailKey(address),
        created_at: this.#clock.now(),
      }))
    for (const slice of batches(rows, rowsPerStatement)) {
      const insert = (tx: Transaction<MauticTables>) =>
        tx
          .insertInto('mautic_sends')
          .values(slice)
          .onConflict((conflict) => conflict.doNothing())
          .execute()
      await this.#storage.transaction(insert, { isFlushDeferred: true })
    }
  }

  /** Deletes what is older than 30 days. */
  async prune(): Promise<void> {
    const before = this.#clock.now() - keptMs
    for (let deleted = prunedPerBatch; deleted === prunedPerBatch; ) {
      const query = this.#db.selectFrom('mautic_sends').select(['mautic_id', 'hash'])
      const rows = await query.where('created_at', '<', before).limit(prunedPerBatch).execute()
      for (const [mauticId, group] of Map.groupBy(rows, (row) => row.mautic_id)) {
        const hashes = group.map(({ hash }) => hash)
        const old = this.#db.deleteFrom('mautic_sends').where('mautic_id', '=', mauticId)
        await old.where('hash', 'in', hashes).execute()
      }
      deleted = rows.length
    }
  }
}

async function askForSends(client: MauticClient, hashes: readonly string[]): Promise<MauticSend[]> {
  const expression = hashes.length === 1 ? 'eq' : 'in'
  const condition = ['tracking_hash', expression, hashes.join(',')] as const
  const query = { limit: hashes.length, ...where(condition) }
  const answer = await client.get('/api/stats/email_stats', query, { timeoutMs: requestMs })
  const rows = listOf(answer, 'stats').map(asObject)
  const asked = new Set(hashes.map((hash) => hash.toLowerCase()))
  const isAnswer = ({ tracking_hash: hash, email_id: emailId }: (typeof rows)[number]) =>
    asked.has(asText(hash).toLowerCase()) && (emailId === null || asCount(emailId) !== undefined)
  if (!rows.every(isAnswer)) throw notMautic('The answer has other stats than those asked for.')
  const byHash = new Map(rows.map((row) => [asText(row['tracking_hash']), row]))
  return hashes.flatMap((hash) => {
    const row = byHash.get(hash)
    return row === undefined ? [] : [readSend(row, hash)]
  })
}

function readSend(row: Readonly<Record<string, unknown>>, hash: string): MauticSend {
  return {
    hash,
    emailId: asCount(row['email_id']) ?? null,
    contactId: asCount(row['lead_id']) ?? null,
    address: storable(row['email_address']),
  }
}

function toSend(row: MauticSendRow): MauticSend {
  const { hash, email_id: emailId, contact_id: contactId, address_key: address } = row
  return { hash, emailId, contactId, address }
}
