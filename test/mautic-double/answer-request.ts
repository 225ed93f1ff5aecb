import { queryList } from './list-query.ts'
import { type MauticData, type MauticVersion, minimalEmail, setFields } from './mautic-data.ts'
import { type Json, readRecording } from './recordings.ts'

/** A request to Mautic's API, after authentication. */
export interface ApiRequest {
  method: string
  path: string
  query: URLSearchParams
  body: Json
  isAdmin: boolean
  /** The user who asks; null for an OAuth client. */
  userId: number | null
  /** What `/api/users/self` shows. */
  self: Json
  version: MauticVersion
}

/** An answer, without the headers that all have. */
export interface ApiAnswer {
  status: number
  body: Json
}

/** Answers a request by the rules that the recordings show. */
export function answerRequest(request: ApiRequest, data: MauticData): ApiAnswer {
  for (const [method, pattern, answer] of routes) {
    const found = method === request.method ? pattern.exec(request.path) : null
    if (found !== null) return answer(request, data, Number(found[1]))
  }
  return notRouted(request)
}

type Answer = (request: ApiRequest, data: MauticData, id: number) => ApiAnswer

const answerOf = (number: string): ApiAnswer => {
  const { status, body } = readRecording(number).response
  return { status, body }
}

const itemMissing = answerOf('034')
const forbidden = answerOf('060')
/** The answer to malformed JSON. */
export const malformed = answerOf('074')

/** The answer to a failure inside Mautic. */
export const failed: ApiAnswer = {
  status: 500,
  body: { errors: [{ ...malformed.body.errors[0], message: message500(), code: 500 }] },
}

function message500(): string {
  return malformed.body.errors[0].message.replace('#400', '#500')
}

function notRouted({ path }: ApiRequest): ApiAnswer {
  const { body } = readRecording('073').response
  return {
    status: 404,
    body: { errors: [{ ...body.errors[0], message: `Requested URL not found: ${path}` }] },
  }
}

/** Whether the role of the caller has a right, such as `user:users`, `view`. */
function may({ isAdmin, self }: ApiRequest, area: string, level: string): boolean {
  const granted: string[] = self.role?.rawPermissions?.[area] ?? []
  return isAdmin || granted.includes(level) || granted.includes('full')
}

const withRight =
  (area: string, level: string, answer: Answer): Answer =>
  (request, data, id) =>
    may(request, area, level) ? answer(request, data, id) : forbidden

/** Statistics are refused with status 200; so it is in Mautic's source. */
const statsRefusal: ApiAnswer = {
  status: 200,
  body: {
    errors: [
      {
        message: 'You do not have the view permission to load data from the lead table',
        code: 403,
      },
    ],
  },
}

/** `viewown` alone shows all rows. */
const withStatsRight =
  (answer: Answer): Answer =>
  (request, data, id) =>
    ['viewown', 'viewother'].some((level) => may(request, 'lead:leads', level))
      ? answer(request, data, id)
      : statsRefusal

/** Returns a list keyed by id; an empty one is an array. */
function keyed(rows: readonly Json[]): Json {
  return rows.length === 0 ? [] : Object.fromEntries(rows.map((row) => [row.id, row]))
}

const readUser = (row: Json, column: string) => row[column]
const readEmail = (row: Json, column: string) => row[column]
const readContact = (row: Json, column: string) => {
  if (column === 'date_modified') return row.dateModified
  if (column === 'date_added') return row.dateAdded
  return row[column] ?? row.fields.all[column]
}
const readColumn = (row: Json, column: string) => (column === 'id' ? Number(row.id) : row[column])

const listUsers: Answer = ({ query }, { users }) => {
  const list = queryList(users.values(), query, readUser)
  if (list === undefined) return failed
  return { status: 200, body: { total: list.total, users: list.rows } }
}

const listEmails: Answer = ({ query }, { emails }) => {
  const list = queryList(emails.values(), query, readEmail)
  if (list === undefined) return failed
  const rows = query.get('minimal') === '1' ? list.rows.map(minimalEmail) : list.rows
  return { status: 200, body: { total: list.total, emails: keyed(rows) } }
}

