import type { Kysely } from 'kysely'
import { nameKey } from '../../kit/normalize-for-search.ts'
import { createPacer } from '../../kit/pause.ts'
import type { Storage } from '../../storage/index.ts'
import {
  type FindIncludingEmails,
  type IncludingEmail,
  idName,
  keysOf,
  type TemplateTables,
} from '../../templates/index.ts'
import type { EmailReferences } from './email-references.ts'
import { templateRanges } from './template-ranges.ts'

/** A template, and the keys that it refers to. */
interface Node {
  id: number
  refersTo: readonly string[]
}

/** Each search is one pass over what the emails refer to. */
export function createFindIncludingEmails(
  storage: Storage,
  emails: EmailReferences,
): FindIncludingEmails {
  const db = storage.tables<TemplateTables>()
  return async (keys) => {
    const emailsByKey = new Map<string, IncludingEmail[]>()
    if (keys.length === 0) return emailsByKey
    const requestedKeys = new Set(keys)
    const meant = await readMeant(db)
    for await (const { id, name, isPublished, keys: references } of emails.read()) {
      if (!isPublished) continue
      for (const key of reach(references, meant)) {
        if (!requestedKeys.has(key)) continue
        const including = emailsByKey.get(key) ?? []
        emailsByKey.set(key, including)
        including.push({ id, name })
      }
    }
    return emailsByKey
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

/** Returns the keys that references with these keys lead to, and those of the templates' ids. */
function reach(references: readonly string[], meant: ReadonlyMap<string, Node>): Set<string> {
  const reached = new Set<string>()
  const open = [...references]
  for (let key = open.pop(); key !== undefined; key = open.pop()) {
    if (reached.has(key)) continue
    reached.add(key)
    const node = meant.get(key)
    if (node !== undefined) open.push(idName(node.id), ...node.refersTo)
  }
  return reached
}
