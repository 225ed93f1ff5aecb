import type { Caller } from '../kit/caller.ts'

/** What permissions are about. Roles belong to `user`, OAuth clients to `api`. */
export const areas = [
  'multipleTransports',
  'twigtemplates',
  'email',
  'contact',
  'user',
  'api',
] as const
export type Area = (typeof areas)[number]

const commonLevels = ['view', 'create', 'edit', 'delete', 'publish', 'full']

/** The levels of an area; `full` is all of them. */
export const levels: Readonly<Record<Area, readonly string[]>> = {
  multipleTransports: commonLevels,
  twigtemplates: commonLevels,
  email: [...commonLevels, 'send'],
  contact: commonLevels,
  user: commonLevels,
  api: commonLevels,
}

/** Permissions as the API writes them: `{"email": ["view", "send"]}`. */
export type RawPermissions = Partial<Record<Area, string[]>>

/** The permissions as single names, such as `email:view`; `full` stands for each of its area. */
export function expandPermissions(raw: RawPermissions): Set<string> {
  const expanded = new Set<string>()
  for (const [area, granted] of Object.entries(raw)) {
    const names = granted.includes('full') ? levels[area as Area] : granted
    for (const level of names) expanded.add(`${area}:${level}`)
  }
  return expanded
}

/** What a role lets do, as it stands in its row. */
export interface Grants {
  isAdmin: boolean
  permissions: RawPermissions
}

/**
 * Whether the caller may do all that the grants let do: nobody hands out, changes or takes over what
 * is more than his own.
 */
export function covers(caller: Caller, grants: Grants): boolean {
  if (caller.isAdmin) return true
  if (grants.isAdmin) return false
  return [...expandPermissions(grants.permissions)].every((permission) => caller.can(permission))
}
