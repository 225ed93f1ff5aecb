import type { App } from '../app.ts'
import { AppError } from '../kit/app-error.ts'
import { wholeList } from '../kit/list-query.ts'
import { nameKey } from '../kit/name-key.ts'
import { operator } from './session.ts'

/** Finds a role by its id, or by its name: letter case and outer blanks do not matter. Throws for a name that several roles have. */
export async function findRole(app: App, text: string): Promise<number> {
  const key = nameKey(text)
  const named: number[] = []
  for await (const roles of app.auth.roles.list(wholeList, operator).pages()) {
    for (const { id, name } of roles) {
      if (String(id) === key) return id
      if (nameKey(name) === key) named.push(id)
    }
  }
  const [id] = named
  if (id === undefined)
    throw new AppError('not_found', 'role_not_found', `There is no role ${text}.`)
  if (named.length === 1) return id
  const count = named.length === 2 ? 'Two' : String(named.length)
  const message = `${count} roles are named "${text.trim()}" (ids ${named.join(', ')}). Use the id of one of them.`
  throw new AppError('conflict', 'role_name_ambiguous', message)
}
