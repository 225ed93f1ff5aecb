import type { App } from '../../app.ts'
import { broadcastCounters, deliveryOutcomes } from '../../delivery/index.ts'
import { AppError } from '../../kit/app-error.ts'
import { maskDsn } from '../../mailer/index.ts'
import { wholeList } from '../../storage/index.ts'
import { commandName } from '../command-name.ts'
import { exitCodes } from '../errors.ts'
import type { CommandContext } from '../output.ts'
import { operator, withApp } from '../session.ts'

const limitDefault = 30

/** How to get the first row of each list. `api` is the function of the README. */
const addTransport = `Create one in the console, or with: api multipleTransports/new -d '{"name": "Inbox", "mailerDsn": "inbox://local"}'`
const addPublishedTransport = `All transports: ${commandName} transport list`
const sendToContact = 'Send an email to a contact with: api emails/1/contact/1/send -X POST'
const listAllDeliveries = `All deliveries: ${commandName} delivery list`
const startBroadcast = `Start one in the console, or with: api emails/1/send -d '{"contactIds": [1]}'`

/** `mailyard role list` */
export async function listRoles({ environment, output }: CommandContext): Promise<number> {
  return withApp(environment, async (app) => {
    const rows = []
    for await (const page of app.auth.roles.list(wholeList, operator).pages()) rows.push(...page)
    const columns = ['id', 'name', 'isAdmin', 'isPublished', 'description']
    output.printTable(rows, columns, 'Create one in the console, or with POST /api/roles/new.')
    return exitCodes.ok
  })
}

/** `mailyard transport list`: secrets are masked, because terminals keep their output. */
export async function listTransports(
  { environment, output }: CommandContext,
  { published }: { published?: boolean },
): Promise<number> {
  return withApp(environment, async (app) => {
    const rows = []
    for await (const page of app.transports.list(wholeList, operator).pages())
      for (const row of page)
        if (published !== true || row.isPublished)
          rows.push({ ...row, mailerDsn: maskDsn(row.mailerDsn) })
    const columns = ['id', 'name', 'isPublished', 'mailerDsn', 'description']
    output.printTable(rows, columns, published === true ? addPublishedTransport : addTransport)
    return exitCodes.ok
  })
}

interface DeliveryFilters {
  limit?: string
  outcome?: string
  recipient?: string
  transport?: string
  email?: string
  contact?: string
}

/** `mailyard delivery list`: the newest first. */
export async function listDeliveries(
  { environment, output }: CommandContext,
  filters: DeliveryFilters,
): Promise<number> {
  const query = {
    after: undefined,
    start: 0,
    limit: readNumber('--limit', filters.limit) ?? limitDefault,
    outcomes: readOutcomes(filters.outcome),
    recipient: filters.recipient,
    transportId: readNumber('--transport', filters.transport),
    emailId: readNumber('--email', filters.email),
    contactId: readNumber('--contact', filters.contact),
  }
  return withApp(environment, async (app) => {
    const { deliveries } = await app.delivery.deliveries.list(query, {
      isCounted: false,
      owner: 'command line',
    })
    const rows = deliveries.map((each) => ({ ...each, said: each.reason ?? each.reply }))
    const columns = ['id', 'date', 'recipient', 'transport', 'outcome', 'said']
    const isFiltered = Object.entries(filters).some(([name, value]) => name !== 'limit' && value)
    output.printTable(rows, columns, isFiltered ? listAllDeliveries : sendToContact)
    return exitCodes.ok
  })
}

/** `mailyard broadcast list`: the newest first. */
export async function listBroadcasts(
  { environment, output }: CommandContext,
  filters: { limit?: string },
): Promise<number> {
  const limit = readNumber('--limit', filters.limit) ?? limitDefault
  return withApp(environment, async (app: App) => {
    const { broadcasts } = await app.delivery.broadcasts.list({ start: 0, limit })
    const rows = broadcasts.map((each) => ({ ...each, emailName: each.email.name }))
    const counts = ['total', ...broadcastCounters, 'remaining']
    output.printTable(rows, ['id', 'emailName', 'state', ...counts, 'problem'], startBroadcast)
    return exitCodes.ok
  })
}

function readNumber(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const number = Number(text)
  if (/^\d{1,9}$/.test(text) && number > 0) return number
  throw usageError(`${option} "${text}" must be a whole number of 1 or more.`)
}

function readOutcomes(text: string | undefined) {
  const outcome = deliveryOutcomes.find((each) => each === text)
  if (text === undefined) return undefined
  if (outcome !== undefined) return [outcome]
  throw usageError(`--outcome "${text}" must be one of ${deliveryOutcomes.join(', ')}.`)
}

function usageError(message: string): AppError {
  return new AppError('invalid', 'option_invalid', message)
}
