import { AppError } from '../../kit/app-error.ts'
import { asFlag, asText } from '../../mautic/index.ts'
import type { ApiClient } from '../api/client.ts'
import { findRecord } from '../api/references.ts'
import type { CommandInput } from '../command.ts'
import { exitCodes } from '../errors.ts'
import { matchByName, type Named } from '../mautic-import/match.ts'
import {
  type AskApi,
  type Assigned,
  type Assignee,
  assignmentPath,
  type Item,
  readAssigned,
  readAssignments,
  readList,
  whereAnswered,
} from '../mautic-import/read-plug-ins.ts'
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
    const plugIns = new PlugInImport({
      theirs: (path, query) => client.get(path, query),
      api,
      mauticId,
      isWriting,
    })
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
    path: '/api/multipleTransports',
    /** The member that is compared, and checked by what. */
    content: 'mailerDsn',
    check: '/api/multipleTransports/dsn/inspect',
    missing:
      'The plug-in Multiple Transport is not there: Mautic does not know /api/multipleTransports.',
    differs: 'has another DSN here; not changed',
  },
  template: {
    path: '/api/twigTemplates',
    content: 'template',
    check: '/api/twigTemplates/lint',
    missing: 'The plug-in Twig Templates is not there: Mautic does not know /api/twigTemplates.',
    differs: 'has other code here; not changed',
  },
} as const

interface ImportOptions {
  /** Asks the API of the Mautic. */
  theirs: AskApi
  api: ApiClient
  mauticId: number
  /** Whether it writes; else it only says what it would do. */
  isWriting: boolean
}

/**
 * Imports what the plug-ins Multiple Transport and Twig Templates of a Mautic have: transports, which then belong to this
 * Mautic, their assignments and templates. Nothing that is here is changed, so a repeated import does nothing.
 */
class PlugInImport {
  readonly lines: ImportLine[] = []
  /** What could not be read, as sentences. */
  readonly notes: string[] = []
  readonly #options: ImportOptions

  constructor(options: ImportOptions) {
    this.#options = options
  }

  async run(): Promise<void> {
    await this.#importRecords('transport')
    const transports = new Map(this.lines.map((line) => [line.id, line]))
    const hasTransports = !this.notes.includes(kinds.transport.missing)
    await this.#importRecords('template')
    for (const kind of hasTransports ? (['email', 'user'] as const) : [])
      await this.#importAssignments(kind, transports)
  }

  readonly #ours: AskApi = (path, query = {}) => {
    const { api, mauticId } = this.#options
    const parameters = new URLSearchParams({ mautic: String(mauticId) })
    for (const [name, value] of Object.entries(query)) parameters.set(name, String(value))
    return api.ask('GET', `${path}?${parameters}`)
  }

  async #importRecords(kind: keyof typeof kinds): Promise<void> {
    const { path, content, missing, differs } = kinds[kind]
    const { theirs, mauticId } = this.#options
    const records = await whereAnswered(() => readList(theirs, path))
    if (records === undefined) {
      this.notes.push(missing)
      return
    }
    const toNamed = (item: Item): Named => {
      return { id: item.id, name: asText(item['name']), content: asText(item[content]) }
    }
    const all = await readList(this.#ours, path)
    const own = all.filter(({ mautic = mauticId }) => mautic === mauticId)
    const matches = matchByName(records.map(toNamed), own.map(toNamed))
    for (const record of records) {
      const { id, name } = toNamed(record)
      const match = matches.get(id)
      const written =
        match === undefined
          ? await this.#create(kind, record)
          : match.isSame
            ? ({ result: 'exists', here: match.id, remark: null } as const)
            : ({ result: 'differs', here: match.id, remark: differs } as const)
      const line: ImportLine = { ...written, kind, id, name }
      this.lines.push(kind === 'template' ? withToken(line) : line)
    }
  }

  async #create(
    kind: keyof typeof kinds,
    record: Item,
  ): Promise<Pick<ImportLine, 'result' | 'here' | 'remark'>> {
    const { path, content, check } = kinds[kind]
    const { api, mauticId: mautic, isWriting } = this.#options
    const value = asText(record[content])
    try {
      if (!isWriting) {
        const { valid } = await api.ask<{ valid: boolean }>('POST', check, { [content]: value })
        if (valid) return { result: 'create', here: null, remark: null }
        return { result: 'failed', here: null, remark: `its ${content} is not valid` }
      }
      const { name, description, testedEmailFrom, isPublished } = record
      const answer = await api.ask<Item & { twigTemplate?: Item }>('POST', `${path}/new`, {
        name: asText(name),
        description: asText(description) || null,
        [content]: value,
        ...(kind === 'transport' ? { testedEmailFrom: asText(testedEmailFrom) || null } : {}),
        // The contract does not show it for templates.
        isPublished: isPublished === undefined || asFlag(isPublished),
        mautic,
      })
      return { result: 'created', here: (answer.twigTemplate ?? answer).id, remark: null }
    } catch (error) {
      return { result: 'failed', here: null, remark: refusalOf(error) }
    }
  }

  /** Makes the assignments of the plug-in here, where there are none yet. `transports` has the lines of its transports by their ids. */
  async #importAssignments(
    kind: Assignee,
    transports: ReadonlyMap<number, ImportLine>,
  ): Promise<void> {
    const assignments = await readAssignments(this.#options.theirs, kind)
    if (assignments === undefined)
      this.notes.push(
        `The plug-in does not say which transports ${kind}s are assigned to: assign them here.`,
      )
    for (const { id, name, transportId, useOwnerTransport } of assignments ?? []) {
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
            : await this.#assign(kind, id, { transportId: here, useOwnerTransport })
      this.lines.push({ kind, id, name, here, remark, ...done })
    }
  }

  async #assign(kind: Assignee, id: number, assigned: Assigned): Promise<Done> {
    const { api, mauticId, isWriting } = this.#options
    const { transportId, useOwnerTransport } = assigned
    try {
      const now = await readAssigned(this.#ours, kind, id)
      if (now?.transportId === transportId && now.useOwnerTransport === useOwnerTransport)
        return { result: 'exists' }
      if (now !== null) {
        const other = now.transportId === null ? 'the owner' : `transport ${now.transportId}`
        return { result: 'differs', remark: `is assigned to ${other} here; not changed` }
      }
      if (!isWriting) return { result: 'assign' }
      const body = kind === 'email' ? assigned : { transportId }
      await api.ask('POST', `${assignmentPath(kind, id)}?mautic=${mauticId}`, body)
      return { result: 'assigned' }
    } catch (error) {
      return failed(refusalOf(error))
    }
  }
}

/** The result of an assignment; the remark replaces that of the line. */
type Done = Pick<ImportLine, 'result'> & { remark?: string }

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
