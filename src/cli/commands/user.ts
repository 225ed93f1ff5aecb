import Type from 'typebox'
import type { App } from '../../app.ts'
import { userInput } from '../../auth/index.ts'
import { AppError } from '../../kit/app-error.ts'
import { unwrap } from '../../kit/batch-item-result.ts'
import { nameKey } from '../../kit/normalize-for-search.ts'
import { wholeList } from '../../storage/index.ts'
import { commandName } from '../command-name.ts'
import { exitCodes } from '../errors.ts'
import { checkInput, findRole, readPassword } from '../input.ts'
import type { CommandContext } from '../output.ts'

import { operator, withApp } from '../session.ts'

const context = { caller: operator, isAtomic: true }
const columns = ['id', 'username', 'email', 'firstName', 'lastName', 'role', 'isPublished']

interface AddUserOptions {
  email: string
  firstName: string
  lastName: string
  role: string
  passwordFile?: string
}

/** `mailyard user add` */
export async function addUser(
  { environment, output }: CommandContext,
  options: AddUserOptions,
  username = '',
): Promise<number> {
  return withApp(
    environment,
    async (app) => {
      const role = await findRole(app, options.role)
      const password = await readPassword(environment, options.passwordFile)
      const { email, firstName, lastName } = options
      const plainPassword = { password, confirm: password }
      const input = { username, email, firstName, lastName, role, plainPassword }
      checkInput(userInput, input)
      const [outcome] = await app.auth.users.create([input], context)
      const { item } = unwrap(outcome)
      output.print(item, [`User ${item.username} was added with the id ${item.id}.`])
      return exitCodes.ok
    },
    { mayBeNew: true },
  )
}

/** `mailyard user list` */
export async function listUsers({ environment, output }: CommandContext): Promise<number> {
  return withApp(environment, async (app) => {
    const rows = []
    for await (const page of app.auth.users.list(wholeList, operator).pages()) {
      for (const user of page) rows.push({ ...user, role: user.role?.name ?? null })
    }
    const add = `${commandName} user add NAME --email ADDRESS --role ROLE`
    output.printTable(rows, columns, `Add one with: ${add}`)
    return exitCodes.ok
  })
}

/** `mailyard user password` */
export async function setPassword(
  { environment, output }: CommandContext,
  options: { passwordFile?: string },
  username = '',
): Promise<number> {
  return withApp(environment, async (app) => {
    const user = await findUser(app, username)
    const password = await readPassword(environment, options.passwordFile)
    const values = { plainPassword: { password, confirm: password } }
    checkInput(Type.Partial(userInput), values)
    unwrap((await app.auth.users.edit([{ id: user.id, mode: 'patch', values }], context))[0])
    output.print({ id: user.id }, [
      `The password of ${user.username} was set. Their sessions and tokens were revoked.`,
    ])
    return exitCodes.ok
  })
}

/** Finds a user by name; letter case and outer blanks are ignored. Throws an AppError (`not_found`). */
async function findUser(app: App, username: string) {
  const key = nameKey(username)
  for await (const users of app.auth.users.list(wholeList, operator).pages()) {
    const match = users.find((user) => nameKey(user.username) === key)
    if (match !== undefined) return match
  }
  throw new AppError('not_found', 'user_not_found', `User ${username} was not found.`)
}
