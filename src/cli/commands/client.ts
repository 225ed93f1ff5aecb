import { type ClientInput, clientInput } from '../../auth/index.ts'
import { AppError } from '../../kit/app-error.ts'
import { unwrap } from '../../kit/batch-item-result.ts'
import { wholeList } from '../../storage/index.ts'
import { commandName } from '../command-name.ts'
import { exitCodes } from '../errors.ts'
import { checkInput, findRole } from '../input.ts'
import type { CommandContext } from '../output.ts'

import { operator, withApp } from '../session.ts'

const context = { caller: operator, isAtomic: true }
const columns = ['id', 'name', 'clientId', 'grantTypes', 'redirectUris', 'role', 'isPublished']

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
        ...(options.role === undefined ? {} : { role: await findRole(app, options.role) }),
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

/** `mailyard client list` */
export async function listClients({ environment, output }: CommandContext): Promise<number> {
  return withApp(environment, async (app) => {
    const rows = []
    for await (const page of app.auth.clients.list(wholeList, operator).pages()) rows.push(...page)
    output.printTable(rows, columns, `Add one with: ${commandName} client add NAME`)
    return exitCodes.ok
  })
}

/** `mailyard client remove` */
export async function removeClient(
  { environment, output }: CommandContext,
  _options: object,
  id = '',
): Promise<number> {
  return withApp(environment, async (app) => {
    if (!/^\d{1,15}$/.test(id)) {
      throw new AppError(
        'invalid',
        'id_malformed',
        `"${id}" is no id. \`${commandName} client list\` lists the ids.`,
      )
    }
    const [outcome] = await app.auth.clients.remove([{ id: Number(id) }], context)
    const { item } = unwrap(outcome)
    output.print({ id: item.id }, [`Client ${item.name} was removed, and its tokens were revoked.`])
    return exitCodes.ok
  })
}
