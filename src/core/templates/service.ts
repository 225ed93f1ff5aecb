import type { Transaction } from 'kysely'
import { type FaultDetails, faultsOf } from '../../kit/app-error.ts'
import type { BatchItemResult } from '../../kit/batch-item-result.ts'
import { noBrand } from '../../kit/caller.ts'
import type { Clock } from '../../kit/clock.ts'
import { nameKey } from '../../kit/normalize-for-search.ts'
import {
  brandAccess,
  type DeletedRecords,
  type Entry,
  faultsPerItem,
  type ItemToPrepare,
  type ItemToRemove,
  openResource,
  type Released,
  type Resource,
  type WrittenItems,
} from '../../platform/resource/index.ts'
import { openRecordStore, type Storage } from '../../platform/storage/index.ts'
import {
  checkNamesakes,
  findNamesakes,
  keepVersions,
  restoreVersions,
} from './deleted-templates.ts'
import { refuseFaults, templateNotFound } from './errors.ts'
import type { LintTemplate } from './lint-template.ts'
import { findMovedNames, readNamesBefore } from './moved-names.ts'
import { findNameRemarks } from './name-remarks.ts'
import { type TemplateInput, type TemplateItem, templateFields, templateRecord } from './schema.ts'
import type { TemplateRow, TemplateTables, TemplateVersionRow } from './table.ts'
import { type FindIncludingEmails, findTemplateUses } from './template-in-use.ts'

export type Templates = Resource<TemplateRow, TemplateItem, TemplateInput>

export interface TemplatesOptions {
  storage: Storage
  clock: Clock
  lint: LintTemplate
  deleted: DeletedRecords
  findIncludingEmails: FindIncludingEmails
}

/** Opens the Twig templates. They are linted when they are saved, and every save is a version. */
export function openTemplates(options: TemplatesOptions): Templates {
  const { storage, clock, lint } = options
  const store = openRecordStore<TemplateRow>(storage, {
    table: 'twig_templates',
    nameColumn: 'name',
    fields: templateFields,
    largeColumns: ['template'],
  })
  const resource = openResource<TemplateRow, TemplateItem, TemplateInput>({
    clock,
    store,
    area: 'twigtemplates',
    notFound: templateNotFound,
    access: brandAccess({ label: 'Template', storage }),
    findFaults: (values, { id, faultsMax }) => findCodeFaults({ values, id, faultsMax }, lint),
    toInput: templateRecord.toValues,
    prepare: (change) => prepareTemplate(change, options),
    present: (rows) => presentTemplates(rows, storage),
    hooks: {
      afterWrite: (tx, written) => insertVersions(tx, versionsOf(written, clock)),
      beforeRemove: release,
      async afterCommit(change, outcomes) {
        if (change === 'saved') await addWarnings(outcomes, lint)
      },
    },
    parts: {
      findUses: (rows, caller) => findTemplateUses(rows, caller, options.findIncludingEmails),
      trash: {
        records: options.deleted,
        beforeRestore: checkNamesakes,
        afterRestore: restoreVersions,
      },
    },
  })
  return {
    ...resource,
    async edit(changes, context) {
      const before = await readNamesBefore(storage, changes)
      const outcomes = await resource.edit(changes, context)
      addRemarks(outcomes, await findMovedNames(before, context.caller, options))
      return outcomes
    },
  }
}

async function release(
  tx: Transaction<object>,
  { current, isKept }: ItemToRemove<TemplateRow>,
): Promise<Released | undefined> {
  if (!isKept) return undefined
  await keepVersions(tx, current.id)
  return { related: { namesakes: await findNamesakes(tx, current) } }
}

interface UnsavedCode {
  values: Readonly<Record<string, unknown>>
  id: number | undefined
  faultsMax: number
}

/** Finds the faults of a template's code, whatever else is wrong with the request. */
async function findCodeFaults(
  { values: { template: source, name }, id, faultsMax }: UnsavedCode,
  lint: LintTemplate,
): Promise<FaultDetails> {
  if (typeof source !== 'string') return {}
  const identity = {
    ...(typeof name === 'string' ? { name } : {}),
    ...(id === undefined ? {} : { id }),
  }
  return faultsOf(async () => refuseFaults(await lint({ source, faultsMax, ...identity })))
}

/** Adds to each saved template what its author should know. */
async function addWarnings(
  outcomes: readonly BatchItemResult<Entry<TemplateItem>>[],
  lint: LintTemplate,
): Promise<void> {
  const faultsMax = faultsPerItem(outcomes.length)
  for (const outcome of outcomes) {
    if (!outcome.ok) continue
    const { id, name, template: source, brand, isPublished } = outcome.value.item
    const { warnings } = await lint({ source, name, id, brand, isPublished, faultsMax })
    if (warnings.length > 0) outcome.value.item.warnings = warnings
  }
}

/** Adds first what an edit changed in emails. */
function addRemarks(
  outcomes: readonly BatchItemResult<Entry<TemplateItem>>[],
  remarks: ReadonlyMap<number, string>,
): void {
  for (const outcome of outcomes) {
    const message = outcome.ok ? remarks.get(outcome.value.item.id) : undefined
    if (!outcome.ok || message === undefined) continue
    const { item } = outcome.value
    item.warnings = [{ message, line: 1, column: 1 }, ...(item.warnings ?? [])]
  }
}

async function prepareTemplate(
  item: ItemToPrepare<TemplateRow, TemplateInput>,
  { lint }: Pick<TemplatesOptions, 'lint'>,
) {
  const { input, current, pending, faultsMax } = item
  const identity = current === undefined ? {} : { id: current.id }
  const { template: source, name, isPublished = true } = input
  const report = await lint({
    source,
    name,
    pending,
    brand: input.brand ?? noBrand,
    isPublished,
    faultsMax,
    ...identity,
  })
  refuseFaults(report)
  const names = new Set(report.references.flatMap((reference) => reference.names))
  const columns = {
    ...templateRecord.toColumns(input),
    name_key: nameKey(name),
    refers_to: JSON.stringify([...names]),
  }
  return { columns, isCurrent: report.isCurrent }
}

async function insertVersions(
  tx: Transaction<object>,
  versions: readonly TemplateVersionRow[],
): Promise<void> {
  const db = tx.withTables<TemplateTables>()
  await db.insertInto('twig_template_versions').values(versions).execute()
}

function versionsOf(
  { rows, inputs, caller }: WrittenItems<TemplateRow, TemplateInput>,
  clock: Clock,
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

async function presentTemplates(
  rows: readonly TemplateRow[],
  storage: Storage,
): Promise<TemplateItem[]> {
  const remarks = await findNameRemarks(storage, rows)
  return rows.map((row) => presentTemplate(row, remarks.get(row.id)))
}

function presentTemplate(row: TemplateRow, remark: string | undefined): TemplateItem {
  return {
    ...templateRecord.present(row, {}),
    ...(remark === undefined ? {} : { warnings: [{ message: remark, line: 1, column: 1 }] }),
  }
}
