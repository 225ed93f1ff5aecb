import type { App } from '../app.ts'
import { AppError } from '../kit/app-error.ts'
import { wholeList } from '../kit/list-query.ts'
import { operator } from './session.ts'

/** A role by its id or its name. */
export async function findRole(app: App, text: string): Promise<number> {
  const filter = /^\d+$/.test(text)
    ? ({ op: 'ids', ids: [Number(text)] } as const)
    : ({ op: 'name', text } as const)
  for await (const [role] of app.auth.roles.list({ ...wholeList, filter }, operator).pages()) {
    if (role !== undefined) return role.id
  }
  throw new AppError('not_found', 'role_not_found', `There is no role ${text}.`)
}
