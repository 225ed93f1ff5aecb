import type { Kysely } from 'kysely'
import type { EmailTables } from '../../emails/index.ts'
import { nameKey } from '../../kit/normalize-for-search.ts'
import { createPacer } from '../../kit/pause.ts'
import type { Storage } from '../../storage/index.ts'
import {
  keysOf,
  type TemplateRow,
  type TemplateSources,
  type TemplateTables,
} from '../../templates/index.ts'
import { emailReferences } from '../rendering/email-renderer.ts'
import { emailsWithTemplates } from './find-dependents.ts'
import { templateRanges } from './template-ranges.ts'

/** A published email that includes a template, directly or through other templates. */
export interface IncludingEmail {
  id: number
  name: string
}

/** Finds the published emails that include templates, by the ids of the templates, in one pass over the emails. */
export type FindIncludingEmails = (
  templates: readonly Pick<TemplateRow, 'id' | 'mautic_id' | 'is_published'>[],
) => Promise<ReadonlyMap<number, readonly IncludingEmail[]>>

/** A template, and the keys that it refers to. */
interface Node {
  id: number
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
  const pace = createPacer()
  const meant = new Map<string, Node>()
  const published = db
    .selectFrom('twig_templates')
    .select(['id', 'name', 'refers_to'])
    .where('is_published', '=', true)
    .where('mautic_id', 'is', null)
    .orderBy('id')
  for await (const isInRange of templateRanges(db))
    for (const { id, name, refers_to: names } of await published.where(isInRange).execute()) {
      const node = { id, refersTo: (JSON.parse(names) as string[]).map(nameKey) }
      // A name means the oldest published one, as `findMeant` has it: the first of them that is read.
      for (const key of keysOf({ id, name })) if (!meant.has(key)) meant.set(key, node)
      await pace()
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
