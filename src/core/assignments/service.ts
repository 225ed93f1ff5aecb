import type { Kysely, Transaction } from 'kysely'
import { AppError } from '../../kit/app-error.ts'
import { type BatchItemResult, done, failed, unwrap } from '../../kit/batch-item-result.ts'
import { batches } from '../../kit/batches.ts'
import { type Caller, type CallerMautic, mayUse, noBrand, owns, sees } from '../../kit/caller.ts'
import { pause } from '../../kit/pause.ts'
import { type Auth, usersOf } from '../../platform/auth/index.ts'
import { recordShared } from '../../platform/resource/index.ts'
import { routesChannel, type Storage } from '../../platform/storage/index.ts'
import type { Emails } from '../emails/index.ts'
import type { Mautics } from '../mautic/index.ts'
import { findTransportBrands, type TransportItem, type Transports } from '../transports/index.ts'
import {
  releaseEmail,
  releaseTransport,
  restoreEmail,
  restoreTransport,
} from './release-transport.ts'
import {
  type AssignmentStore,
  openAssignmentStore,
  removeMauticAssignments,
  writeAssignment,
} from './store.ts'
import { type AssignedKind, type AssignedTarget, type AssignmentInput, targets } from './targets.ts'
import { describeUserAssignment } from './uses.ts'

/** Few enough that a transaction does not hold up other changes. */
const itemsPerTransaction = 200
/** So many emails or users of a Mautic that no synchronization has seen are fetched for one batch: each takes 30 ms. */
const unseenMax = 200

/** One item of a batch: an `emailId` or a `userId`, and its transport. */
export interface AssignmentEntry extends AssignmentInput {
  emailId?: number
  userId?: number
}

const idOf = ({ emailId, userId }: AssignmentEntry) => emailId ?? userId ?? 0

/** What a batch assigns transports to, for whom. */
interface Batch {
  kind: AssignedKind
  /** Their Mautic has the emails or users; without one, they are Mailyard's own. */
  caller: Caller
}

interface AssignmentsParts {
  storage: Storage
  transports: Transports
  emails: Pick<Emails, 'getRow' | 'dependents'>
  users: Pick<Auth['users'], 'getRow' | 'dependents'>
  /** Its finders fetch what the last synchronization has not seen; see `RecordFinder.find`. */
  mautics: Pick<Mautics, 'emails' | 'users' | 'hooks'>
}

/** The transports that emails and users are assigned to: those of the caller's Mautic, or Mailyard's own. */
export class Assignments {
  readonly #parts: AssignmentsParts
  readonly #store: AssignmentStore

  constructor(parts: AssignmentsParts) {
    this.#parts = parts
    const { storage, transports, emails, users, mautics } = parts
    transports.dependents.add('assignments', {
      release: releaseTransport,
      restore: restoreTransport,
    })
    emails.dependents.add('assignments', { release: releaseEmail, restore: restoreEmail })
    users.dependents.add('transports', {
      release: async (id, tx) => ({ consequence: await describeUserAssignment(id, tx) }),
    })
    mautics.hooks.forgetting.add((id) => removeMauticAssignments(storage, id))
    this.#store = openAssignmentStore(parts.storage)
  }

  /** Throws an AppError (`not_found`, `upstream`), as all methods do. */
  async get<Kind extends AssignedKind>(
    kind: Kind,
    id: number,
    caller: Caller,
  ): Promise<AssignmentAnswers[Kind]> {
    const { label, names } = targets[kind]
    const record = await this.#getTarget({ kind, id }, caller)
    const store = this.#store.in(caller.mautic)
    const assigned =
      kind === 'email'
        ? await store.findForEmail(id)
        : { transportId: await store.findForUser(id), useOwnerTransport: undefined }
    const { transportId = null, useOwnerTransport = false } = assigned ?? {}
    const texts = Object.fromEntries(names.map((name) => [name, Reflect.get(record, name)]))
    const transport = await this.#presentTransport(transportId, caller)
    const options = kind === 'email' ? { useOwnerTransport } : {}
    const answer = { [kind]: { id: record.id, ...texts }, transport, ...options }
    return { [`transport${label}`]: answer } as unknown as AssignmentAnswers[Kind]
  }

