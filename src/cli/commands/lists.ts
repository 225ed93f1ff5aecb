import type { App } from '../../app.ts'
import { AssignmentList } from '../../assignments/index.ts'
import { deliveryOutcomes } from '../../delivery/index.ts'
import { parseListQuery } from '../../resource/index.ts'
import { wholeList } from '../../storage/index.ts'
import { commandName } from '../command-name.ts'
import { exitCodes } from '../errors.ts'
import { readId, readLimit, readNumber, readWord } from '../input.ts'
import type { CommandContext } from '../output.ts'
import { findFilterId, findId, type RecordKind, recordKinds } from '../records.ts'
import { operator, operatorKey, withApp } from '../session.ts'
import { type Columns, formatRecord, formatTable } from '../table.ts'
import { findMautic } from './mautic.ts'

const sendToContact = 'Send an email to a contact with: api emails/1/contact/1/send -X POST'
const captureOne = 'A transport with the DSN inbox://local captures messages and sends none.'

/** The options of every list of records. */
export interface ListOptions {
  search?: string
  limit?: string
  published?: boolean
}

/** More query parameters of the API of a list. */
type ReadParameters = (app: App) => Promise<Record<string, string | number | undefined>>

/** `mailyard transport list`, and the list of each other kind. */
export async function listRecords<Item extends { id: number }>(
  { environment, output }: CommandContext,
  kind: RecordKind<Item>,
  {
    search,
    limit,
    published,
    readParameters = async () => ({}),
  }: ListOptions & { readParameters?: ReadParameters },
): Promise<number> {
  const limitRows = readNumber('--limit', limit) ?? kind.limit
  const newestFirst = kind.limit === undefined ? {} : { orderBy: 'id', orderByDir: 'desc' }
  return withApp(environment, async (app) => {
    const parameters = { search, published: published && '1', ...(await readParameters(app)) }
    const filters = Object.entries(parameters).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, String(value)]],
    )
    const asked = { ...Object.fromEntries(filters), ...newestFirst }
    const query = parseListQuery(asked, { ...kind.shape, limit: limitRows })
    const rows: Item[] = []
    for await (const page of kind.open(app).list(query, operator).pages()) rows.push(...page)
    const shown = (await kind.complete?.(app, rows)) ?? rows
    const empty =
      filters.length > 0
        ? `No ${kind.one} matches. All ${kind.many}: ${commandName} ${kind.name} list`
        : `No ${kind.one} yet. ${kind.howToAdd}`
    output.printTable(shown, kind.columns, { empty, limit: limitRows })
    return exitCodes.ok
  })
}

