import { type ClientInput, clientInput } from '../../auth/index.ts'
import { unwrap } from '../../kit/batch-item-result.ts'
import { exitCodes } from '../errors.ts'
import { checkInput } from '../input.ts'
import type { CommandContext } from '../output.ts'
import { findId, recordKinds } from '../records.ts'
import { operator, withApp } from '../session.ts'

const context = { caller: operator, isAtomic: true }

interface AddClientOptions {
  grant?: string[]
  redirectUri?: string[]
  role?: string
}

/** `mailyard client add` */
export async function addClient(
  { environment, output }: CommandContext,
  options: AddClientOptions,
  name = '',
): Promise<number> {
  return withApp(
    environment,
    async (app) => {
      const input = {
        name,
        redirectUris: options.redirectUri ?? [],
        ...(options.grant === undefined ? {} : { grantTypes: options.grant }),
        ...(options.role === undefined
          ? {}
          : { role: await findId(app, recordKinds.role, options.role) }),
      }
      checkInput(clientInput, input)
      const { item } = unwrap((await app.auth.clients.create([input as ClientInput], context))[0])
      output.print(item, [
        `Client ${item.name} was added with the id ${item.id}.`,
        `  client id:     ${item.clientId}`,
        `  client secret: ${item.clientSecret ?? ''} (shown this once)`,
      ])
      return exitCodes.ok
    },
    { mayBeNew: true },
  )
}

/** `mailyard client remove` */
export async function removeClient(
  { environment, output }: CommandContext,
  _options: object,
  client = '',
): Promise<number> {
  return withApp(environment, async (app) => {
    const id = await findId(app, recordKinds.client, client)
    const [outcome] = await app.auth.clients.remove([{ id }], context)
    const { item } = unwrap(outcome)
    output.print({ id: item.id }, [`Client ${item.name} was removed, and its tokens were revoked.`])
    return exitCodes.ok
  })
}