  /** Assigns a transport. Without one, deletes the assignment, unless the transport of the owner is asked for. */
  async set<Kind extends AssignedKind>(
    kind: Kind,
    { id, ...input }: AssignmentInput & { id: number },
    caller: Caller,
  ): Promise<AssignmentAnswers[Kind]> {
    const [result] = await this.assign([{ [`${kind}Id`]: id, ...input }], { kind, caller })
    // As for other requests about one email or user, the error does not name its id.
    if (result?.ok === false && result.error.code === `${kind}_not_found`)
      await this.#getTarget({ kind, id }, caller)
    unwrap(result)
    return this.get(kind, id, caller)
  }

  /** Assigns transports to many emails or users. Returns one result for each entry, in order, with the id that it changed. */
  async assign(
    entries: readonly AssignmentEntry[],
    batch: Batch,
  ): Promise<BatchItemResult<number>[]> {
    const fetchFailed = await this.#fetchUnseen(entries, batch)
    const results: BatchItemResult<number>[] = []
    for (const [index, batchEntries] of batches(entries, itemsPerTransaction).entries()) {
      const written = this.#parts.storage.transaction(
        (tx: Transaction<object>) => assignSome(tx, batchEntries, { ...batch, fetchFailed }),
        // Where an email or a transport is deleted meanwhile, the second run finds that it is missing.
        { checksConstraints: true },
      )
      // The parts before are committed, so the rest is answered item by item.
      const part = await written.catch((error: unknown) => {
        if (index === 0 || !(error instanceof AppError)) throw error
        return batchEntries.map(() => failed(error))
      })
      results.push(...part)
      this.#parts.storage.notify(routesChannel)
      await pause()
    }
    return results
  }

  async #getTarget({ kind, id }: AssignedTarget, caller: Caller): Promise<{ id: number }> {
    const { mautic } = caller
    const own = this.#parts[`${kind}s`]
    const ofMautic = this.#parts.mautics[`${kind}s`]
    const record = await (mautic === undefined
      ? own.getRow(id, caller)
      : ofMautic.find(mautic.id, id))
    if (record === undefined) throw targetNotFound({ kind, id }, mautic)
    return record
  }

  async #presentTransport(id: number | null, caller: Caller): Promise<TransportItem | null> {
    const { transports } = this.#parts
    const row = id === null ? undefined : await transports.findRow(id)
    if (row === undefined || !sees(caller, row.brand_id)) return null
    return (await transports.get(row.id, caller)).item
  }

  /** Fetches what no synchronization has seen. Returns why that failed, by id. */
  async #fetchUnseen(
    entries: readonly AssignmentEntry[],
    { kind, caller }: Batch,
  ): Promise<ReadonlyMap<number, AppError>> {
    const errors = new Map<number, AppError>()
    const { mautic } = caller
    if (mautic === undefined) return errors
    const ids = [...new Set(entries.map(idOf))]
    const seen = await findTargets(this.#parts.storage.tables(), { kind, caller, ids })
    const unseen = ids.filter((id) => !seen.has(id))
    let failure: AppError | undefined
    for (const [place, id] of unseen.entries()) {
      // A Mautic that does not answer is not asked again.
      if (place === unseenMax) failure ??= tooManyUnseen(mautic)
      const fetched = () => this.#parts.mautics[`${kind}s`].find(mautic.id, id)
      failure ??= await fetched().then(() => undefined, asAppError)
      if (failure !== undefined) errors.set(id, failure)
    }
    return errors
  }
}

