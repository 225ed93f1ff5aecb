import Type from 'typebox'
import { type Callers, createQueryReader, type HttpRequest, type Query } from '../http/index.ts'
import { chooseMautic, type MauticFinder, mauticParameter } from '../mautic/index.ts'
import type { AssignmentCaller } from './service.ts'

/** The query parameters that `AssignmentCallers` reads. */
export const namespaceParameters = { mautic: mauticParameter }

/** They, as the query of a route that has no other. */
export const namespaceQuery = Type.Unsafe<Record<string, unknown>>(Type.Object(namespaceParameters))

/** Finds the caller of a request about assignments, in the namespace that `?mautic=` chooses. */
export interface AssignmentCallers {
  of(request: HttpRequest): Promise<AssignmentCaller>
}

export function createAssignmentCallers(
  callers: Callers,
  mautics: MauticFinder,
): AssignmentCallers {
  return {
    async of(request) {
      const caller = callers.of(request)
      const read = createQueryReader(request.query as Query)
      const mauticId = read.number('mautic')
      read.check()
      const mautic = await chooseMautic(mauticId, { caller, mautics })
      return mautic === caller.mautic ? caller : { ...caller, mautic, isOfMailyard: true }
    },
  }
}
