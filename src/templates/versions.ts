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

/** The versions of templates. Every save is one. */
export interface Versions {
  /** Lists versions, the newest first. Throws an AppError (`not_found`). */
  list(templateId: number): Promise<VersionItem[]>
  get(templateId: number, version: number): Promise<VersionItem & { template: string }>
  /**
   * Saves the template as it was in a version; that is a new version itself.
   *
   * @throws AppError `not_found`, or `conflict` where the template has none of the revisions that the caller has seen.
   */
  restore(request: {
    templateId: number
    version: number
    seen: SeenRevisions
    note: string | undefined
    caller: Caller
  }): Promise<Entry<TemplateItem>>
}

export function openVersions(storage: Storage, templates: Templates): Versions {
  const db = storage.tables<TemplateTables>()
  const getRow = async (templateId: number, version: number) => {
    await templates.getRow(templateId)
    const query = db.selectFrom('twig_template_versions').selectAll()
    const ofTemplate = query.where('template_id', '=', templateId).where('version', '=', version)
    const row = await ofTemplate.executeTakeFirst()
    if (row === undefined) throw versionNotFound(version)
    return row
  }
  return {
    async list(templateId) {
      await templates.getRow(templateId)
      const rows = await db
        .selectFrom('twig_template_versions')
        .select(['version', 'name', 'description', 'saved_at', 'saved_by', 'note'])
        .where('template_id', '=', templateId)
        .orderBy('version', 'desc')
        .execute()
      return rows.map(presentVersion)
    },
    async get(templateId, version) {
      const row = await getRow(templateId, version)
      return { ...presentVersion(row), template: row.template }
    },
    async restore({ templateId, version, seen, note, caller }) {
      const { name, description, template } = await getRow(templateId, version)
      const changeNote = note ?? `Restored version ${version}`
      const values = { name, description, template, changeNote }
      const change = { id: templateId, seen, mode: 'patch' as const, values }
      const [outcome] = await templates.edit([change], { caller, isAtomic: true })
      return unwrap(outcome)
    },
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