/** The transport of one email, or of one user. */
interface AssignmentAnswers {
  email: {
    transportEmail: {
      email: { id: number; name: string }
      transport: TransportItem | null
      useOwnerTransport: boolean
    }
  }
  user: {
    transportUser: {
      user: { id: number; username: string; email: string }
      transport: TransportItem | null
    }
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
type IdTables = Record<string, { id: number; mautic_id: number | null; brand_id: number }>

async function assignSome(
  tx: Transaction<object>,
  entries: readonly AssignmentEntry[],
  { kind, caller, fetchFailed }: Batch & { fetchFailed: ReadonlyMap<number, AppError> },
): Promise<BatchItemResult<number>[]> {
  const { mautic } = caller
  const targets = await findTargets(tx, { kind, caller, ids: entries.map(idOf) })
  const transportIds = entries.flatMap(({ transportId }) => transportId ?? [])
  const brands = await findTransportBrands(transportIds, tx)
  const results: BatchItemResult<number>[] = []
  for (const entry of entries) {
    const id = idOf(entry)
    const { transportId } = entry
    const target = targets.get(id) ?? fetchFailed.get(id) ?? targetNotFound({ kind, id }, mautic)
    const fault =
      transportId === null || target instanceof AppError
        ? undefined
        : transportFault(brands.get(transportId), { id: transportId, caller, target: target.brand })
    if (target instanceof AppError) results.push(failed(target))
    else if (fault !== undefined) results.push(failed(fault))
    else {
      await writeAssignment(tx, { kind, namespace: mautic, id }, entry)
      results.push(done(id))
    }
  }
  return results
}

/** The brand of the messages of an email or a user; null: any brand. */
interface Target {
  brand: number | null
}

/** Finds the emails or users that a caller may assign transports to, and why they may not to those that they see. */
async function findTargets(
  tx: Kysely<object>,
  { kind, caller, ids }: Batch & { ids: readonly number[] },
): Promise<Map<number, Target | AppError>> {
  if (ids.length === 0) return new Map()
  const db = tx.withTables<IdTables>()
  const { mautic } = caller
  if (mautic !== undefined) {
    const ofMautic = db
      .selectFrom(`mautic_${kind}s`)
      .select('id')
      .where('mautic_id', '=', mautic.id)
    const known = await ofMautic.where('id', 'in', [...new Set(ids)]).execute()
    const ofId = db.selectFrom('mautics').select('brand_id').where('id', '=', mautic.id)
    const brand = (await ofId.executeTakeFirst())?.brand_id ?? noBrand
    return new Map(known.map(({ id }) => [id, { brand }]))
  }
  if (kind === 'user') {
    const known = db
      .selectFrom('users')
      .select('id')
      .where('id', 'in', [...new Set(ids)])
    const users = await known.where(usersOf(caller)).execute()
    return new Map(users.map(({ id }) => [id, { brand: null }]))
  }
  const emails = db.selectFrom('emails').select(['id', 'brand_id'])
  const rows = await emails.where('id', 'in', [...new Set(ids)]).execute()
  const seen = rows.filter((row) => sees(caller, row.brand_id))
  return new Map(
    seen.map(({ id, brand_id: brand }) => [
      id,
      owns(caller, brand) ? { brand: brand || null } : recordShared('Email', id),
    ]),
  )
}

/** The error for an email or a user that does not exist. It names the Mautic. */
function targetNotFound({ kind, id }: AssignedTarget, mautic: CallerMautic | undefined): AppError {
  const owner = mautic === undefined ? '' : ` of Mautic ${JSON.stringify(mautic.name)}`
  const message = `${targets[kind].label} not found: ${id}${owner}`
  return new AppError('not_found', `${kind}_not_found`, message)
}

/**
 * Returns why a transport of this brand cannot be assigned; undefined if it can.
 *
 * @param target See `Target`.
 */
function transportFault(
  brand: number | undefined,
  { id, caller, target }: { id: number; caller: Caller; target: number | null },
): AppError | undefined {
  if (brand === undefined || !sees(caller, brand))
    return new AppError('not_found', 'transport_not_found', `Transport not found: ${id}`)
  if (mayUse({ brand_id: brand }, target)) return undefined
  const message =
    `Transport ${id} belongs to another brand (id ${brand}): only its messages are sent through it. ` +
    'Choose another transport, or change "brand" of this one.'
  return new AppError('invalid', 'transport_of_brand', message)
}
