import type { Transaction } from 'kysely'
import { presentStamps } from '../http/index.ts'
import { faultsOf } from '../kit/app-error.ts'
import type { Caller } from '../kit/caller.ts'
import type { Clock } from '../kit/clock.ts'
import { fold } from '../kit/fold.ts'
import { nameKey } from '../kit/name-key.ts'
import type { Outcome } from '../kit/outcome.ts'
import type { Entry } from '../kit/resource.ts'
import { type ItemChange, openRecords, type Records, type Storage } from '../storage/index.ts'
import { ambiguousName, refuseFaults, templateNotFound } from './errors.ts'
import type { LintTemplate } from './lint-template.ts'
import { type Remark, type TemplateInput, type TemplateItem, templateFields } from './schema.ts'
import type { TemplateRow, TemplateTables, TemplateVersionRow } from './table.ts'

/** Enough to name in a sentence, however many templates share a name. */
const sameNameMax = 11

export type Templates = Records<TemplateRow, TemplateItem, TemplateInput>

/** What templates are opened with. */
export interface TemplatesOptions {
  storage: Storage
  clock: Clock
  lint: LintTemplate
}

/** The Twig templates: linted when they are saved, and every save is a version. */
export function openTemplates({ storage, clock, lint }: TemplatesOptions): Templates {
  const records = openRecords<TemplateRow, TemplateItem, TemplateInput>(storage, clock, {
    table: 'twig_templates',
    nameColumn: 'name',
    fields: templateFields,
    area: 'twigtemplates',
    largeColumns: ['template'],
    notFound: templateNotFound,
    present: (rows) => rows.map(presentTemplate),
    findFaults: async ({ template, name }, id) =>
      typeof template === 'string'
        ? faultsOf(async () =>
            refuseFaults(
              await lint({
                source: template,
                ...(typeof name === 'string' ? { name } : {}),
                ...(id === undefined ? {} : { id }),
              }),
            ),
          )
        : {},
    toInput,
    prepare: (change) => prepareTemplate(change, lint),
    begin: ({ tx, caller }) => ({
      afterWrite: (rows, inputs) => writeVersions(tx, versionsOf(rows, inputs, { clock, caller })),
    }),
  })
  const withWarnings = async (outcomes: Outcome<Entry<TemplateItem>>[]) => {
    for (const outcome of outcomes) {
      if (!outcome.ok) continue
      const { id, name, template } = outcome.value.item
      const { warnings } = await lint({ source: template, name, id })
      const all = [...(await warnOfSameName(storage, { id, name })), ...warnings]
      if (all.length > 0) outcome.value.item.warnings = all
    }
    return outcomes
  }
  return {
    ...records,
    create: async (inputs, context) => withWarnings(await records.create(inputs, context)),
    edit: async (changes, context) => withWarnings(await records.edit(changes, context)),
  }
}

/** Including the name of several templates is an error. */
async function warnOfSameName(
  storage: Storage,
  { id, name }: Pick<TemplateRow, 'id' | 'name'>,
): Promise<Remark[]> {
  const query = storage.tables<TemplateTables>().selectFrom('twig_templates').select('id')
  const others = query.where('name_key', '=', nameKey(name)).where('id', '<>', id)
  const rows = await others.orderBy('id').limit(sameNameMax).execute()
  if (rows.length === 0) return []
  const ids = [...rows.map((row) => row.id), id].sort((one, other) => one - other)
  return [{ message: ambiguousName(name, ids), line: 1, column: 1 }]
}

async function prepareTemplate(
  { input, current, pending }: ItemChange<TemplateRow, TemplateInput>,
  lint: LintTemplate,
) {
  const identity = current === undefined ? {} : { id: current.id }
  const { template: source, name } = input
  const report = await lint({ source, name, pending, ...identity })
  refuseFaults(report)
  const names = new Set(report.references.flatMap((reference) => reference.names))
  const columns = { ...toColumns(input), refers_to: JSON.stringify([...names]) }
  return { columns, isCurrent: report.isCurrent }
}

async function writeVersions(
  tx: Transaction<object>,
  versions: readonly TemplateVersionRow[],
): Promise<void> {
  const db = tx.withTables<TemplateTables>()
  await db.insertInto('twig_template_versions').values(versions).execute()
}

function versionsOf(
  rows: readonly TemplateRow[],
  inputs: readonly TemplateInput[],
  { clock, caller }: { clock: Clock; caller: Caller },
): TemplateVersionRow[] {
  return rows.map((row, index) => ({
    template_id: row.id,
    version: row.revision,
    name: row.name,
    description: row.description,
    template: row.template,
    saved_at: clock.now(),
    saved_by: caller.name,
    note: inputs[index]?.changeNote ?? null,
  }))
}

function presentTemplate(row: TemplateRow): TemplateItem {
  return {
    id: row.id,
    name: row.name,
    template: row.template,
    description: row.description,
    ...presentStamps(row),
  }
}

function toInput(row: TemplateRow): TemplateInput {
  return {
    name: row.name,
    template: row.template,
    description: row.description,
    isPublished: Boolean(row.is_published),
  }
}

function toColumns(input: TemplateInput) {
  return {
    name: input.name,
    name_key: nameKey(input.name),
    template: input.template,
    description: input.description ?? null,
    is_published: input.isPublished ?? true,
    search_text: fold(input.name, input.description),
  }
}
