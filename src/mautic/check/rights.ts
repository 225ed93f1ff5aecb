import { asFlag, asList, asObject } from '../client/read-answer.ts'

/** A right of Mautic: one of the levels is enough. */
export type Right = readonly [area: string, levels: readonly string[], what: string]

/** Returns which rights the role of `/api/users/self` lacks, as parts of a sentence. */
export function missingRights(self: unknown, rights: readonly Right[]): string[] {
  const role = asObject(asObject(self)['role'])
  if (asFlag(role['isAdmin'])) return []
  const granted = asObject(role['rawPermissions'])
  const missing = rights.filter(([area, levels]) => {
    const own = asList(granted[area])
    return !own.includes('full') && !levels.some((level) => own.includes(level))
  })
  return missing.map(([, , what]) => what)
}
