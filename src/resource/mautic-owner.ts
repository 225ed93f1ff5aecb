import { AppError } from '../kit/app-error.ts'
import type { Caller } from '../kit/caller.ts'
import type { RecordRow } from '../storage/index.ts'
import type { ItemToPrepare, RecordScope } from './definition.ts'

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

/** The error for a caller of a Mautic who changes a record that belongs to none. `label`: `Transport`. */
export function sharedRecord(label: string, id: number): AppError {
  return new AppError(
    'forbidden',
    'record_shared',
    `${label} ${id} belongs to no Mautic: all use it. A caller of Mailyard itself can change it, test it and delete it, and so can a role that roleMap gives.`,
  )
}

/** The records that callers of a Mautic have: its own, and those of all. The resource needs the field `mautic`. */
export function mauticScopeOf<Row extends MauticOwned>({
  mautic,
}: Caller): RecordScope<Row> | undefined {
  if (mautic === undefined) return undefined
  return {
    includes: (row) => mayUse(row, mautic.id),
    filter: { op: 'in', field: 'mautic', values: [0, mautic.id] },
  }
}

export interface MauticOwnerOptions {
  /** What the record is called: `transport`. */
  label: string
  /** Whether a Mautic with this id is connected. */
  hasMautic: (id: number) => Promise<boolean>
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
  { label, hasMautic }: MauticOwnerOptions,
): Promise<number | null> {
  if (caller.mautic !== undefined) {
    const ownerId = current === undefined ? caller.mautic.id : current.mautic_id
    if ((input.mautic ?? ownerId) === ownerId) return ownerId
    const message = `Only a caller of Mailyard itself can change which Mautic a ${label} belongs to.`
    throw new AppError('forbidden', 'mautic_forbidden', message)
  }
  const { mautic: id = null } = input
  if (id === null || id === current?.mautic_id || (await hasMautic(id))) return id
  throw new AppError('not_found', 'mautic_not_found', `Mautic not found: ${id}`)
}
