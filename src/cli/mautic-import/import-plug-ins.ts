import type { TSchema } from 'typebox'
import { AppError } from '../../kit/app-error.ts'
import { unwrap } from '../../kit/batch-item-result.ts'
import type { Caller } from '../../kit/caller.ts'
import type { Resource } from '../../resource/index.ts'
import { type RecordRow, wholeList } from '../../storage/index.ts'
import { type TemplateInput, type TemplateItem, templateInput } from '../../templates/index.ts'
import { type TransportInput, type TransportItem, transportInput } from '../../transports/index.ts'
import { checkInput } from '../input.ts'
import { operator } from '../session.ts'
import { importAssignments } from './import-assignments.ts'
import type { ImportLine, ImportOptions, ImportReport } from './import-report.ts'
import { matchByName, type Named } from './match.ts'
import { readAssignments, readTemplates, readTransports } from './read-plug-ins.ts'

/**
 * Imports what the plug-ins Multiple Transport and Twig Templates of a Mautic have: transports, which then belong to this
 * Mautic, their assignments and templates. Nothing that is here is changed, so a repeated import does nothing.
 */
export async function importPlugIns(options: ImportOptions): Promise<ImportReport> {
  const caller: Caller = { ...operator, mautic: options.mautic }
  const transports = await importTransports(options, caller)
  const templates = await importTemplates(options, caller)
  const assignments = { lines: [] as ImportLine[], notes: [] as string[] }
  if (transports !== undefined) {
    const here = new Map(transports.map((line) => [line.id, line]))
    for (const kind of ['email', 'user'] as const) {
      const found = await readAssignments(options.read, kind)
      if (found === undefined) assignments.notes.push(noAssignments[kind])
      else assignments.lines.push(...(await importAssignments(options, { found, here, caller })))
    }
  }
  const lines = [...(transports ?? []), ...(templates ?? []), ...assignments.lines]
  const notes = [
    ...(transports === undefined ? [missing('Multiple Transport', '/api/multipleTransports')] : []),
    ...(templates === undefined ? [missing('Twig Templates', '/api/twigTemplates')] : []),
    ...assignments.notes,
  ]
  return { lines, notes }
}

const missing = (name: string, path: string) =>
  `The plug-in ${name} is not there: Mautic does not know ${path}.`
const noAssignments = {
  email: 'The plug-in does not say which transports emails are assigned to: assign them here.',
  user: 'The plug-in does not say which transports users are assigned to: assign them here.',
}

async function importTransports({ app, read, isWriting }: ImportOptions, caller: Caller) {
  const theirs = await readTransports(read)
  if (theirs === undefined) return undefined
  return importRecords<TransportInput, TransportItem>(theirs, {
    ...{ kind: 'transport', isWriting, caller, resource: app.transports, schema: transportInput },
    contentOf: ({ mailerDsn }) => mailerDsn,
    differs: 'has another DSN here; not changed',
  })
}

async function importTemplates({ app, read, isWriting }: ImportOptions, caller: Caller) {
  const theirs = await readTemplates(read)
  if (theirs === undefined) return undefined
  const lines = await importRecords<TemplateInput, TemplateItem>(theirs, {
    ...{ kind: 'template', isWriting, caller, resource: app.templates, schema: templateInput },
    contentOf: ({ template }) => template,
    differs: 'has other code here; not changed',
  })
  return lines.map(withToken)
}

/** Emails name a template by its id, which is another one here. */
function withToken(line: ImportLine): ImportLine {
  const { id, here, remark } = line
  if (here === null || here === id) return line
  const advice = `write {twigtemplate=${here}} instead of {twigtemplate=${id}}`
  return { ...line, remark: remark === null ? advice : `${remark}; ${advice}` }
}

interface RecordKind<Input, Item> {
  kind: 'transport' | 'template'
  isWriting: boolean
  caller: Caller
  resource: Pick<Resource<RecordRow, Item, Input>, 'list' | 'create' | 'planCreate'>
  schema: TSchema
  contentOf: (each: Input | Item) => string
  /** What is said of one that is here with another content. */
  differs: string
}

async function importRecords<
  Input extends { name: string },
  Item extends { id: number; name: string },
>(
  theirs: readonly (Input & { id: number })[],
  options: RecordKind<Input, Item>,
): Promise<ImportLine[]> {
  const { kind, caller, resource, contentOf, differs } = options
  const toNamed = (each: (Input & { id: number }) | Item) => ({
    ...{ id: each.id, name: each.name, content: contentOf(each) },
  })
  const ours: Named[] = []
  for await (const page of resource.list(wholeList, caller).pages()) ours.push(...page.map(toNamed))
  const matches = matchByName(theirs.map(toNamed), ours)
  const lines: ImportLine[] = []
  for (const { id, ...values } of theirs) {
    const line = { kind, id, name: values.name, remark: null }
    const match = matches.get(id)
    if (match?.isSame) lines.push({ ...line, result: 'exists', here: match.id })
    else if (match) lines.push({ ...line, result: 'differs', here: match.id, remark: differs })
    else lines.push({ ...line, ...(await createRecord(values as unknown as Input, options)) })
  }
  return lines
}

async function createRecord<Input, Item extends { id: number }>(
  values: Input,
  { resource, schema, caller, isWriting }: RecordKind<Input, Item>,
): Promise<Pick<ImportLine, 'result' | 'here'> & { remark?: string }> {
  try {
    checkInput(schema, values)
    if (!isWriting) {
      unwrap((await resource.planCreate([values], caller))[0])
      return { result: 'create', here: null }
    }
    const context = { caller, isAtomic: true }
    const { item } = unwrap((await resource.create([values], context))[0])
    return { result: 'created', here: item.id }
  } catch (error) {
    if (!(error instanceof AppError) || error.kind === 'internal') throw error
    return { result: 'failed', here: null, remark: error.message }
  }
}
