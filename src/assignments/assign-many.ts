import type { Kysely, Transaction } from 'kysely'
import { AppError } from '../kit/app-error.ts'
import { type BatchItemResult, done, failed } from '../kit/batch-item-result.ts'
import type { Caller, CallerMautic } from '../kit/caller.ts'
import { pause } from '../kit/pause.ts'
import { mayUse } from '../resource/index.ts'
import { routesChannel, type Storage } from '../storage/index.ts'
import { findTransportOwners } from '../transports/index.ts'
import { type AssignedKind, writeAssignment } from './store.ts'

/** Few enough that a transaction does not hold up other changes. */
const itemsPerTransaction = 200
/** So many emails or users of a Mautic that no synchronization has seen are fetched for one batch: each takes 30 ms. */
const unseenMax = 200

/**
 * Finds emails and users of a Mautic. One that the last synchronization has not seen is fetched; throws an AppError
 * (`upstream`) if the Mautic does not answer.
 */
export interface MauticDirectory {
  emails: { find(mauticId: number, id: number): Promise<{ id: number; name: string } | undefined> }
  users: {
    find(
      mauticId: number,
      id: number,
    ): Promise<{ id: number; username: string; email: string } | undefined>
  }
}

/** A caller, in the namespace that a request chose. */
export interface AssignmentCaller extends Caller {
  /** Whether it is a caller of Mailyard itself, who may see the transports of every Mautic. Default: no. */
  readonly isOfMailyard?: boolean
}

/** One item of a batch: an `emailId` or a `userId`, and its transport. */
export interface AssignmentEntry {
  emailId?: number
  userId?: number
  transportId: number | null
  useOwnerTransport?: boolean
}

const idOf = ({ emailId, userId }: AssignmentEntry) => emailId ?? userId ?? 0

/** What a batch assigns transports to, for whom. */
interface Batch {
  kind: AssignedKind
  /** Their Mautic has the emails or users; without one, they are Mailyard's own. */
  caller: AssignmentCaller
}

/** Assigns transports to many emails or users. */
export class ManyAssignments {
  readonly #storage: Storage
  readonly #mautics: MauticDirectory

  constructor({ storage, mautics }: { storage: Storage; mautics: MauticDirectory }) {
    this.#storage = storage
    this.#mautics = mautics
  }

  /** Returns one result for each entry, in order, with the id that it changed. */
  async assign(
    entries: readonly AssignmentEntry[],
    batch: Batch,
  ): Promise<BatchItemResult<number>[]> {
    const fetchFailed = await this.#fetchUnseen(entries, batch)
    const results: BatchItemResult<number>[] = []
    for (let start = 0; start < entries.length; start += itemsPerTransaction) {
      const batchEntries = entries.slice(start, start + itemsPerTransaction)
      const written = this.#storage.transaction(
        (tx: Transaction<object>) => assignSome(tx, batchEntries, { ...batch, fetchFailed }),
        // Where an email or a transport is deleted meanwhile, the second run finds that it is missing.
        { checksConstraints: true },
      )
      // The parts before are committed, so the rest is answered item by item.
      const part = await written.catch((error: unknown) => {
        if (start === 0 || !(error instanceof AppError)) throw error
        return batchEntries.map(() => failed(error))
      })
      results.push(...part)
      this.#storage.notify(routesChannel)
      await pause()
    }
    return results
  }

  /** Fetches what no synchronization has seen. Returns why that failed, by id. */
  async #fetchUnseen(
    entries: readonly AssignmentEntry[],
    { kind, caller: { mautic } }: Batch,
  ): Promise<ReadonlyMap<number, AppError>> {
    const errors = new Map<number, AppError>()
    if (mautic === undefined) return errors
    const ids = [...new Set(entries.map(idOf))]
    const seen = await findTargets(this.#storage.tables(), { kind, mautic, ids })
    const unseen = ids.filter((id) => !seen.has(id))
    let failure: AppError | undefined
    for (const [place, id] of unseen.entries()) {
      // A Mautic that does not answer is not asked again.
      if (place === unseenMax) failure ??= tooManyUnseen(mautic)
      const fetched = () => this.#mautics[`${kind}s`].find(mautic.id, id)
      failure ??= await fetched().then(() => undefined, asAppError)
      if (failure !== undefined) errors.set(id, failure)
    }
    return errors
  }
}

