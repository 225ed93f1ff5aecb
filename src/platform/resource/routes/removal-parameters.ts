import type { TSchema } from 'typebox'
import { isAsked, type Query, text } from '../../http/index.ts'
import type { RemovalContext } from '../resource-service.ts'

export function removalParameters(hasDeleted: boolean): Record<string, TSchema> {
  const erase = text(
    '`1`: deletes for good, so that it cannot be restored; also what is deleted already.',
  )
  const force = text('`1`: deletes a template also where published emails include it.')
  return {
    dryRun: text('`1`: answers what would be deleted and what uses it, and changes nothing.'),
    ...(hasDeleted ? { force, erase } : {}),
  }
}

/** Reads how a request deletes. Throws an AppError (`invalid`). */
export function readRemoval(
  query: Query,
  hasDeleted: boolean,
): Required<Omit<RemovalContext, 'caller' | 'isAtomic'>> {
  return {
    isDryRun: isAsked(query, 'dryRun'),
    isForced: isAsked(query, 'force'),
    // What is never kept is always deleted for good.
    isErasing: hasDeleted && isAsked(query, 'erase'),
  }
}