/** Unlike those of emails, the total is a string, and an empty list an object. */
const listContacts: Answer = ({ query }, { contacts }) => {
  const list = queryList(contacts.values(), query, readContact)
  if (list === undefined) return failed
  const rows = query.get('minimal') === '1' ? list.rows.map(minimalContact) : list.rows
  const body = rows.length === 0 ? {} : keyed(rows)
  return { status: 200, body: { total: String(list.total), contacts: body } }
}

function minimalContact(contact: Json): Json {
  const { isPublished, dateAdded, dateModified, id, points, color, fields } = contact
  return { isPublished, dateAdded, dateModified, id, points, color, fields }
}

const one =
  (records: 'users' | 'emails' | 'contacts', name: string): Answer =>
  (_request, data, id) => {
    const record = data[records].get(id)
    if (record === undefined) return itemMissing
    return { status: 200, body: { [name]: withDoNotContact(records, record, data) } }
  }

function withDoNotContact(records: string, record: Json, { doNotContact }: MauticData): Json {
  if (records !== 'contacts') return record
  const entries = doNotContact.filter((row) => row.lead_id === String(record.id))
  const shown = entries.map((row) => ({
    id: Number(row.id),
    reason: Number(row.reason),
    comments: row.comments,
    channel: row.channel,
    channelId: row.channel_id === null ? null : Number(row.channel_id),
  }))
  return { ...record, doNotContact: shown }
}

const listStats =
  (table: 'stats' | 'doNotContact'): Answer =>
  ({ query }, data) => {
    const list = queryList(data[table], query, readColumn)
    if (list === undefined) return failed
    return { status: 200, body: { total: String(list.total), stats: list.rows } }
  }

/** The same reason changes nothing, not even the comment; another one keeps the id. An empty body means reason 3. */
const addDoNotContact: Answer = (request, data, id) => {
  const { body } = request
  const contact = data.contacts.get(id)
  if (contact === undefined) return itemMissing
  const { doNotContact } = data
  const known = doNotContact.find((row) => row.lead_id === String(id))
  const reason = String(body?.reason ?? 3)
  if (known?.reason !== reason) {
    const entry = {
      id: known?.id ?? String(Number(doNotContact.at(-1)?.id ?? 0) + 1),
      lead_id: String(id),
      date_added: new Date().toISOString().slice(0, 19).replace('T', ' '),
      reason,
      channel: 'email',
      channel_id: body?.channelId === undefined ? null : String(body.channelId),
      comments: body?.comments ?? '',
    }
    if (known === undefined) doNotContact.push(entry)
    else Object.assign(known, entry)
    noteChange(request, data, { contact, reason })
  }
  return { status: 200, body: { contact: withDoNotContact('contacts', contact, data) } }
}

const statuses: Readonly<Record<string, string>> = {
  0: 'contactable',
  1: 'unsubscribed',
  2: 'bounced',
  3: 'manual',
}

/** A change of the list is sent by the webhooks. Up to version 5 it counts as a change of the contact. */
function noteChange(
  { version }: ApiRequest,
  { pending }: MauticData,
  { contact, reason }: { contact: Json; reason: string },
): void {
  const now = `${new Date().toISOString().slice(0, 19)}+00:00`
  if (version === '5.1.0') contact.dateModified = now
  const event = { contact: structuredClone(contact), channel: 'email', timestamp: now }
  pending.push({ ...event, new_status: statuses[reason] ?? 'manual' })
}

const removeDoNotContact: Answer = (request, data, id) => {
  const contact = data.contacts.get(id)
  if (contact === undefined) return itemMissing
  const kept = data.doNotContact.filter((row) => row.lead_id !== String(id))
  const recordFound = kept.length < data.doNotContact.length
  data.doNotContact = kept
  if (recordFound) noteChange(request, data, { contact, reason: '0' })
  return { status: 200, body: { recordFound, contact } }
}

