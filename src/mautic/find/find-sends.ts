import type { Transaction } from 'kysely'
import type { Clock } from '../../kit/clock.ts'
import { emailKey } from '../../kit/normalize-for-search.ts'
import { within } from '../../kit/within.ts'
import { createLookUp, type Storage } from '../../storage/index.ts'
import type { MauticClient } from '../client/mautic-client.ts'
import { MauticError } from '../client/mautic-error.ts'
import type { MauticClients } from '../client/open-clients.ts'
import { asCount, asList, asObject, asText } from '../client/read-answer.ts'
import { storable } from '../mirror/mirror-records.ts'
import type { MauticSendRow, MauticTables } from '../table.ts'
import { createBatched } from './batched-requests.ts'
import { createShared } from './shared-requests.ts'

/** A message that a Mautic has sent, as its statistics or a webhook show it. */
export interface MauticSend {
  /** The tracking hash. */
  hash: string
  emailId: number | null
  contactId: number | null
  /** The recipient. */
  address: string
}

/** Why a message was not found: Mautic has none, did not answer in time, or cannot be reached. */
export type SendMiss = 'unknown' | 'late' | 'unreachable'

/** Finds the messages of Mautics by the tracking hashes that they carry. */
export interface FindSends {
  /** Waits for Mautic for `waitMs` at most (default: 300). A later answer is kept for the next look-up. */
  find(
    mauticId: number,
    hash: string,
    options?: { waitMs?: number },
  ): Promise<MauticSend | SendMiss>
  /** Keeps what a webhook said. It is not flushed to the disk at once: Mautic waits for the answer. */
  save(mauticId: number, sends: readonly MauticSend[]): Promise<void>
  /** Deletes what is older than 30 days. */
  prune(): Promise<void>
}

/** Dependencies of `openFindSends`. */
export interface FindSendsOptions {
  storage: Storage
  clock: Clock
  clients: MauticClients
}

const waitDefaultMs = 300
const requestMs = 5_000
/** Mautic writes the row before it sends the message. */
const missingMs = 10_000
const keptMs = 30 * 86_400_000
const prunedPerBatch = 1_000
/** 6 values each: below the limit of SQLite for one statement. */
const rowsPerStatement = 1_000
const hashesPerRequest = 100
/** Hashes at a time; further messages are not looked up. */
const runningMax = 500
const hashForm = /^[A-Za-z0-9]{8,64}$/

/** Opens the look-ups. */
export function openFindSends({ storage, clock, clients }: FindSendsOptions): FindSends {
  const db = storage.tables<MauticTables>()
  const findKnown = createLookUp<MauticSendRow>(storage, () =>
    db
      .selectFrom('mautic_sends')
      .selectAll()
      .where('mautic_id', '=', 0)
      .where('hash', '=', '')
      .compile(),
  )
  const shared = createShared<MauticSend>({ clock, missingMs })
  const save: FindSends['save'] = (mauticId, sends) =>
    saveSends({ storage, clock }, mauticId, sends)
  const askOne = createBatched<string, MauticSend>({
    keysMax: hashesPerRequest,
    async ask(mauticId, hashes) {
      const client = await clients.find(mauticId)
      const sends = client === undefined ? [] : await askForSends(client, hashes)
      await save(mauticId, sends)
      return new Map(sends.map((send) => [send.hash, send]))
    },
  })
  let running = 0
  const ask = async (mauticId: number, hash: string) => {
    running += 1
    try {
      return await askOne(mauticId, hash)
    } finally {
      running -= 1
    }
  }
  return {
    save,
    async find(mauticId, hash, { waitMs = waitDefaultMs } = {}) {
      if (!hashForm.test(hash)) return 'unknown'
      const known = await findKnown(mauticId, hash)
      if (known !== undefined) return toSend(known)
      if (running >= runningMax) return 'late'
      const asked = shared(`${mauticId} ${hash}`, () => ask(mauticId, hash)).then(
        (send) => send ?? ('unknown' as const),
        (error: unknown) => {
          if (error instanceof MauticError) return 'unreachable' as const
          throw error
        },
      )
      return (await within(waitMs, asked)) ?? 'late'
    },
    prune: () => pruneSends(storage, clock.now() - keptMs),
  }
}

async function pruneSends(storage: Storage, before: number): Promise<void> {
  const db = storage.tables<MauticTables>()
  for (let deleted = prunedPerBatch; deleted === prunedPerBatch; ) {
    const query = db.selectFrom('mautic_sends').select(['mautic_id', 'hash'])
    const rows = await query.where('created_at', '<', before).limit(prunedPerBatch).execute()
    for (const [mauticId, some] of Map.groupBy(rows, (row) => row.mautic_id)) {
      const hashes = some.map(({ hash }) => hash)
      const old = db.deleteFrom('mautic_sends').where('mautic_id', '=', mauticId)
      await old.where('hash', 'in', hashes).execute()
    }
    deleted = rows.length
  }
}

async function askForSends(client: MauticClient, hashes: readonly string[]): Promise<MauticSend[]> {
  const query = {
    limit: hashes.length,
    'where[0][col]': 'tracking_hash',
    'where[0][expr]': hashes.length === 1 ? 'eq' : 'in',
    'where[0][val]': hashes.join(','),
  }
  const answer = await client.get('/api/stats/email_stats', query, { timeoutMs: requestMs })
  const rows = asList(asObject(answer)['stats']).map(asObject)
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

async function saveSends(
  { storage, clock }: Pick<FindSendsOptions, 'storage' | 'clock'>,
  mauticId: number,
  sends: readonly MauticSend[],
): Promise<void> {
  const rows = sends
    .filter(({ hash }) => hashForm.test(hash))
    .map(({ hash, emailId, contactId, address }) => ({
      ...{ mautic_id: mauticId, hash, email_id: emailId, contact_id: contactId },
      ...{ address_key: emailKey(address), created_at: clock.now() },
    }))
  for (let start = 0; start < rows.length; start += rowsPerStatement) {
    const some = rows.slice(start, start + rowsPerStatement)
    const insert = (tx: Transaction<MauticTables>) =>
      tx
        .insertInto('mautic_sends')
        .values(some)
        .onConflict((conflict) => conflict.doNothing())
        .execute()
    await storage.transaction(insert, { isFlushDeferred: true })
  }
}
