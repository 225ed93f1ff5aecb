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

/** The versions of templates. Every save is one. */
export interface Versions {
  /** Lists versions, the newest first. Throws an AppError (`not_found`). */
  list(templateId: number, caller: Caller): Promise<VersionItem[]>
  get(wanted: WantedVersion): Promise<VersionItem & { template: string }>
  /**
   * Saves the template as it was in a version; that is a new version itself.
   *
   * @throws AppError `not_found`, or `conflict` where the template has none of the revisions that the caller has seen.
   */
  restore(
    request: WantedVersion & { seen: SeenRevisions; note: string | undefined },
  ): Promise<Entry<TemplateItem>>
}

export function openVersions(storage: Storage, templates: Templates): Versions {
  const db = storage.tables<TemplateTables>()
  const getRow = async ({ templateId, version, caller }: WantedVersion) => {
    await templates.getRow(templateId, caller)
    const query = db.selectFrom('twig_template_versions').selectAll()
    const ofTemplate = query.where('template_id', '=', templateId).where('version', '=', version)
    const row = await ofTemplate.executeTakeFirst()
    if (row === undefined) throw versionNotFound(version)
    return row
  }
  return {
    async list(templateId, caller) {
      await templates.getRow(templateId, caller)
      const rows = await db
        .selectFrom('twig_template_versions')
        .select(['version', 'name', 'description', 'saved_at', 'saved_by', 'note'])
        .where('template_id', '=', templateId)
        .orderBy('version', 'desc')
        .execute()
      return rows.map(presentVersion)
    },
    async get(wanted) {
      const row = await getRow(wanted)
      return { ...presentVersion(row), template: row.template }
    },
    async restore({ templateId, version, caller, seen, note }) {
      const wanted = { templateId, version, caller }
      const { name, description, template } = await getRow(wanted)
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
