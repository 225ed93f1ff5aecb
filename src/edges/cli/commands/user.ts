import { findRecord } from '../api/references.ts'
import type { CommandInput } from '../command.ts'
import { exitCodes } from '../errors.ts'
import { readPassword } from '../input.ts'
import type { CommandContext } from '../output.ts'
import { withApi } from '../session.ts'

export async function addUser(
  { environment, output }: CommandContext,
  { args: [username], texts: { passwordFile, role = '', ...values } }: CommandInput,
): Promise<number> {
  return withApi(
    environment,
    async (api) => {
      const roleId = await findRecord('roles', role, api)
      const password = await readPassword(environment, passwordFile)
      const plainPassword = { password, confirm: password }
      const body = { username, ...values, role: roleId, plainPassword }
      const { user } = await api.ask<{ user: { id: number } }>('POST', '/api/users/new', body)
      output.print(user, [`User ${username} was added with the id ${user.id}.`])
      return exitCodes.ok
    },
    { mayBeNew: true },
  )
}

/** `mailyard users password` */
export async function setPassword(
  { environment, output }: CommandContext,
  { args: [user = ''], texts: { passwordFile } }: CommandInput,
): Promise<number> {
  return withApi(environment, async (api) => {
    const id = await findRecord('users', user, api)
    const password = await readPassword(environment, passwordFile)
    const plainPassword = { password, confirm: password }
    await api.ask('PATCH', `/api/users/${id}/edit`, { plainPassword })
    output.print({ id }, [
      `The password of ${user} was set. Their sessions and tokens were revoked.`,
    ])
    return exitCodes.ok
  })
}
