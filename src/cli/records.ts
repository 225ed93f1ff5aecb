import type { App } from '../app.ts'
import { clientShape, roleShape, userShape } from '../auth/index.ts'
import { contactShape } from '../contacts/index.ts'
import { dkimKeyShape } from '../dkim/index.ts'
import { emailShape } from '../emails/index.ts'
import { AppError } from '../kit/app-error.ts'
import { nameKey } from '../kit/normalize-for-search.ts'
import { limitShape } from '../limits/index.ts'
import { asciiDomain, maskDsn } from '../mailer/index.ts'
import { mauticShape } from '../mautic/index.ts'
import type { ListShape, ResourceService } from '../resource/index.ts'
import { type Filter, wholeList } from '../storage/index.ts'
import { suppressionShape } from '../suppressions/index.ts'
import { templateShape } from '../templates/index.ts'
import { transportShape } from '../transports/index.ts'
import { commandName } from './command-name.ts'
import { operator } from './session.ts'
import type { Columns } from './table.ts'

type Records<Item> = Pick<ResourceService<Item, never>, 'list' | 'get'>

/** A kind of records: how commands find one, and what they show of it. Its commands have its name: `transport list`. */
export interface RecordKind<Item extends { id: number }> {
  /** As its command: `transport`. */
  name: string
  /** As in a sentence. */
  one: string
  many: string
  open: (app: App) => Records<Item>
  shape: Pick<ListShape, 'fields' | 'parameters'>
  /** How many are listed, the newest first. Default: all, in the order of their ids. */
  limit?: number
  /** What finds one, besides its id. */
  namesOf: (item: Item) => readonly string[]
  /** Reads what a person types for one, where it can be written in several ways. */
  readText?: (text: string) => string
  /** Adds what a list does not have, or masks it. */
  complete?: (app: App, items: readonly Item[]) => Promise<Item[]>
  columns: Columns<Item>
  /** More lines of one record. */
  details: Columns<Item>
  /** The texts of one record, which may have many lines. */
  textsOf?: (item: Item) => (string | null)[]
  /** How to get the first one. `api` is the function of the README. */
  howToAdd: string
}

/** Lets the types of columns follow from what is opened. */
const define = <Item extends { id: number }>(kind: RecordKind<Item>) => kind

const createWith = (path: string, values: string) =>
  `Create one in the console, or with: api ${path}/new -d '${values}'`

