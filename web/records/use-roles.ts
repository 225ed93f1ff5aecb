import type { Schema } from '../lib/api.ts'
import { can } from '../lib/session.ts'
import { useAnswer } from '../lib/use-data.ts'

const rolesMax = 1_000

/** The roles; none for readers who may not view them. */
export function useRoles(): readonly Schema<'Role'>[] {
  const query = { limit: rolesMax, orderBy: 'name' }
  return useAnswer(can('user:view') ? '/api/roles' : undefined, { query }).data?.roles ?? []
}

/** Roles to choose from. */
export const roleOptions = (roles: readonly Schema<'Role'>[]) =>
  roles.map(({ id, name }) => ({ value: String(id), label: name }))
