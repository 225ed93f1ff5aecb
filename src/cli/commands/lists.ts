import type { App } from '../../app.ts'
import { AppError } from '../../kit/app-error.ts'
import { wholeList } from '../../kit/list-query.ts'
import { maskDsn } from '../../mailer/index.ts'
import type { CommandContext } from '../command-context.ts'
import { exitCodes } from '../exit-codes.ts'
import { operator, withApp } from '../session.ts'

const limitDefault = 30
const outcomes = ['started', 'accepted', 'refused', 'uncertain'] as const

/** `mailyard role list` */
export async function listRoles({ surroundings, output }: CommandContext): Promise<number> {
  return withApp(surroundings, async (app) => {
    const rows = []
    for await (const page of app.auth.roles.list(wholeList, operator).pages()) rows.push(...page)
    output.printTable(rows, ['id', 'name', 'isAdmin', 'isPublished', 'description'])
    return exitCodes.ok
  })
}

/** `mailyard transport list`: secrets stay masked, since a terminal keeps what it shows. */
export async function listTransports(
  { surroundings, output }: CommandContext,
  { published }: { published?: boolean },
): Promise<number> {
  return withApp(surroundings, async (app) => {
    const rows = []
    for await (const page of app.transports.list(wholeList, operator).pages())
      for (const row of page)
        if (published !== true || row.isPublished)
          rows.push({ ...row, mailerDsn: maskDsn(row.mailerDsn) })
    output.printTable(rows, ['id', 'name', 'isPublished', 'mailerDsn', 'description'])
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
  { surroundings, output }: CommandContext,
  filters: DeliveryFilters,
): Promise<number> {
  const query = {
    before: undefined,
    start: 0,
    limit: readNumber('--limit', filters.limit) ?? limitDefault,
    outcome: readOutcome(filters.outcome),
    recipient: filters.recipient,
    transportId: readNumber('--transport', filters.transport),
    emailId: readNumber('--email', filters.email),
    contactId: readNumber('--contact', filters.contact),
  }
  return withApp(surroundings, async (app) => {
    const { deliveries } = await app.sending.deliveries.list(query, { isCounted: false })
    const rows = deliveries.map((each) => ({ ...each, said: each.reason ?? each.reply }))
    output.printTable(rows, ['id', 'date', 'recipient', 'transport', 'outcome', 'said'])
    return exitCodes.ok
  })
}

/** `mailyard broadcast list`: the newest first. */
export async function listBroadcasts(
  { surroundings, output }: CommandContext,
  filters: { limit?: string },
): Promise<number> {
  const limit = readNumber('--limit', filters.limit) ?? limitDefault
  return withApp(surroundings, async (app: App) => {
    const { sendings } = await app.sending.sendings.list({ start: 0, limit })
    const rows = sendings.map((each) => ({ ...each, emailName: each.email.name }))
    const counts = ['total', 'accepted', 'refused', 'uncertain', 'remaining']
    output.printTable(rows, ['id', 'emailName', 'status', ...counts, 'problem'])
    return exitCodes.ok
  })
}

function readNumber(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const number = Number(text)
  if (/^\d{1,9}$/.test(text) && number > 0) return number
  throw usageError(`${option} "${text}" must be a whole number of 1 or more.`)
}

function readOutcome(text: string | undefined) {
  const outcome = outcomes.find((each) => each === text)
  if (text === undefined || outcome !== undefined) return outcome
  throw usageError(`--outcome "${text}" must be one of ${outcomes.join(', ')}.`)
}

function usageError(message: string): AppError {
  return new AppError('invalid', 'option_invalid', message)
}