export const recordKinds = {
  transport: define({
    name: 'transport',
    one: 'transport',
    many: 'transports',
    open: (app) => app.transports,
    shape: transportShape,
    namesOf: ({ name }) => [name],
    // Terminals keep their output.
    complete: async (_, items) =>
      items.map((item) => ({ ...item, mailerDsn: maskDsn(item.mailerDsn) })),
    columns: {
      ID: 'id',
      Name: 'name',
      Published: 'isPublished',
      DSN: 'mailerDsn',
      Description: 'description',
    },
    details: { 'Test sender': 'testedEmailFrom', Mautic: 'mautic', Added: 'dateAdded' },
    howToAdd: createWith('multipleTransports', '{"name": "Inbox", "mailerDsn": "inbox://local"}'),
  }),
  limit: define({
    name: 'limit',
    one: 'limit',
    many: 'limits',
    open: (app) => app.limits,
    shape: limitShape,
    namesOf: ({ name }) => [name],
    async complete(app, items) {
      const usages = await app.limits.usage.find(
        items.map(({ id }) => id),
        operator,
      )
      return items.map((item, index) => {
        const usage = usages[index] as (typeof item)['usage']
        return usage === undefined ? item : { ...item, usage }
      })
    },
    columns: {
      ID: 'id',
      Name: 'name',
      Published: 'isPublished',
      Transports: 'transports',
      Used: ({ usage }) =>
        usage?.windows.map(({ window, used, max }) => `${used} of ${max} per ${window}`),
      'When reached': 'overflow',
    },
    details: {
      Connections: ({ usage }) => {
        const connections = usage?.connections ?? null
        return connections === null ? null : `${connections.used} of ${connections.max}`
      },
      'Warm-up': ({ usage }) =>
        (usage?.warmUp ?? null) === null
          ? null
          : `day ${usage?.warmUp?.day}, ${usage?.warmUp?.allowance} recipients`,
      Description: 'description',
    },
    howToAdd: createWith('limits', '{"name": "SES account", "perSecond": 14, "transports": [1]}'),
  }),
  dkim: define({
    name: 'dkim',
    one: 'DKIM key',
    many: 'DKIM keys',
    open: (app) => app.dkim.records,
    shape: dkimKeyShape,
    namesOf: ({ domain }) => [domain],
    readText: (text) => asciiDomain(text.trim()) ?? text,
    columns: {
      ID: 'id',
      Domain: 'domain',
      Published: 'isPublished',
      Active: 'isActive',
      Algorithm: 'algorithm',
      Selector: 'selector',
      Problem: 'problem',
    },
    details: {
      'Record name': ({ record }) => record.name,
      'Record value': ({ record }) => record.value,
      Checked: 'dateChecked',
      Added: 'dateAdded',
    },
    howToAdd: createWith('dkimKeys', '{"domain": "example.com"}'),
  }),
  template: define({
    name: 'template',
    one: 'template',
    many: 'templates',
    open: (app) => app.templates,
    shape: templateShape,
    namesOf: ({ name }) => [name],
    columns: {
      ID: 'id',
      Name: 'name',
      Published: 'isPublished',
      Changed: ({ dateModified, dateAdded }) => dateModified ?? dateAdded,
      Description: 'description',
    },
    details: { Mautic: 'mautic' },
    textsOf: ({ template }) => [template],
    howToAdd: createWith('twigTemplates', '{"name": "footer", "template": "<p>Example Ltd</p>"}'),
  }),
  email: define({
    name: 'email',
    one: 'email',
    many: 'emails',
    open: (app) => app.emails,
    shape: emailShape,
    namesOf: ({ name }) => [name],
    columns: {
      ID: 'id',
      Name: 'name',
      Subject: 'subject',
      Sender: 'fromAddress',
      Published: 'isPublished',
      Changed: ({ dateModified, dateAdded }) => dateModified ?? dateAdded,
    },
    details: {
      'Sender name': 'fromName',
      'Replies to': 'replyToAddress',
      Headers: ({ headers }) => Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
      Twig: 'isTwig',
    },
    textsOf: ({ plainText, customHtml }) => [plainText ?? null, customHtml ?? null],
    howToAdd: createWith('emails', '{"name": "Reminder", "subject": "See you tomorrow"}'),
  }),
  contact: define({
    name: 'contact',
    one: 'contact',
    many: 'contacts',
    open: (app) => app.contacts,
    shape: contactShape,
    limit: 30,
    namesOf: ({ fields }) => [String(fields.all['email'] ?? '')],
    columns: {
      ID: 'id',
      Address: ({ fields }) => fields.all['email'],
      'First name': ({ fields }) => fields.all['firstname'],
      'Last name': ({ fields }) => fields.all['lastname'],
      Published: 'isPublished',
      Added: 'dateAdded',
    },
    details: {
      Company: ({ fields }) => fields.all['company'],
      Owner: ({ owner }) => owner?.username,
      Tags: ({ tags }) => tags.map(({ tag }) => tag),
      Points: 'points',
    },
    howToAdd: createWith('contacts', '{"email": "carla@example.net", "firstname": "Carla"}'),
  }),
  suppression: define({
    name: 'suppression',
    one: 'suppression',
    many: 'suppressions',
    open: (app) => app.suppressions,
    shape: suppressionShape,
    limit: 30,
    namesOf: ({ address }) => [address],
    columns: {
      ID: 'id',
      Address: 'address',
      Reason: 'reason',
      'Sender domain': 'senderDomain',
      Source: 'source',
      Added: 'dateAdded',
      Transport: 'transportId',
      Delivery: 'deliveryId',
    },
    details: { 'Added by': 'createdBy' },
    howToAdd: createWith('suppressions', '{"address": "carla@example.net"}'),
  }),
  mautic: define({
    name: 'mautic',
    one: 'Mautic',
    many: 'Mautics',
    open: (app) => app.mautics.records,
    shape: mauticShape,
    namesOf: ({ name, url }) => [name, url],
    // URLs are stored without a slash at their end.
    readText: (text) => text.trim().replace(/\/+$/, ''),
    async complete(app, items) {
      const states = await app.mautics.status.find(items.map(({ id }) => id))
      return items.map((item, index) => {
        const status = states[index]
        return status === undefined ? item : { ...item, status }
      })
    },
    columns: {
      ID: 'id',
      Name: 'name',
      URL: 'url',
      Published: 'isPublished',
      Emails: ({ status }) => status?.emails,
      Users: ({ status }) => status?.users,
      Read: ({ status }) => status?.dateRead,
      Problem: ({ status }) => status?.problem ?? status?.webhook?.problem,
    },
    details: {
      Transport: 'transportId',
      User: 'username',
      'Client ID': 'clientId',
      'SMTP log-in': 'smtpLogin',
      Hosts: 'hosts',
    },
    howToAdd: `Connect one with: ${commandName} mautic connect https://mautic.example.com`,
  }),
  user: define({
    name: 'user',
    one: 'user',
    many: 'users',
    open: (app) => app.auth.users,
    shape: userShape,
    namesOf: ({ username }) => [username],
    columns: {
      ID: 'id',
      Username: 'username',
      Email: 'email',
      'First name': 'firstName',
      'Last name': 'lastName',
      Role: ({ role }) => role?.name,
      Published: 'isPublished',
    },
    details: { Added: 'dateAdded', 'Added by': 'createdByUser', Changed: 'dateModified' },
    howToAdd: `Add one with: ${commandName} user add NAME --email ADDRESS --role ROLE`,
  }),
  role: define({
    name: 'role',
    one: 'role',
    many: 'roles',
    open: (app) => app.auth.roles,
    shape: roleShape,
    namesOf: ({ name }) => [name],
    columns: {
      ID: 'id',
      Name: 'name',
      Administrator: 'isAdmin',
      Published: 'isPublished',
      Description: 'description',
    },
    details: {
      Permissions: ({ rawPermissions }) =>
        Object.entries(rawPermissions).map(([area, levels]) => `${area} (${levels.join(', ')})`),
    },
    howToAdd: 'Create one in the console, or with POST /api/roles/new.',
  }),
  client: define({
    name: 'client',
    one: 'client',
    many: 'clients',
    open: (app) => app.auth.clients,
    shape: clientShape,
    namesOf: ({ name }) => [name],
    columns: {
      ID: 'id',
      Name: 'name',
      'Client ID': 'clientId',
      Grants: 'grantTypes',
      'Redirected to': 'redirectUris',
      Role: 'role',
      Published: 'isPublished',
    },
    details: { Added: 'dateAdded' },
    howToAdd: `Add one with: ${commandName} client add NAME`,
  }),
}

