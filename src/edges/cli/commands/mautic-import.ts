import {
  asCount,
  asFlag,
  asList,
  asObject,
  asText,
  MauticError,
} from '../../../core/mautic-client/index.ts'
import { AppError } from '../../../kit/app-error.ts'
import { nameKey } from '../../../kit/normalize-for-search.ts'
import type { ApiClient } from '../api/client.ts'
import { findRecord } from '../api/references.ts'
import type { CommandInput } from '../command.ts'
import { exitCodes } from '../errors.ts'
import type { CommandContext } from '../output.ts'
import { withApi } from '../session.ts'
import { formatTable } from '../table.ts'

/** What is done, or would be done, with one record of the plug-ins. */
type ImportLine = Readonly<{
  /** `differs`: there is another one here already, and it is not changed. */
  result: 'create' | 'created' | 'assign' | 'assigned' | 'exists' | 'differs' | 'failed'
  kind: 'transport' | 'template' | 'email' | 'user'
  /** Mautic's. */
  id: number
  name: string
  /** The id of the transport or template here; null if there is none yet. */
  here: number | null
  remark: string | null
}>

const columns = ['result', 'kind', 'id', 'name', 'here', 'remark']

/** `mailyard mautics import`: without `--apply` it only prints what it would do. */
export async function importFromMautic(
  { environment, output }: CommandContext,
  { args: [mautic = ''], flags: { apply: isWriting = false } }: CommandInput,
): Promise<number> {
  return withApi(environment, async (api, app) => {
    const mauticId = await findRecord('mautics', mautic, api)
    const client = await app.mautics.clients.get(mauticId)
    const theirs: AskApi = (path, query) => client.get(path, query)
    const brand = await brandOf(mauticId, { api, isWriting })
    const plugIns = new PlugInImport({ theirs, api, mauticId, brand, isWriting })
    await plugIns.run()
    const { lines, notes } = plugIns
    output.print({ isApplied: isWriting, lines, notes }, [
      ...(lines.length === 0 ? [] : formatTable(lines, output.screen, columns)),
      ...notes,
      summarize(lines, isWriting),
    ])
    return lines.some(({ result }) => result === 'failed') ? exitCodes.failed : exitCodes.ok
  })
}

/** Returns the brand of a Mautic; one without gets one of its name, so that no one else uses what it imports. */
async function brandOf(
  mauticId: number,
  { api, isWriting }: Pick<ImportOptions, 'api' | 'isWriting'>,
): Promise<number | undefined> {
  const path = `/api/mautics/${mauticId}`
  const { mautic } = await api.ask<{ mautic: Item & { brand?: number } }>('GET', path)
  if (mautic.brand !== undefined || !isWriting) return mautic.brand
  const values = { name: asText(mautic['name']) }
  const { brand } = await api.ask<{ brand: Item }>('POST', '/api/brands/new', values)
  await api.ask('PATCH', `${path}/edit`, { brand: brand.id })
  return brand.id
}

function summarize(lines: readonly ImportLine[], isApplied: boolean): string {
  const count = (...results: ImportLine['result'][]) =>
    lines.filter(({ result }) => results.includes(result)).length
  const written = count('create', 'created', 'assign', 'assigned')
  const others = `${count('exists')} here already, ${count('differs')} different here, ${count('failed')} failed`
  if (isApplied) return `${written} written, ${others}.`
  const advice = written === 0 ? '' : ' Nothing was written: run it with --apply.'
  return `${written} to write, ${others}.${advice}`
}

/** The records of the plug-ins. Their API is that of Mailyard. */
const kinds = {
  transport: {
    plugIn: 'Multiple Transport',
    path: '/api/multipleTransports',
    /** The member that is compared, what it is called, and what checks it. */
    content: 'mailerDsn',
    contentName: 'another DSN',
    check: '/api/multipleTransports/dsn/inspect',
  },
  template: {
    plugIn: 'Twig Templates',
    path: '/api/twigTemplates',
    content: 'template',
    contentName: 'other code',
    check: '/api/twigTemplates/lint',
  },
} as const

/** A record of a list. */
type Item = Readonly<Record<string, unknown>> & { id: number }

/** What an email or a user is assigned to. */
interface Assigned {
  /** Null where only the transport of the owner is asked for. */
  transportId: number | null
  /** False for a user. */
  useOwnerTransport: boolean
}

const assignees = { email: 'transportEmail', user: 'transportUser' } as const
type Assignee = keyof typeof assignees

/** Asks an API that has the paths of the plug-ins: that of a Mautic, or this one. */
type AskApi = (path: string, query?: Record<string, string | number>) => Promise<unknown>

const pageSize = 200
/** The connections that the client keeps to one Mautic. */
const concurrent = 4

interface ImportOptions {
  theirs: AskApi
  api: ApiClient
  mauticId: number
  /** Undefined: the Mautic will get one. */
  brand: number | undefined
  isWriting: boolean
}

/**
 * Imports what the plug-ins Multiple Transport and Twig Templates of a Mautic have: transports, which then belong to its
 * brand, their assignments and templates. Nothing that is here is changed, so a repeated import does nothing.
 */
