import type { MauticSelf } from './ask-self.ts'
import type { ServedMautic } from './served-mautics.ts'

/** The areas of the contract. A caller of a Mautic has no permission in any other area. */
const areas: ReadonlySet<string> = new Set(['multipleTransports', 'twigtemplates', 'email', 'user'])

/** Mautic's rights on emails, own or those of others, and our levels. */
const levels: ReadonlyMap<string, string> = new Map([
  ['viewown', 'view'],
  ['viewother', 'view'],
  ['editown', 'edit'],
  ['editother', 'edit'],
  ['create', 'create'],
  ['deleteown', 'delete'],
  ['deleteother', 'delete'],
  ['publishown', 'publish'],
  ['publishother', 'publish'],
])

/** Returns whether a role of Mailyard grants `area:level`. */
export type FindGrants = (roleId: number) => Promise<(permission: string) => boolean>

/**
 * Returns what a caller of a Mautic may do. A role of Mailyard that `roleMap` names decides; else administrators may do
 * everything, and others what their rights on emails say. To read emails and users is to view.
 */
export async function findPermissions(
  self: MauticSelf,
  { roleMap }: Pick<ServedMautic, 'roleMap'>,
  findGrants: FindGrants,
): Promise<(permission: string) => boolean> {
  const roleId = roleMap.get(self.roleName)
  const isGranted = roleId === undefined ? grantsOfRights(self) : await findGrants(roleId)
  return (permission) =>
    areas.has(permission.slice(0, permission.indexOf(':'))) && isGranted(permission)
}

function grantsOfRights({ isAdmin, emailRights }: MauticSelf): (permission: string) => boolean {
  if (isAdmin || emailRights.includes('full')) return () => true
  const granted = new Set(emailRights.map((right) => levels.get(right)))
  return (permission) => granted.has(permission.slice(permission.indexOf(':') + 1))
}
