import { asFlag, asList, asObject } from '../../mautic-client/index.ts'

/** A right of Mautic: one of the levels is enough. */
export type Right = readonly [area: string, levels: readonly string[], action: string]

/** Returns which rights the role of `/api/users/self` lacks, as parts of a sentence. */
export function missingRights(self: unknown, rights: readonly Right[]): string[] {
  const role = asObject(asObject(self)['role'])
  if (asFlag(role['isAdmin'])) return []
  const granted = asObject(role['rawPermissions'])
  const missing = rights.filter(([area, levels]) => {
    const ofArea = asList(granted[area])
    return !ofArea.includes('full') && !levels.some((level) => ofArea.includes(level))
  })
  return missing.map(([, , action]) => action)
}