function asAppError(error: unknown): AppError {
  if (error instanceof AppError) return error
  throw error
}

function tooManyUnseen({ name }: CallerMautic): AppError {
  const message = `The last synchronization of Mautic ${JSON.stringify(name)} has not seen it, as many others of this batch. Repeat it in a minute.`
  return new AppError('upstream', 'mautic_not_synchronized', message)
}

/** Tables of other modules: the emails and users of Mailyard and of Mautics. */
type IdTables = Record<string, { id: number; mautic_id: number | null }>

async function assignSome(
  tx: Transaction<object>,
  entries: readonly AssignmentEntry[],
  { kind, caller, fetchFailed }: Batch & { fetchFailed: ReadonlyMap<number, AppError> },
): Promise<BatchItemResult<number>[]> {
  const { mautic } = caller
  const targets = await findTargets(tx, { kind, mautic, ids: entries.map(idOf) })
  const transportIds = entries.flatMap(({ transportId }) => transportId ?? [])
  const owners = await findTransportOwners(transportIds, tx)
  const results: BatchItemResult<number>[] = []
  for (const entry of entries) {
    const id = idOf(entry)
    const { transportId } = entry
    const fault =
      transportId === null
        ? undefined
        : transportFault(owners.get(transportId), { id: transportId, caller })
    if (!targets.has(id))
      results.push(failed(fetchFailed.get(id) ?? targetNotFound({ kind, id, mautic })))
    else if (fault !== undefined) results.push(failed(fault))
    else {
      await writeAssignment(tx, { kind, namespace: mautic, id }, entry)
      results.push(done(id))
    }
  }
  return results
}

async function findTargets(
  tx: Kysely<object>,
  {
    kind,
    mautic,
    ids,
  }: Omit<Batch, 'caller'> & Pick<Caller, 'mautic'> & { ids: readonly number[] },
): Promise<Set<number>> {
  if (ids.length === 0) return new Set()
  const db = tx.withTables<IdTables>()
  const all = db.selectFrom(mautic === undefined ? `${kind}s` : `mautic_${kind}s`).select('id')
  const targets = mautic === undefined ? all : all.where('mautic_id', '=', mautic.id)
  const rows = await targets.where('id', 'in', [...new Set(ids)]).execute()
  return new Set(rows.map(({ id }) => id))
}

/** The error for an email or a user that does not exist. It names the Mautic. */
export function targetNotFound({
  kind,
  id,
  mautic,
}: {
  kind: AssignedKind
  id: number
  mautic: CallerMautic | undefined
}): AppError {
  const owner = mautic === undefined ? '' : ` of Mautic ${JSON.stringify(mautic.name)}`
  const label = kind === 'email' ? 'Email' : 'User'
  return new AppError('not_found', `${kind}_not_found`, `${label} not found: ${id}${owner}`)
}

/** Returns why a transport of this Mautic cannot be assigned; undefined if it can. Callers of a Mautic do not see those of others. */
function transportFault(
  owner: number | null | undefined,
  { id, caller }: { id: number; caller: AssignmentCaller },
): AppError | undefined {
  const { mautic, isOfMailyard = mautic === undefined } = caller
  if (owner !== undefined && mayUse({ mautic_id: owner }, mautic?.id)) return undefined
  if (owner === undefined || !isOfMailyard)
    return new AppError('not_found', 'transport_not_found', `Transport not found: ${id}`)
  const which = mautic === undefined ? 'a connected' : 'another'
  const message =
    `Transport ${id} belongs to ${which} Mautic (id ${owner}): only its messages are sent through it. ` +
    'Choose another transport, or change "mautic" of this one.'
  return new AppError('invalid', 'transport_of_mautic', message)
}
