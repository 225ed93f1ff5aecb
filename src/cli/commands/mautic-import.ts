import type { TSchema } from 'typebox'
import type { App } from '../../app.ts'
import { AppError } from '../../kit/app-error.ts'
import { unwrap } from '../../kit/batch-item-result.ts'
import type { Caller } from '../../kit/caller.ts'
import type { MauticClient } from '../../mautic/index.ts'
import type { Resource } from '../../resource/index.ts'
import { type RecordRow, wholeList } from '../../storage/index.ts'
import { type TemplateInput, type TemplateItem, templateInput } from '../../templates/index.ts'
import { type TransportInput, type TransportItem, transportInput } from '../../transports/index.ts'
import { exitCodes } from '../errors.ts'
import { checkInput } from '../input.ts'
import { matchByName, type Named } from '../mautic-import/match.ts'
import {
  type PlugInAssignment,
  readAssignments,
  readTemplates,
  readTransports,
} from '../mautic-import/read-plug-ins.ts'
import type { CommandContext } from '../output.ts'
import { Progress } from '../progress.ts'
import { operator, withApp } from '../session.ts'
import { formatTable } from '../table.ts'
import { findMautic } from './mautic.ts'

/** What is done, or would be done, with one record of the plug-ins. */
interface ImportLine {
  /** `differs`: there is another one here already, and it is not changed. */
  result: 'create' | 'created' | 'assign' | 'assigned' | 'exists' | 'differs' | 'failed'
  kind: 'transport' | 'template' | 'email' | 'user'
  /** Mautic's. */
  id: number
  name: string
  /** The id of the transport or template here; null if there is none yet. */
  here: number | null
  remark: string | null
}