class PlugInImport {
  readonly lines: ImportLine[] = []
  /** What could not be read, as sentences. */
  readonly notes: string[] = []
  readonly #theirs: AskApi
  readonly #api: ApiClient
  readonly #mauticId: number
  readonly #brand: number | undefined
  readonly #isWriting: boolean

  /** Without `isWriting`, it only says what it would do. */
  constructor({ theirs, api, mauticId, brand, isWriting }: ImportOptions) {
    this.#theirs = theirs
    this.#api = api
    this.#mauticId = mauticId
    this.#brand = brand
    this.#isWriting = isWriting
  }

  async run(): Promise<void> {
    const hasTransports = await this.#importRecords('transport')
    const transports = new Map(this.lines.map((line) => [line.id, line]))
    await this.#importRecords('template')
    for (const kind of hasTransports ? (['email', 'user'] as const) : [])
      await this.#importAssignments(kind, transports)
  }

  readonly #ours: AskApi = (path, query = {}) => {
    const parameters = new URLSearchParams({ mautic: String(this.#mauticId) })
    for (const [name, value] of Object.entries(query)) parameters.set(name, String(value))
    return this.#api.ask('GET', `${path}?${parameters}`)
  }

  /** Returns whether the plug-in is there. */
  async #importRecords(kind: keyof typeof kinds): Promise<boolean> {
    const { plugIn, path, content, contentName } = kinds[kind]
    const records = await whereAnswered(() => readList(this.#theirs, path))
    if (records === undefined)
      this.notes.push(`The plug-in ${plugIn} is not there: Mautic does not know ${path}.`)
    const all = await readList(this.#ours, path)
    const own = all.filter(({ brand = this.#brand }) => brand === this.#brand)
    const matches = matchByName(records ?? [], own, content)
    for (const record of records ?? []) {
      const { id } = record
      const match = matches.get(id)
      const line: ImportLine = {
        kind,
        id,
        name: asText(record['name']),
        here: match?.id ?? null,
        remark: null,
        ...(match === undefined
          ? await this.#create(kind, record)
          : asText(match[content]) === asText(record[content])
            ? { result: 'exists' }
            : { result: 'differs', remark: `has ${contentName} here; not changed` }),
      }
      this.lines.push(kind === 'template' ? withToken(line) : line)
    }
    return records !== undefined
  }

  async #create(kind: keyof typeof kinds, record: Item): Promise<Done> {
    const { path, content, check } = kinds[kind]
    const value = asText(record[content])
    try {
      if (!this.#isWriting) {
        const body = { [content]: value }
        const { valid } = await this.#api.ask<{ valid: boolean }>('POST', check, body)
        return valid ? { result: 'create' } : failed(`its ${content} is not valid`)
      }
      const { name, description, testedEmailFrom, isPublished } = record
      const body = {
        name: asText(name),
        description: asText(description) || null,
        [content]: value,
        ...(kind === 'transport' ? { testedEmailFrom: asText(testedEmailFrom) || null } : {}),
        // The contract does not show it for templates.
        isPublished: isPublished === undefined || asFlag(isPublished),
        brand: this.#brand,
      }
      type Created = Item & { twigTemplate?: Item }
      const answer = await this.#api.ask<Created>('POST', `${path}/new`, body)
      return { result: 'created', here: (answer.twigTemplate ?? answer).id }
    } catch (error) {
      return failed(refusalOf(error))
    }
  }

  /** Makes the assignments of the plug-in here, where there are none yet. `transports` has the lines of its transports by their ids. */
  async #importAssignments(
    kind: Assignee,
    transports: ReadonlyMap<number, ImportLine>,
  ): Promise<void> {
    const records = await readList(this.#theirs, `/api/${kind}s`)
    const assignments = await whereAnswered(() => readAssignments(this.#theirs, kind, records))
    if (assignments === undefined)
      this.notes.push(
        `The plug-in does not say which transports ${kind}s are assigned to: assign them here.`,
      )
    for (const { record, assigned } of assignments ?? []) {
      if (assigned === null) continue
      const { transportId, useOwnerTransport } = assigned
      const transport = transports.get(transportId ?? 0)
      const here = transport?.here ?? null
      const remark = [
        ...(transport === undefined ? [] : [`transport "${transport.name}"`]),
        ...(useOwnerTransport ? ['the transport of the owner first'] : []),
      ].join(', ')
      const done =
        transportId !== null && transport === undefined
          ? failed(`transport ${transportId} is not in the list of the plug-in`)
          : transport?.result === 'failed'
            ? failed(remark)
            : await this.#assign(kind, record.id, { transportId: here, useOwnerTransport })
      const name = asText(record['username'] ?? record['name'])
      this.lines.push({ kind, id: record.id, name, here, remark, ...done })
    }
  }

  async #assign(kind: Assignee, id: number, assigned: Assigned): Promise<Done> {
    const { transportId, useOwnerTransport } = assigned
    try {
      const now = await readAssigned(this.#ours, kind, id)
      if (now?.transportId === transportId && now.useOwnerTransport === useOwnerTransport)
        return { result: 'exists' }
      if (now !== null) {
        const other = now.transportId === null ? 'the owner' : `transport ${now.transportId}`
        return { result: 'differs', remark: `is assigned to ${other} here; not changed` }
      }
      if (!this.#isWriting) return { result: 'assign' }
      const body = kind === 'email' ? assigned : { transportId }
      const path = `${assignmentPath(kind, id)}?mautic=${this.#mauticId}`
      await this.#api.ask('POST', path, body)
      return { result: 'assigned' }
    } catch (error) {
      return failed(refusalOf(error))
    }
  }
}

/** The result for a record; what else it has replaces that of the line. */
type Done = Pick<ImportLine, 'result'> & { here?: number; remark?: string }

const failed = (remark: string): Done => ({ result: 'failed', remark })

/** Emails name a template by its id, which is another one here. */
function withToken(line: ImportLine): ImportLine {
  const { id, here, remark } = line
  if (here === null || here === id) return line
  const advice = `write {twigtemplate=${here}} instead of {twigtemplate=${id}}`
  return { ...line, remark: remark === null ? advice : `${remark}; ${advice}` }
}

/** Returns why something was refused. Throws an error that is no refusal. */
function refusalOf(error: unknown): string {
  if (error instanceof AppError) return error.message
  throw error
}

/**
 * Finds the record here for each of Mautic's: first one with the same name and content, then one with the same name. A
 * record here stands for one of Mautic's only, so that two of the same name stay two.
 */
export function matchByName(
  mauticRecords: readonly Item[],
  localRecords: readonly Item[],
  content: string,
): ReadonlyMap<number, Item> {
  const matches = new Map<number, Item>()
  const left = new Set(localRecords)
  const itemKey = ({ name }: Item) => nameKey(asText(name))
  for (const hasSameContent of [true, false])
    for (const each of mauticRecords.filter(({ id }) => !matches.has(id))) {
      const match = [...left].find(
        (our) =>
          itemKey(our) === itemKey(each) &&
          (asText(our[content]) === asText(each[content]) || !hasSameContent),
      )
      if (match === undefined) continue
      matches.set(each.id, match)
      left.delete(match)
    }
  return matches
}

/** Reads a list to its end, whatever page size the API allows. An answer that ignores `start` is complete. */
async function readList(ask: AskApi, path: string): Promise<Item[]> {
  const itemsById = new Map<number, Item>()
  for (let start = 0; ; ) {
    const query = { minimal: 1, orderBy: 'id', orderByDir: 'ASC', start, limit: pageSize }
    const body = await ask(path, query)
    const member = path.slice(path.lastIndexOf('/') + 1)
    const items = asList(Array.isArray(body) ? body : asObject(body)[member]).map(asObject)
    const before = itemsById.size
    for (const item of items) {
      const id = asCount(item['id'])
      if (id !== undefined) itemsById.set(id, { ...item, id })
    }
    if (itemsById.size === before) return [...itemsById.values()]
    start += items.length
  }
}

/** The path of the assignment of an email or a user. */
const assignmentPath = (kind: Assignee, id: number) =>
  `/api/multipleTransport/${assignees[kind]}/${id}`

/** Returns null for one that is assigned to nothing, or is not known. */
async function readAssigned(ask: AskApi, kind: Assignee, id: number): Promise<Assigned | null> {
  try {
    const body = asObject(await ask(assignmentPath(kind, id)))
    const answer = asObject(body[assignees[kind]] ?? body)
    const transportId =
      asCount(asObject(answer['transport'])['id']) ?? asCount(answer['transportId']) ?? null
    const useOwnerTransport = asFlag(answer['useOwnerTransport'])
    return transportId === null && !useOwnerTransport ? null : { transportId, useOwnerTransport }
  } catch (error) {
    const isMissing = error instanceof MauticError && error.code === 'not_found'
    if (isMissing && !isNotRouted(error)) return null
    throw error
  }
}

async function readAssignments(ask: AskApi, kind: Assignee, records: readonly Item[]) {
  const found: { record: Item; assigned: Assigned | null }[] = []
  for (let start = 0; start < records.length; start += concurrent) {
    const some = records.slice(start, start + concurrent).map(async (record) => {
      return { record, assigned: await readAssigned(ask, kind, record.id) }
    })
    found.push(...(await Promise.all(some)))
  }
  return found
}

/** Returns undefined where Mautic does not know the address, because it does not have the plug-in. */
async function whereAnswered<Result>(work: () => Promise<Result>): Promise<Result | undefined> {
  try {
    return await work()
  } catch (error) {
    if (isNotRouted(error)) return undefined
    if (error instanceof MauticError)
      throw new AppError('upstream', `mautic_${error.code}`, error.message, { cause: error })
    throw error
  }
}

/** Whether no route of Mautic has this address, or the method. */
function isNotRouted(error: unknown): boolean {
  return error instanceof MauticError && /Requested URL not found|answered 405/.test(error.detail)
}
