import { AppError } from '../../kit/app-error.ts'
import type { Caller } from '../../kit/caller.ts'
import type { RecordRow, Storage } from '../storage/index.ts'
import type { ItemToPrepare, ResourceAccess } from './definition.ts'

/** A record that may belong to a Mautic. */
export interface MauticOwned extends RecordRow {
  /** Only this Mautic uses it; null for all, and Mailyard itself. It keeps the id of a deleted Mautic. */
  mautic_id: number | null
}

/** Whether a Mautic may use a record; `undefined` stands for Mailyard itself. */
export function mayUse(
  { mautic_id: owner }: Pick<MauticOwned, 'mautic_id'>,
  mauticId: number | undefined,
): boolean {
  return owner === null || owner === mauticId
}

/**
 * Whether a caller may change a record that exists for the caller. Records without a Mautic are read-only for callers of a
 * Mautic, unless they have a role of Mailyard.
 */
export function mayChange(
  { mautic_id: owner }: Pick<MauticOwned, 'mautic_id'>,
  { mautic }: Caller,
): boolean {
  return mautic === undefined || owner === mautic.id || (owner === null && !!mautic.hasOwnRole)
}

/**
 * Callers of a Mautic see its own records and those of all, and change what `mayChange` says. The resource needs the field
 * `mautic`.
 *
 * @param label As a sentence begins: `Transport`.
 */
export function mauticAccess<Row extends MauticOwned>(label: string) {
  return {
    scopeOf({ mautic }: Caller) {
      if (mautic === undefined) return undefined
      return {
        includes: (row: Row) => mayUse(row, mautic.id),
        filter: { op: 'in' as const, field: 'mautic', values: [0, mautic.id] },
      }
    },
    checkChangeable(row: Row, caller: Caller) {
      if (mayChange(row, caller)) return
      const message = `${label} ${row.id} belongs to no Mautic: all use it. A caller of Mailyard itself can change it, test it and delete it, and so can a role that roleMap gives.`
      throw new AppError('forbidden', 'record_shared', message)
    },
  } satisfies ResourceAccess<Row>
}

/** Callers of a Mautic neither see nor change any record. `reason` is the message of the error. */
export function accessOfMailyard(reason: string): ResourceAccess<RecordRow> {
  return {
    checkCaller({ mautic }) {
      if (mautic !== undefined) throw new AppError('forbidden', 'mautic_forbidden', reason)
    },
  }
}

export interface MauticOwnerOptions {
  /** What the record is called: `transport`. */
  label: string
  storage: Storage
}

/** Whether a Mautic with this id is connected. */
export async function hasMautic(storage: Storage, id: number): Promise<boolean> {
  const query = storage.tables<{ mautics: { id: number } }>().selectFrom('mautics').select('id')
  return (await query.where('id', '=', id).executeTakeFirst()) !== undefined
}

/**
 * Returns the Mautic that a record is to belong to. One that is created at a Mautic's address belongs to it. Throws an
 * AppError (`forbidden`, `not_found`).
 */
export async function readMauticOwner<
  Row extends MauticOwned,
  Input extends { mautic?: number | null },
>(
  { input, current, caller }: ItemToPrepare<Row, Input>,
  { label, storage }: MauticOwnerOptions,
): Promise<number | null> {
  if (caller.mautic !== undefined) {
    const ownerId = current === undefined ? caller.mautic.id : current.mautic_id
    if ((input.mautic ?? ownerId) === ownerId) return ownerId
    const message = `Only a caller of Mailyard itself can change which Mautic a ${label} belongs to.`
    throw new AppError('forbidden', 'mautic_forbidden', message)
  }
  const { mautic: id = null } = input
  if (id === null || id === current?.mautic_id || (await hasMautic(storage, id))) return id
  throw new AppError('not_found', 'mautic_not_found', `Mautic not found: ${id}`)
}
