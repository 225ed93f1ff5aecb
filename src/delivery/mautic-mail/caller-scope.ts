import Type from 'typebox'
import { AppError } from '../../kit/app-error.ts'
import type { Caller, CallerMautic } from '../../kit/caller.ts'
import type { MauticDirectory } from './mautic-directory.ts'

/** The query parameter that chooses whose ids the others are. */
export const mauticParameter = Type.Optional(
  Type.String({
    description:
      'Id of a connected Mautic: the ids of emails, contacts and users are its own. Callers of a Mautic always ask about theirs.',
  }),
)

/** The error for callers of a Mautic who ask for what Mailyard has itself. */
export function ownOnly(what: string): AppError {
  const message = `${what} is not available at the address of a Mautic. Use the address of Mailyard.`
  return new AppError('forbidden', 'not_for_mautics', message)
}

/** Returns the Mautic that a request is about; undefined for Mailyard's own. Throws an AppError (`not_found`). */
export async function chooseMautic(
  wanted: number | undefined,
  { caller, mautics }: { caller: Caller; mautics: Pick<MauticDirectory, 'findById'> },
): Promise<CallerMautic | undefined> {
  if (caller.mautic !== undefined && (wanted ?? caller.mautic.id) === caller.mautic.id)
    return caller.mautic
  const found =
    wanted === undefined || caller.mautic !== undefined ? undefined : await mautics.findById(wanted)
  if (wanted === undefined || found !== undefined) return found
  throw new AppError('not_found', 'mautic_not_found', `Mautic not found: ${wanted}`)
}
