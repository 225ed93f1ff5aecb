import type { Kysely } from 'kysely'
import { unwrap } from '../kit/batch-item-result.ts'
import type { Caller } from '../kit/caller.ts'
import { formatDate } from '../kit/iso-date.ts'
import type { Entry, SeenRevisions } from '../resource/index.ts'
import type { Storage } from '../storage/index.ts'
import { versionNotFound } from './errors.ts'
import type { TemplateItem } from './schema.ts'
import type { Templates } from './service.ts'
import type { TemplateTables, TemplateVersionRow } from './table.ts'

/** A version in a list, without its code. */
export interface VersionItem {
  version: number
  name: string
  description: string | null
  dateAdded: string
  createdBy: string
  note: string | null
}

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
  async list(templateId: number, caller: Caller): Promise<VersionItem[]> {
    await this.#templates.getRow(templateId, caller)
    const rows = await this.#db
      .selectFrom('twig_template_versions')
      .select(['version', 'name', 'description', 'saved_at', 'saved_by', 'note'])
      .where('template_id', '=', templateId)
      .orderBy('version', 'desc')
      .execute()
    return rows.map(presentVersion)
  }

  async get(key: WantedVersion): Promise<VersionItem & { template: string }> {
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

function presentVersion(row: Omit<TemplateVersionRow, 'template' | 'template_id'>): VersionItem {
  return {
    version: row.version,
    name: row.name,
    description: row.description,
    dateAdded: formatDate(row.saved_at),
    createdBy: row.saved_by,
    note: row.note,
  }
}