export type RecordKindName = keyof typeof recordKinds

/** Returns the kind whose commands have this name. */
export function recordKind(name: RecordKindName): RecordKind<{ id: number }> {
  return recordKinds[name] as unknown as RecordKind<{ id: number }>
}

/** Finds a record by its id or name; letter case and outer blanks are ignored. Throws an AppError (`not_found`, `conflict`). */
export async function findId<Item extends { id: number }>(
  app: App,
  kind: RecordKind<Item>,
  text: string,
): Promise<number> {
  return idOfOnly(kind, await findMatches(app, kind, text), text)
}

function idOfOnly<Item extends { id: number }>(
  kind: RecordKind<Item>,
  matches: readonly Item[],
  text: string,
): number {
  const [item] = matches
  if (item === undefined) {
    const message = `${capitalized(kind.one)} ${JSON.stringify(text)} was not found. \`${commandName} ${kind.name} list\` lists the ${kind.many}.`
    throw new AppError('not_found', `${kind.name}_not_found`, message)
  }
  if (matches.length > 1) throw ambiguous(kind, matches, text.trim())
  return item.id
}

/** Finds the records with this id or name. */
async function findMatches<Item extends { id: number }>(
  app: App,
  kind: RecordKind<Item>,
  text: string,
): Promise<Item[]> {
  const records = kind.open(app)
  const key = nameKey(kind.readText?.(text) ?? text)
  const filter: Filter = isId(key)
    ? {
        op: 'or',
        of: [
          { op: 'ids', ids: [Number(key)] },
          { op: 'name', text: key },
        ],
      }
    : { op: 'text', text: key }
  const matches: Item[] = []
  for await (const page of records.list({ ...wholeList, filter }, operator).pages())
    matches.push(
      ...page.filter((item) => [String(item.id), ...kind.namesOf(item).map(nameKey)].includes(key)),
    )
  return matches
}

function ambiguous<Item extends { id: number }>(
  kind: RecordKind<Item>,
  matches: readonly Item[],
  text: string,
): AppError {
  const meant = matches.find(({ id }) => String(id) === text)
  const ids = matches.flatMap(({ id }) => (id === meant?.id ? [] : [id])).join(', ')
  const name = JSON.stringify(text)
  const count = matches.length === 2 ? 'Two' : String(matches.length)
  const message =
    meant === undefined
      ? `${count} ${kind.many} are named ${name} (ids ${ids}). Use the id of one of them.`
      : `${text} is the id of the ${kind.one} ${JSON.stringify(kind.namesOf(meant)[0])}, and the name of another one (id ${ids}). Use the name of the first, or the id of the other.`
  return new AppError('conflict', `${kind.name}_name_ambiguous`, message)
}

/** As `findId`, for a filter: a number without a record is an id, because what a deleted record left behind still has it. */
export async function findFilterId<Item extends { id: number }>(
  app: App,
  kind: RecordKind<Item>,
  text: string | undefined,
): Promise<number | undefined> {
  if (text === undefined) return undefined
  const id = text.trim()
  const matches = await findMatches(app, kind, text)
  return matches.length === 0 && isId(id) ? Number(id) : idOfOnly(kind, matches, text)
}

const isId = (text: string) => /^[1-9]\d{0,14}$/.test(text)
const capitalized = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}`
