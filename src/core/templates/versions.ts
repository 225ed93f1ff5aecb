import { diffArrays } from 'diff'
import type { Kysely } from 'kysely'
import { unwrap } from '../../kit/batch-item-result.ts'
import type { Caller } from '../../kit/caller.ts'
import { formatDate } from '../../kit/iso-date.ts'
import { createPacer } from '../../kit/pause.ts'
import type { Entry, SeenRevisions } from '../../platform/resource/index.ts'
import type { Storage } from '../../platform/storage/index.ts'
import { versionNotFound } from './errors.ts'
import type { TemplateItem } from './schema.ts'
import type { Templates } from './service.ts'
import type { TemplateTables, TemplateVersionRow } from './table.ts'

/** Longer codes are not compared for the list: each of its versions is read and compared. */
const comparedLengthMax = 100_000
const comparedVersionsMax = 100
/** The time of a comparison grows with its square. */
const editsMax = 500

/** A version that a caller asks for. */
interface WantedVersion {
  templateId: number
  version: number
  caller: Caller
}

/** The versions of templates. Every save is one. What is not there throws an AppError (`not_found`). */
export class Versions {
  readonly #db: Kysely<TemplateTables>
  readonly #templates: Templates

  constructor(storage: Storage, templates: Templates) {
    this.#db = storage.tables()
    this.#templates = templates
  }

  /** Lists versions, the newest first. */
  async list(templateId: number, caller: Caller) {
    await this.#templates.getRow(templateId, caller)
    const ofTemplate = this.#db
      .selectFrom('twig_template_versions')
      .where('template_id', '=', templateId)
      .orderBy('version', 'desc')
    const columns = ['version', 'name', 'description', 'saved_at', 'saved_by', 'note'] as const
    const rows = await ofTemplate.select(columns).execute()
    const short = await ofTemplate
      .select(['version', 'template'])
      .where(({ fn }) => fn<number>('length', ['template']), '<=', comparedLengthMax)
      .limit(comparedVersionsMax)
      .execute()
    const codes = new Map(short.map(({ version, template }) => [version, template]))
    const pace = createPacer()
    const versions = []
    for (const [index, row] of rows.entries()) {
      const before = codes.get(rows[index + 1]?.version ?? 0)
      const after = codes.get(row.version)
      const changedLines =
        before === undefined || after === undefined ? null : countChangedLines(before, after)
      versions.push({ ...presentVersion(row), changedLines })
      await pace()
    }
    return versions
  }

  async get(key: WantedVersion) {
    const row = await this.#getRow(key)
    return { ...presentVersion(row), template: row.template }
  }

  /**
   * Saves the template as it was in a version; that is a new version itself.
   *
   * @throws AppError also `conflict`, where the template has none of the revisions that the caller has seen.
   */
  async restore({
    templateId,
    version,
    caller,
    seen,
    note,
  }: WantedVersion & { seen: SeenRevisions; note: string | undefined }): Promise<
    Entry<TemplateItem>
  > {
    const { name, description, template } = await this.#getRow({ templateId, version, caller })
    const changeNote = note ?? `Restored version ${version}`
    const values = { name, description, template, changeNote }
    const change = { id: templateId, seen, mode: 'patch' as const, values }
    const [outcome] = await this.#templates.edit([change], { caller, isAtomic: true })
    return unwrap(outcome)
  }

  async #getRow({ templateId, version, caller }: WantedVersion): Promise<TemplateVersionRow> {
    await this.#templates.getRow(templateId, caller)
    const query = this.#db.selectFrom('twig_template_versions').selectAll()
    const ofTemplate = query.where('template_id', '=', templateId).where('version', '=', version)
    const row = await ofTemplate.executeTakeFirst()
    if (row === undefined) throw versionNotFound(version)
    return row
  }
}

/** Null where they are too different to compare. */
function countChangedLines(before: string, after: string) {
  const options = { maxEditLength: editsMax }
  const parts = diffArrays(before.split('\n'), after.split('\n'), options)
  if (parts === undefined) return null
  const changed = { added: 0, removed: 0 }
  for (const { added, removed, count } of parts) {
    if (added) changed.added += count
    if (removed) changed.removed += count
  }
  return changed
}

function presentVersion(row: Omit<TemplateVersionRow, 'template' | 'template_id'>) {
  return {
    version: row.version,
    name: row.name,
    description: row.description,
    dateAdded: formatDate(row.saved_at),
    createdBy: row.saved_by,
    note: row.note,
  }
}