/** `mailyard transport show`, and the record of each other kind: by its id or name. */
export async function showRecord<Item extends { id: number }>(
  { environment, output }: CommandContext,
  kind: RecordKind<Item>,
  text: string,
): Promise<number> {
  return withApp(environment, async (app) => {
    const { item } = await kind.open(app).get(await findId(app, kind, text), operator)
    const [shown = item] = (await kind.complete?.(app, [item])) ?? []
    output.printRecord(
      shown,
      { ...kind.columns, ...kind.details },
      ...(kind.textsOf?.(shown) ?? []),
    )
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

const deliveryColumns = {
  ID: 'id',
  Time: 'date',
  Recipient: 'recipient',
  Subject: 'subject',
  Transport: 'transport',
  Outcome: 'outcome',
  Reason: ({ reason, reply }: { reason: string | null; reply: string | null }) => reason ?? reply,
} as const

/** The columns of the attempts to send one message. */
export const attemptColumns = {
  Attempt: 'id',
  Time: 'date',
  Transport: 'transport',
  Outcome: 'outcome',
  Reason: deliveryColumns.Reason,
} as const

/** `mailyard delivery list`: the newest first. */
export async function listDeliveries(
  { environment, output }: CommandContext,
  { limit, outcome, recipient, ...filters }: DeliveryFilters,
): Promise<number> {
  const limitRows = readLimit(limit)
  const ofOutcome =
    outcome === undefined ? undefined : [readWord('--outcome', outcome, deliveryOutcomes)]
  return withApp(environment, async (app) => {
    const query = {
      after: undefined,
      start: 0,
      limit: limitRows,
      outcomes: ofOutcome,
      recipient,
      transportId: await findFilterId(app, recordKinds.transport, filters.transport),
      emailId: await findFilterId(app, recordKinds.email, filters.email),
      contactId: await findFilterId(app, recordKinds.contact, filters.contact),
    }
    const { deliveries } = await app.delivery.deliveries.list(query, {
      isCounted: false,
      owner: operatorKey,
    })
    const isFiltered = [outcome, recipient, ...Object.values(filters)].some(Boolean)
    const empty = isFiltered
      ? `No delivery matches. All deliveries: ${commandName} delivery list`
      : `No delivery yet. ${sendToContact}`
    output.printTable(deliveries, deliveryColumns, { empty, limit: limitRows })
    return exitCodes.ok
  })
}

/** `mailyard delivery show`: one attempt, its route, and the other attempts to send its message. */
export async function showDelivery(
  { environment, output }: CommandContext,
  _: object,
  id = '',
): Promise<number> {
  const number = readId(id)
  return withApp(environment, async (app) => {
    const details = await app.delivery.deliveries.get(number)
    const others = details.recipients.map(({ recipient, outcome }) => `${recipient} (${outcome})`)
    const lines = formatRecord(
      details.delivery,
      {
        ...deliveryColumns,
        Sender: 'sender',
        Server: 'member',
        Source: 'source',
        'Submitted by': 'caller',
        Mautic: ({ mautic }) => mautic?.name,
        Email: 'emailId',
        Contact: 'contactId',
        'Message-ID': 'messageId',
        'At the provider': 'providerId',
        'Look for': 'lookFor',
        'Other recipients': () => others,
      },
      output.screen,
    )
    const route = formatTable(
      details.delivery.trace,
      {
        Route: 'source',
        Transport: ({ transport }) => transport?.name,
        Outcome: 'outcome',
        Reason: 'reason',
      },
      output.screen,
    )
    const attempts = formatTable(details.attempts, attemptColumns, output.screen)
    output.print(details, [...lines, '', ...route, '', ...attempts])
    return exitCodes.ok
  })
}

/** `mailyard inbox list`: the captured messages, the newest first. */
export async function listInbox(
  { environment, output }: CommandContext,
  { limit, transport }: { limit?: string; transport?: string },
): Promise<number> {
  const limitRows = readLimit(limit)
  return withApp(environment, async (app) => {
    const transportId = await findFilterId(app, recordKinds.transport, transport)
    const query = { after: undefined, start: 0, limit: limitRows, transportId }
    const { messages } = await app.inbox.list(query)
    const empty =
      transport === undefined
        ? `No captured message yet. ${captureOne}`
        : `No captured message matches. All of them: ${commandName} inbox list`
    output.printTable(messages, inboxColumns, { empty, limit: limitRows })
    return exitCodes.ok
  })
}

const inboxColumns = {
  ID: 'id',
  Captured: 'date',
  Transport: 'transport',
  Sender: 'sender',
  Recipients: 'recipients',
  Subject: 'subject',
} as const

/** `mailyard inbox show`: a captured message, with its text. */
export async function showCaptured(
  { environment, output }: CommandContext,
  _: object,
  id = '',
): Promise<number> {
  const number = readId(id)
  return withApp(environment, async (app) => {
    const message = await app.inbox.get(number)
    const columns: Columns<typeof message> = {
      ...inboxColumns,
      'Message-ID': 'messageId',
      Bytes: 'sizeBytes',
      Attachments: ({ attachments }) => attachments.map(({ filename }) => filename),
      Problems: 'problems',
    }
    output.printRecord(message, columns, message.text ?? message.html)
    return exitCodes.ok
  })
}

interface AssignmentItem {
  email?: { id: number; name: string }
  user?: { id: number; username: string }
  transport: { name: string } | null
  useOwnerTransport?: boolean
}

/** `mailyard assignment list`: emails, or users, and their transports. */
export async function listAssignments(
  { environment, output }: CommandContext,
  { users = false, transport, mautic }: { users?: boolean; transport?: string; mautic?: string },
): Promise<number> {
  return withApp(environment, async (app) => {
    const id = await findFilterId(app, recordKinds.transport, transport)
    const filter =
      id === undefined ? wholeList.filter : ({ op: 'eq', field: 'transportId', value: id } as const)
    const caller =
      mautic === undefined ? operator : { ...operator, mautic: await findMautic(app, mautic) }
    const kind = users ? 'user' : 'email'
    const list = new AssignmentList<AssignmentItem>(app.storage, kind)
    const rows: AssignmentItem[] = []
    for await (const page of list.list({ ...wholeList, filter }, caller).pages()) rows.push(...page)
    const columns: Columns<AssignmentItem> = {
      ID: ({ email, user }) => (email ?? user)?.id,
      [users ? 'User' : 'Email']: ({ email, user }: AssignmentItem) =>
        email?.name ?? user?.username,
      Transport: (row) => row.transport?.name ?? 'default',
      ...(users ? {} : { 'Transport of the owner first': 'useOwnerTransport' as const }),
    }
    output.printTable(rows, columns, {
      empty: `No ${kind}${transport === undefined ? ' yet' : ' has this transport'}.`,
    })
    return exitCodes.ok
  })
}
