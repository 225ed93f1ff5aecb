import type { Transaction } from 'kysely'
import { presentStamps } from '../http/index.ts'
import { faultsOf } from '../kit/app-error.ts'
import type { BatchItemResult } from '../kit/batch-item-result.ts'
import type { Caller } from '../kit/caller.ts'
import type { Clock } from '../kit/clock.ts'
import { nameKey, normalizeForSearch } from '../kit/normalize-for-search.ts'
import {
  type Entry,
  type ItemToPrepare,
  mauticScopeOf,
  openResource,
  type Resource,
  readMauticOwner,
  type WrittenItems,
} from '../resource/index.ts'
import { openRecordStore, type Storage } from '../storage/index.ts'
import { ambiguousName, refuseFaults, sharedTemplate, templateNotFound } from './errors.ts'
import type { LintTemplate } from './lint-template.ts'
import { type Remark, type TemplateInput, type TemplateItem, templateFields } from './schema.ts'
import type { TemplateRow, TemplateTables, TemplateVersionRow } from './table.ts'
import { isUsableBy } from './template-sources.ts'

/** As many as an error message lists. */
const sameNameMax = 11

export type Templates = Resource<TemplateRow, TemplateItem, TemplateInput>

/** Options of `openTemplates`. */
export interface TemplatesOptions {
  storage: Storage
  clock: Clock
  lint: LintTemplate
  /** Whether a Mautic with this id is connected. */
  hasMautic: (id: number) => Promise<boolean>
}

/** Opens the Twig templates. They are linted when they are saved, and every save is a version. */
export function openTemplates(options: TemplatesOptions): Templates {
  const { storage, clock, lint } = options
  const store = openRecordStore<TemplateRow>(storage, {
    table: 'twig_templates',
    nameColumn: 'name',
    fields: templateFields,
  })
  const resource = openResource<TemplateRow, TemplateItem, TemplateInput>({
    storage,
    clock,
    store,
    area: 'twigtemplates',
    largeColumns: ['template'],
    notFound: templateNotFound,
    scopeOf: mauticScopeOf,
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
    prepare: (change) => prepareTemplate(change, options),
    afterWrite: (tx, written) => insertVersions(tx, versionsOf(written, clock)),
    beforeRemove: (_tx, { current, caller }) => checkChangeable(current, caller),
    present: (rows) => rows.map(presentTemplate),
  })
  const withWarnings = async (outcomes: BatchItemResult<Entry<TemplateItem>>[]) => {
    for (const outcome of outcomes) {
      if (!outcome.ok) continue
      const { id, name, template, mautic: mauticId } = outcome.value.item
      const { warnings } = await lint({ source: template, name, id, mauticId })
      const all = [...(await warnOfSameName(storage, { id, name, mauticId })), ...warnings]
      if (all.length > 0) outcome.value.item.warnings = all
    }
    return outcomes
  }
  return {
    ...resource,
    create: async (inputs, context) => withWarnings(await resource.create(inputs, context)),
    edit: async (changes, context) => withWarnings(await resource.edit(changes, context)),
  }
}

/** Refuses that callers of a Mautic change a template of all. Those of other Mautics do not exist for them. */
function checkChangeable(current: TemplateRow, { mautic }: Caller): undefined {
  if (mautic !== undefined && current.mautic_id !== mautic.id) throw sharedTemplate(current.id)
  return undefined
}

/** Warns of other templates with this name that it can use: an include of the name would fail. */
async function warnOfSameName(
  storage: Storage,
  { id, name, mauticId }: { id: number; name: string; mauticId: number | undefined },
): Promise<Remark[]> {
  const query = storage.tables<TemplateTables>().selectFrom('twig_templates').select('id')
  const others = query
    .where('name_key', '=', nameKey(name))
    .where('id', '<>', id)
    .where(isUsableBy(mauticId))
  const rows = await others.orderBy('id').limit(sameNameMax).execute()
  if (rows.length === 0) return []
  const ids = [...rows.map((row) => row.id), id].sort((one, other) => one - other)
  return [{ message: ambiguousName(name, ids), line: 1, column: 1 }]
}

async function prepareTemplate(
  item: ItemToPrepare<TemplateRow, TemplateInput>,
  { lint, hasMautic }: TemplatesOptions,
) {
  const { input, current, pending } = item
  if (current !== undefined) checkChangeable(current, item.caller)
  const mautic = await readMauticOwner(item, { label: 'template', hasMautic })
  const identity = current === undefined ? {} : { id: current.id }
  const { template: source, name } = input
  const mauticId = mautic ?? undefined
  const report = await lint({ source, name, pending, mauticId, ...identity })
  refuseFaults(report)
  const names = new Set(report.references.flatMap((reference) => reference.names))
  const columns = { ...toColumns({ ...input, mautic }), refers_to: JSON.stringify([...names]) }
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

function presentTemplate(row: TemplateRow): TemplateItem {
  return {
    id: row.id,
    name: row.name,
    template: row.template,
    description: row.description,
    ...(row.mautic_id === null ? {} : { mautic: row.mautic_id }),
    ...presentStamps(row),
  }
}

function toInput(row: TemplateRow): TemplateInput {
  return {
    name: row.name,
    template: row.template,
    description: row.description,
    mautic: row.mautic_id,
    isPublished: Boolean(row.is_published),
  }
}

function toColumns(input: TemplateInput) {
  return {
    name: input.name,
    name_key: nameKey(input.name),
    template: input.template,
    description: input.description ?? null,
    mautic_id: input.mautic ?? null,
    is_published: input.isPublished ?? true,
    search_text: normalizeForSearch(input.name, input.description),
  }
}
