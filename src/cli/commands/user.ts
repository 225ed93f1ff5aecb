import Type from 'typebox'
import { userInput } from '../../auth/index.ts'
import { unwrap } from '../../kit/batch-item-result.ts'
import { exitCodes } from '../errors.ts'
import { checkInput, readPassword } from '../input.ts'
import type { CommandContext } from '../output.ts'
import { findId, recordKinds } from '../records.ts'
import { operator, withApp } from '../session.ts'

const context = { caller: operator, isAtomic: true }

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
      const role = await findId(app, recordKinds.role, options.role)
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

/** `mailyard user password` */
export async function setPassword(
  { environment, output }: CommandContext,
  options: { passwordFile?: string },
  username = '',
): Promise<number> {
  return withApp(environment, async (app) => {
    const id = await findId(app, recordKinds.user, username)
    const password = await readPassword(environment, options.passwordFile)
    const values = { plainPassword: { password, confirm: password } }
    checkInput(Type.Partial(userInput), values)
    const [outcome] = await app.auth.users.edit([{ id, mode: 'patch', values }], context)
    const { item } = unwrap(outcome)
    output.print({ id }, [
      `The password of ${item.username} was set. Their sessions and tokens were revoked.`,
    ])
    return exitCodes.ok
  })
}
