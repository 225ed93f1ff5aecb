import type { Kysely } from 'kysely'
import type { EmailTables } from '../../emails/index.ts'
import { nameKey } from '../../kit/normalize-for-search.ts'
import type { Storage } from '../../storage/index.ts'
import {
  findMeant,
  keysOf,
  type TemplateRow,
  type TemplateSources,
  type TemplateTables,
} from '../../templates/index.ts'
import { emailReferences } from '../rendering/email-renderer.ts'
import { emailsWithTemplates } from './find-dependents.ts'

/** A published email that includes a template, directly or through other templates. */
export interface IncludingEmail {
  id: number
  name: string
}

/** Finds the published emails that include templates, by the ids of the templates, in one pass over the emails. */
export type FindIncludingEmails = (
  templates: readonly Pick<TemplateRow, 'id' | 'mautic_id' | 'is_published'>[],
) => Promise<ReadonlyMap<number, readonly IncludingEmail[]>>

interface Node extends Pick<TemplateRow, 'id' | 'name' | 'mautic_id' | 'is_published'> {
  refersTo: readonly string[]
}

export function createFindIncludingEmails(
  storage: Storage,
  sources: TemplateSources,
): FindIncludingEmails {
  const db = storage.tables<TemplateTables & EmailTables>()
  return async (templates) => {
    const found = new Map<number, IncludingEmail[]>()
    // The emails are Mailyard's own, and use no template of a Mautic.
    const usable = templates.filter((each) => each.is_published && each.mautic_id === null)
    if (usable.length === 0) return found
    const wanted = new Set(usable.map(({ id }) => id))
    const meant = await readMeant(db)
    for await (const row of emailsWithTemplates(db)) {
      if (!row.is_published) continue
      const keys = emailReferences(row, sources).flatMap(({ names }) => names.map(nameKey))
      for (const id of reach(keys, meant)) {
        if (!wanted.has(id)) continue
        const emails = found.get(id) ?? []
        found.set(id, emails)
        emails.push({ id: row.id, name: row.name })
      }
    }
    return found
  }
}

/** Reads which template each name means in an email of Mailyard itself. */
async function readMeant(db: Kysely<TemplateTables>): Promise<Map<string, Node>> {
  const query = db.selectFrom('twig_templates').where('is_published', '=', true)
  const rows = await query
    .where('mautic_id', 'is', null)
    .select(['id', 'name', 'mautic_id', 'is_published', 'refers_to'])
    .execute()
  const nodes = rows.flatMap(({ refers_to: names, ...row }) => {
    const node = { ...row, refersTo: (JSON.parse(names) as string[]).map(nameKey) }
    return keysOf(row).map((key) => ({ key, node }))
  })
  const meant = new Map<string, Node>()
  for (const [key, named] of Map.groupBy(nodes, (each) => each.key)) {
    const node = findMeant(
      named.map((each) => each.node),
      undefined,
    )
    if (node !== undefined) meant.set(key, node)
  }
  return meant
}

/** Returns the templates that these names lead to. */
function reach(keys: readonly string[], meant: ReadonlyMap<string, Node>): Set<number> {
  const reached = new Set<number>()
  const open = [...keys]
  for (let key = open.pop(); key !== undefined; key = open.pop()) {
    const node = meant.get(key)
    if (node === undefined || reached.has(node.id)) continue
    reached.add(node.id)
    open.push(...node.refersTo)
  }
  return reached
}