/** `mailyard mautic import`: without `--apply` it only prints what it would do. */
export async function importFromMautic(
  { environment, output }: CommandContext,
  { apply = false }: { apply?: boolean },
  mautic = '',
): Promise<number> {
  return withApp(environment, async (app) => {
    const { id, name } = await findMautic(app, mautic)
    const client = await app.mautics.clients.get(id)
    const caller = { ...operator, mautic: { id, name } }
    const progress = new Progress(environment.stderr, apply ? 'Importing' : 'Comparing')
    const plugIns = new PlugInImport({ app, client, caller, progress, isWriting: apply })
    const { lines, notes } = await plugIns.run().finally(() => progress.end())
    const table = formatTable(lines, {
      Result: 'result',
      Kind: 'kind',
      ID: 'id',
      Name: 'name',
      'ID here': 'here',
      Remark: 'remark',
    })
    output.print({ isApplied: apply, lines, notes }, [
      ...(lines.length === 0 ? [] : table),
      ...notes,
      summarize(lines, apply),
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

const missing = {
  transports:
    'The plug-in Multiple Transport is not there: Mautic does not know /api/multipleTransports.',
  templates: 'The plug-in Twig Templates is not there: Mautic does not know /api/twigTemplates.',
  email: 'The plug-in does not say which transports emails are assigned to: assign them here.',
  user: 'The plug-in does not say which transports users are assigned to: assign them here.',
}

interface ImportOptions {
  app: Pick<App, 'transports' | 'templates' | 'assignments'>
  client: Pick<MauticClient, 'get'>
  /** A caller of the Mautic: ids are that Mautic's. */
  caller: Caller
  progress: Progress
  /** Whether it writes; else it only says what it would do. */
  isWriting: boolean
}

/** A kind of records that are imported. */
interface ImportedKind<Input, Item> {
  kind: 'transport' | 'template'
  resource: Pick<Resource<RecordRow, Item, Input>, 'list' | 'create' | 'planCreate'>
  schema: TSchema
  contentOf: (record: Input | Item) => string
  /** What is said of one that is here with another content. */
  differs: string
}

/**
 * Imports what the plug-ins Multiple Transport and Twig Templates of a Mautic have: transports, which then belong to this
 * Mautic, their assignments and templates. Nothing that is here is changed, so a repeated import does nothing.
 */
class PlugInImport {
  readonly #options: ImportOptions
  readonly #lines: ImportLine[] = []
  /** What could not be read, as sentences. */
  readonly #notes: string[] = []

  constructor(options: ImportOptions) {
    this.#options = options
  }

  async run(): Promise<{ lines: readonly ImportLine[]; notes: readonly string[] }> {
    const { app, client } = this.#options
    const transports = await readTransports(client)
    if (transports === undefined) this.#notes.push(missing.transports)
    else
      await this.#importRecords<TransportInput, TransportItem>(transports, {
        kind: 'transport',
        resource: app.transports,
        schema: transportInput,
        contentOf: ({ mailerDsn }) => mailerDsn,
        differs: 'has another DSN here; not changed',
      })
    const transportLines = new Map(this.#lines.map((line) => [line.id, line]))
    const templates = await readTemplates(client)
    if (templates === undefined) this.#notes.push(missing.templates)
    else
      await this.#importRecords<TemplateInput, TemplateItem>(templates, {
        kind: 'template',
        resource: app.templates,
        schema: templateInput,
        contentOf: ({ template }) => template,
        differs: 'has other code here; not changed',
      })
    if (transports !== undefined)
      for (const kind of ['email', 'user'] as const) {
        const assignments = await readAssignments(client, kind)
        if (assignments === undefined) this.#notes.push(missing[kind])
        for (const assignment of assignments ?? [])
          this.#add(await this.#importAssignment(assignment, transportLines))
      }
    return { lines: this.#lines, notes: this.#notes }
  }

  #add(line: ImportLine): void {
    this.#lines.push(line)
    this.#options.progress.show(this.#lines.length)
  }

  async #importRecords<Input extends { name: string }, Item extends { id: number; name: string }>(
    mauticRecords: readonly (Input & { id: number })[],
    imported: ImportedKind<Input, Item>,
  ): Promise<void> {
    const { kind, resource, contentOf, differs } = imported
    const toNamed = (record: (Input & { id: number }) | Item): Named => {
      return { id: record.id, name: record.name, content: contentOf(record) }
    }
    const localRecords: Named[] = []
    for await (const page of resource.list(wholeList, this.#options.caller).pages())
      localRecords.push(...page.map(toNamed))
    const matches = matchByName(mauticRecords.map(toNamed), localRecords)
    for (const { id, ...values } of mauticRecords) {
      const line = { kind, id, name: values.name, remark: null }
      const match = matches.get(id)
      const written: ImportLine =
        match === undefined
          ? { ...line, ...(await this.#create(values as unknown as Input, imported)) }
          : match.isSame
            ? { ...line, result: 'exists', here: match.id }
            : { ...line, result: 'differs', here: match.id, remark: differs }
      this.#add(kind === 'template' ? withToken(written) : written)
    }
  }

  async #create<Input, Item extends { id: number }>(
    values: Input,
    { resource, schema }: ImportedKind<Input, Item>,
  ): Promise<Pick<ImportLine, 'result' | 'here'> & { remark?: string }> {
    const { caller, isWriting } = this.#options
    try {
      checkInput(schema, values)
      if (!isWriting) {
        unwrap((await resource.planCreate([values], caller))[0])
        return { result: 'create', here: null }
      }
      const { item } = unwrap((await resource.create([values], { caller, isAtomic: true }))[0])
      return { result: 'created', here: item.id }
    } catch (error) {
      return { result: 'failed', here: null, remark: refusalOf(error) }
    }
  }

  /** Makes an assignment of a plug-in here, where there is none yet. `transports` has the lines of its transports by its ids. */
  async #importAssignment(
    assignment: PlugInAssignment,
    transports: ReadonlyMap<number, ImportLine>,
  ): Promise<ImportLine> {
    const { kind, id, name, transportId, useOwnerTransport = false } = assignment
    const transport = transportId === null ? undefined : transports.get(transportId)
    const here = transport?.here ?? null
    if (transportId !== null && transport === undefined) {
      const remark = `transport ${transportId} is not in the list of the plug-in`
      return { kind, id, name, here, remark, result: 'failed' }
    }
    const remark = [
      ...(transport === undefined ? [] : [`transport "${transport.name}"`]),
      ...(useOwnerTransport ? ['the transport of the owner first'] : []),
    ].join(', ')
    const line = { kind, id, name, here, remark }
    if (transport?.result === 'failed') return { ...line, result: 'failed' }
    const { app, caller, isWriting } = this.#options
    try {
      const now = await this.#readAssigned(assignment)
      if (now.transportId !== null || now.useOwnerTransport) {
        if (now.transportId === here && now.useOwnerTransport === useOwnerTransport)
          return { ...line, result: 'exists' }
        const other = now.transportId === null ? 'the owner' : `transport ${now.transportId}`
        return { ...line, result: 'differs', remark: `is assigned to ${other} here; not changed` }
      }
      if (!isWriting) return { ...line, result: 'assign' }
      if (kind === 'user') await app.assignments.assignToUser(id, here, caller)
      else await app.assignments.assignToEmail(id, { transportId: here, useOwnerTransport }, caller)
      return { ...line, result: 'assigned' }
    } catch (error) {
      return { ...line, result: 'failed', remark: refusalOf(error) }
    }
  }

  /** Returns what an email or a user is assigned to here. */
  async #readAssigned({ kind, id }: PlugInAssignment) {
    const { app, caller } = this.#options
    if (kind === 'email') {
      const { transportEmail } = await app.assignments.getForEmail(id, caller)
      const { transport, useOwnerTransport } = transportEmail
      return { transportId: transport?.id ?? null, useOwnerTransport }
    }
    const { transportUser } = await app.assignments.getForUser(id, caller)
    return { transportId: transportUser.transport?.id ?? null, useOwnerTransport: false }
  }
}

/** Emails name a template by its id, which is another one here. */
function withToken(line: ImportLine): ImportLine {
  const { id, here, remark } = line
  if (here === null || here === id) return line
  const advice = `write {twigtemplate=${here}} instead of {twigtemplate=${id}}`
  return { ...line, remark: remark === null ? advice : `${remark}; ${advice}` }
}

/** Returns why something was refused. Throws an error that is no refusal. */
function refusalOf(error: unknown): string {
  if (!(error instanceof AppError) || error.kind === 'internal') throw error
  return error.message
}
