import Type from 'typebox'
import { AppError } from '../../kit/app-error.ts'
import { type Caller, noBrand, owns } from '../../kit/caller.ts'
import type { MaybePromise } from '../../kit/maybe-promise.ts'
import type { Mautic } from './mautic.ts'

/** The query parameter that chooses whose ids the others are. */
export const mauticParameter = Type.Optional(
  Type.String({
    description:
      'Id of a connected Mautic: the ids of emails, contacts and users are its own. Callers of a Mautic always ask about theirs.',
  }),
)

/** Finds a connected Mautic by its id. */
export interface MauticFinder {
  findById(id: number): MaybePromise<Pick<Mautic, 'id' | 'name' | 'brand'> | undefined>
}

/** Returns the Mautic that a request is about; undefined for Mailyard's own. Throws an AppError (`not_found`). */
export async function chooseMautic(
  id: number | undefined,
  { caller, mautics }: { caller: Pick<Caller, 'mautic' | 'brands'>; mautics: MauticFinder },
): Promise<Pick<Mautic, 'id' | 'name' | 'brand'> | undefined> {
  if (id === undefined || id === caller.mautic?.id) {
    const [brand] = caller.brands === 'all' ? [] : caller.brands
    return caller.mautic && { ...caller.mautic, ...(brand !== undefined && { brand }) }
  }
  const mautic = caller.mautic === undefined ? await mautics.findById(id) : undefined
  if (mautic === undefined || !owns(caller, mautic.brand ?? noBrand))
    throw new AppError('not_found', 'mautic_not_found', `Mautic not found: ${id}`)
  return mautic
}
