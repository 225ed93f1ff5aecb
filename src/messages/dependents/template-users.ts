import type { Kysely } from 'kysely'
import { nameKey } from '../../kit/normalize-for-search.ts'
import { createPacer } from '../../kit/pause.ts'
import { mayUse } from '../../resource/index.ts'
import type { Storage } from '../../storage/index.ts'
import { findMeant, keysOf, type TemplateRow, type TemplateTables } from '../../templates/index.ts'
import type { EmailReferences } from './email-references.ts'
import { templateRanges } from './template-ranges.ts'

/** What uses a template, directly or through other templates. */
export interface TemplateUsers {
  /** The number of other templates. */
  templates: number
  emailIds: number[]
}

interface Node extends Pick<TemplateRow, 'id' | 'mautic_id' | 'is_published'> {
  refersTo: readonly string[]
}

/** Finds what uses each of some templates, in one pass over what templates and emails refer to. */
export async function findTemplateUsers(
  storage: Storage,
  emails: EmailReferences,
  ids: readonly number[],
): Promise<Map<number, TemplateUsers>> {
  const users = new Map<number, TemplateUsers>(
    ids.map((id) => [id, { templates: 0, emailIds: [] }]),
  )
  const graph = await readGraph(storage.tables())
  const pace = createPacer()
  for (const node of graph.nodes) {
    for (const id of graph.reach(node.refersTo, node.mautic_id)) {
      const used = id === node.id ? undefined : users.get(id)
      if (used !== undefined) used.templates += 1
    }
    await pace()
  }
  // The emails are Mailyard's own, and use no template of a Mautic.
  for await (const { id: emailId, keys } of emails.read())
    for (const id of graph.reach(keys, null)) users.get(id)?.emailIds.push(emailId)
  return users
}

async function readGraph(db: Kysely<TemplateTables>): Promise<TemplateGraph> {
  const pace = createPacer()
  const graph = new TemplateGraph()
  const columns = ['id', 'name', 'mautic_id', 'is_published', 'refers_to'] as const
  const query = db.selectFrom('twig_templates').select(columns).orderBy('id')
  for await (const isInRange of templateRanges(db))
    for (const { name, refers_to: names, ...row } of await query.where(isInRange).execute()) {
      const refersTo = (JSON.parse(names) as string[]).map(nameKey)
      graph.add({ ...row, refersTo }, keysOf({ id: row.id, name }))
      await pace()
    }
  return graph
}

class TemplateGraph {
  readonly nodes: Node[] = []
  readonly #byKey = new Map<string, Node[]>()
  /** What keys mean to an owner: thousands of templates may have one name. */
  readonly #meant = new Map<string, Node | undefined>()

  add(node: Node, keys: readonly string[]): void {
    this.nodes.push(node)
    for (const key of keys) {
      const named = this.#byKey.get(key)
      if (named === undefined) this.#byKey.set(key, [node])
      else named.push(node)
    }
  }

  /** Returns the ids of the templates that references with these keys lead to. */
  reach(keys: readonly string[], owner: number | null): Set<number> {
    const reached = new Set<number>()
    const open = keys.map((key) => this.#meantBy(key, owner))
    for (const node of open) {
      if (node === undefined || reached.has(node.id)) continue
      reached.add(node.id)
      open.push(...node.refersTo.map((key) => this.#meantBy(key, node.mautic_id)))
    }
    return reached
  }

  /** The template that a key means; where none is published, the oldest of the name. */
  #meantBy(key: string, owner: number | null): Node | undefined {
    const scopedKey = `${owner ?? 0} ${key}`
    if (!this.#meant.has(scopedKey)) {
      const usable = this.#byKey.get(key)?.filter((each) => mayUse(each, owner ?? undefined)) ?? []
      this.#meant.set(scopedKey, findMeant(usable, owner ?? undefined) ?? usable[0])
    }
    return this.#meant.get(scopedKey)
  }
}
