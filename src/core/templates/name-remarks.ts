import { batches } from '../../kit/batches.ts'
import { mayUse, type OfBrand } from '../../kit/caller.ts'
import type { Storage } from '../../platform/storage/index.ts'
import type { TemplateRow, TemplateTables } from './table.ts'
import { findMeant, type NamedTemplate, readIdName, remarkOnName } from './template-names.ts'

/** Names in one statement. */
const namesPerBatch = 1_000

/**
 * Finds the remarks on templates whose name others have too, by id. Templates of other brands do not count. A deleted
 * template has no remark: no name means it.
 */
export async function findNameRemarks(
  storage: Storage,
  rows: readonly TemplateRow[],
): Promise<Map<number, string>> {
  const db = storage.tables<TemplateTables>()
  const remarks = new Map<number, string>()
  for (const part of batches(rows, namesPerBatch)) {
    const keys = [...new Set(part.map(({ name_key: key }) => key))]
    const query = db
      .selectFrom('twig_templates')
      .select(['id', 'name', 'name_key', 'is_published', 'brand_id'])
    const named = await query.where('name_key', 'in', keys).orderBy('id').execute()
    const stored = new Set(named.map(({ id }) => id))
    const byKey = Map.groupBy(named, ({ name_key: key }) => key)
    const groups = new Map<string, NamesakeGroup>()
    for (const row of part.filter(({ id }) => stored.has(id))) {
      const { brand_id: brand } = row
      const group = `${brand} ${row.name_key}`
      const entry = groups.get(group) ?? createGroup(byKey.get(row.name_key) ?? [], brand)
      groups.set(group, entry)
      const remark = remarkOnName(row, entry.namesakes, entry.meant)
      if (remark !== undefined) remarks.set(row.id, remark)
    }
  }
  return remarks
}

/** The templates of one name that one brand may use, and the one that the name means. */
interface NamesakeGroup {
  namesakes: readonly NamedTemplate[]
  meant: NamedTemplate | undefined
}

function createGroup(named: readonly NamedTemplate[], brand: number): NamesakeGroup {
  const namesakes = named.filter((each) => mayUse(each, brand))
  return { namesakes, meant: findMeant(namesakes, brand) }
}

/** A name that several published templates of one owner have. */
export interface SharedName extends OfBrand {
  name: string
  /** In their order of age: the name means the first. */
  ids: number[]
}

/** Lists the names that several published templates have, up to `countMax`, the oldest first. */
export async function listSharedNames(storage: Storage, countMax: number): Promise<SharedName[]> {
  const db = storage.tables<TemplateTables>()
  const published = db.selectFrom('twig_templates').where('is_published', '=', true)
  const shared = await published
    .select(({ fn }) => ['name_key', 'brand_id', fn.min('id').as('oldest')])
    .groupBy(['name_key', 'brand_id'])
    .having(({ fn }) => fn.countAll(), '>', 1)
    .orderBy('oldest')
    .limit(countMax)
    .execute()
  if (shared.length === 0) return []
  const keys = shared.map(({ name_key: key }) => key)
  const rows = await published
    .select(['id', 'name', 'name_key', 'brand_id'])
    .where('name_key', 'in', keys)
    .orderBy('id')
    .execute()
  return shared.flatMap(({ name_key: key, brand_id: owner }) => {
    if (readIdName(key) !== undefined) return []
    const named = rows.filter((row) => row.name_key === key && row.brand_id === owner)
    const [oldest] = named
    return oldest === undefined
      ? []
      : [{ name: oldest.name, brand_id: owner, ids: named.map(({ id }) => id) }]
  })
}