/** Tags are added to those that a contact has; one with a minus is removed. */
const editContact: Answer = ({ body }, data, id) => {
  const contact = data.contacts.get(id)
  if (contact === undefined) return itemMissing
  const { tags = [], ...fields } = body
  for (const tag of tags as string[]) {
    const name = tag.replace(/^-/, '')
    const others = contact.tags.filter((each: Json) => each.tag !== name)
    const nextId = Math.max(0, ...contact.tags.map((each: Json) => each.id)) + 1
    contact.tags = tag === name ? [...others, { id: nextId, tag }] : others
  }
  setFields(contact, fields)
  return { status: 200, body: { contact: withDoNotContact('contacts', contact, data) } }
}

/** A user with the right `publishown` only gets an unpublished one: a new row has no owner yet. */
const addHook: Answer = (request, { hooks, ids }) => {
  const id = ids.hook++
  const { hook } = readRecording('106').response.body
  const dateAdded = `${new Date().toISOString().slice(0, 19)}+00:00`
  const isChanged = request.version !== '5.1.0'
  const created = {
    ...hook,
    description: null,
    eventsOrderbyDir: null,
    ...request.body,
    dateAdded,
    dateModified: isChanged ? dateAdded : null,
    modifiedBy: isChanged ? request.userId : null,
    isPublished: may(request, 'webhook:webhooks', 'publishother'),
    createdBy: request.userId,
    id,
  }
  hooks.set(id, created)
  return { status: 201, body: { hook: created } }
}

/** A user deletes its own with `deleteown` only; those of others, and those without an owner, with `deleteother`. */
const deleteHook: Answer = (request, { hooks }, id) => {
  const hook = hooks.get(id)
  if (hook === undefined) return itemMissing
  const isOwn = request.userId !== null && hook.createdBy === request.userId
  if (!may(request, 'webhook:webhooks', isOwn ? 'deleteown' : 'deleteother')) return forbidden
  hooks.delete(id)
  return { status: 200, body: { hook: { ...hook, id: null } } }
}

const listHooks: Answer = (_request, { hooks }) => ({
  status: 200,
  body: { total: hooks.size, hooks: keyed([...hooks.values()]) },
})

const routes: readonly [method: string, pattern: RegExp, answer: Answer][] = [
  ['GET', /^\/api\/users\/self$/, ({ self }) => ({ status: 200, body: self })],
  ['GET', /^\/api\/users$/, withRight('user:users', 'view', listUsers)],
  ['GET', /^\/api\/users\/(\d+)$/, withRight('user:users', 'view', one('users', 'user'))],
  ['GET', /^\/api\/emails$/, listEmails],
  ['GET', /^\/api\/emails\/(\d+)$/, one('emails', 'email')],
  ['GET', /^\/api\/contacts$/, listContacts],
  ['GET', /^\/api\/contacts\/(\d+)$/, one('contacts', 'contact')],
  ['PATCH', /^\/api\/contacts\/(\d+)\/edit$/, withRight('lead:leads', 'editother', editContact)],
  [
    'POST',
    /^\/api\/contacts\/(\d+)\/dnc\/email\/add$/,
    withRight('lead:leads', 'editother', addDoNotContact),
  ],
  [
    'POST',
    /^\/api\/contacts\/(\d+)\/dnc\/email\/remove$/,
    withRight('lead:leads', 'editother', removeDoNotContact),
  ],
  ['GET', /^\/api\/stats\/email_stats$/, withStatsRight(listStats('stats'))],
  ['GET', /^\/api\/stats\/lead_donotcontact$/, withStatsRight(listStats('doNotContact'))],
  ['GET', /^\/api\/hooks$/, withRight('webhook:webhooks', 'viewother', listHooks)],
  ['POST', /^\/api\/hooks\/new$/, withRight('webhook:webhooks', 'create', addHook)],
  ['DELETE', /^\/api\/hooks\/(\d+)\/delete$/, deleteHook],
]
