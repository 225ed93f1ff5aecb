import type { Kysely } from 'kysely'
import { batches } from '../../kit/batches.ts'
import { noBrand } from '../../kit/caller.ts'
import type { Clock } from '../../kit/clock.ts'
import type { MaybePromise } from '../../kit/maybe-promise.ts'
import { emailKey } from '../../kit/normalize-for-search.ts'
import type { Unanswered } from '../../kit/unanswered.ts'
import { createLookUp, type Storage } from '../../platform/storage/index.ts'
import { identityKey, type SuppressionReason } from './scope.ts'
import type { SuppressionRow, SuppressionTables } from './table.ts'

/** Why a recipient gets no message. */
export interface Suppression
  extends Pick<
    SuppressionRow,
    'id' | 'address' | 'reason' | 'sender_domain' | 'source' | 'date_added'
  > {
  /** What decides whether it counts for the message; undefined if it counts. */
  unanswered?: Unanswered
}

/** The recipients of a message, and what it is. */
export interface SuppressionQuestion {
  recipients: readonly string[]
  /** The domains that it is from; see `domainOf`. */
  senderDomains: readonly string[]
  /** The brand of the message; `noBrand` also where it is not known yet. */
  brand: number
  /** Whether every reason counts; for other messages only `bounced` and `complained` do. */
  isBulk: boolean
  /** The list of a Mautic that has a rule for this email. */
  list?: ListRule | undefined
}

/** How the entries of one source count for a message. Addresses that have bounced or complained get it in no case. */
export interface ListRule {
  source: string
  /**
   * Whether the message is for the other addresses of the list, too; null where the kind of the message decides. What has to
   * be answered first, where that is not known.
   */
  isIgnored: () => Promise<boolean | null | Unanswered>
}

/** Finds the suppressions that apply, by `emailKey`. The most serious reason counts. One query for any number of recipients. */
export type FindSuppressions = (
  question: SuppressionQuestion,
) => MaybePromise<ReadonlyMap<string, Suppression>>

/** How long "there is no suppression" is remembered: another process may add one. */
const emptyMs = 1_000
const keysPerQuery = 1_000
const none: ReadonlyMap<string, Suppression> = new Map()
/** Reasons that stop every message, before those that stop only bulk email. */
const bySeverity: readonly SuppressionReason[] = ['complained', 'bounced', 'unsubscribed', 'manual']
const always: readonly SuppressionReason[] = ['complained', 'bounced']

/**
 * Creates the look-up of suppressions. Without any suppression it reads the database once in a second. `noteAdded` makes
 * it see at once what this process adds.
 */
export function createFindSuppressions(storage: Storage, clock: Clock) {
  const db = storage.tables<SuppressionTables>()
  const readMany = mergeReads((keys) => readByIdentity(db, keys))
  const readOne = storage.runsInProcess ? createReadOne(storage) : readMany
  let emptyUntil = Number.NEGATIVE_INFINITY
  let checkedAt = Number.NEGATIVE_INFINITY
  const find = async ({ recipients, senderDomains, brand, isBulk, list }: SuppressionQuestion) => {
    const now = clock.monotonic()
    if (now - checkedAt > emptyMs) {
      checkedAt = now
      const first = await db.selectFrom('suppressions').select('id').limit(1).executeTakeFirst()
      if (first === undefined) {
        // Unless one was added meanwhile.
        if (checkedAt === now) emptyUntil = now + emptyMs
        return none
      }
    }
    const ofDomains = [null, ...new Set(senderDomains)].map((senderDomain) => {
      return { brand: noBrand, senderDomain }
    })
    const scopes = brand === noBrand ? ofDomains : [...ofDomains, { brand, senderDomain: null }]
    const keys = recipients.flatMap((address) => scopes.map((scope) => identityKey(address, scope)))
    const rows = await (recipients.length === 1 ? readOne : readMany)(keys)
    if (rows.size === 0) return none
    const isListed = [...rows.values()].some(
      ({ source, reason }) => source === list?.source && !always.includes(reason),
    )
    const isIgnored = (isListed ? await list?.isIgnored() : null) ?? null
    const judge = (row: Suppression): Suppression[] => {
      if (always.includes(row.reason)) return [row]
      const isExempt = row.source === list?.source && isIgnored !== null ? isIgnored : !isBulk
      if (typeof isExempt === 'object') return [{ ...row, unanswered: isExempt }]
      return isExempt ? [] : [row]
    }
    const suppressions = new Map<string, Suppression>()
    for (const address of recipients) {
      const matches = scopes
        .flatMap((scope) => rows.get(identityKey(address, scope)) ?? [])
        .flatMap(judge)
        .sort((one, other) => severityOf(one) - severityOf(other))
      if (matches[0] !== undefined) suppressions.set(emailKey(address), matches[0])
    }
    return suppressions
  }
  return {
    noteAdded: () => {
      emptyUntil = Number.NEGATIVE_INFINITY
      checkedAt = clock.monotonic()
    },
    findSuppressions: (question: SuppressionQuestion) =>
      clock.monotonic() < emptyUntil || question.recipients.length === 0 ? none : find(question),
  }
}

/** One that counts is before those that may count. */
function severityOf({ reason, unanswered }: Suppression): number {
  return bySeverity.indexOf(reason) + (unanswered === undefined ? 0 : bySeverity.length)
}

type Rows = Map<string, Suppression>

const columns = ['id', 'address', 'reason', 'sender_domain', 'source', 'date_added'] as const

async function readByIdentity(
  db: Kysely<SuppressionTables>,
  keys: readonly string[],
): Promise<Rows> {
  const rows: Rows = new Map()
  for (const batch of batches(keys, keysPerQuery)) {
    const matches = await db
      .selectFrom('suppressions')
      .select([...columns, 'identity_key'])
      .where('identity_key', 'in', batch)
      .execute()
    for (const row of matches) rows.set(row.identity_key, row)
  }
  return rows
}

/** Reads key by key, synchronously: where the database runs in this process, building a statement takes several times as long as running it. */
function createReadOne(storage: Storage): (keys: readonly string[]) => Promise<Rows> {
  const lookUp = createLookUp(storage, ({ key }: { key: string }) =>
    storage
      .tables<SuppressionTables>()
      .selectFrom('suppressions')
      .select(columns)
      .where('identity_key', '=', key),
  )
  return async (keys) => {
    const rows: Rows = new Map()
    for (const key of keys) {
      const row = await lookUp({ key })
      if (row !== undefined) rows.set(key, row)
    }
    return rows
  }
}

/** Merges reads that are asked for while another one runs into the next one: a few queries serve many messages. */
function mergeReads(
  read: (keys: readonly string[]) => Promise<Rows>,
): (keys: readonly string[]) => Promise<Rows> {
  let running: Promise<unknown> | undefined
  let next: { keys: Set<string>; rows: Promise<Rows> } | undefined
  const start = (keys: readonly string[]) => {
    const rows = read(keys)
    const ended = rows.then(
      () => undefined,
      () => undefined,
    )
    running = ended
    void ended.then(() => {
      if (running === ended) running = undefined
    })
    return rows
  }
  return (keys) => {
    if (running === undefined) return start(keys)
    if (next !== undefined) {
      for (const key of keys) next.keys.add(key)
      return next.rows
    }
    const merged = new Set(keys)
    const rows = running.then(() => {
      next = undefined
      return start([...merged])
    })
    next = { keys: merged, rows }
    return rows
  }
}
