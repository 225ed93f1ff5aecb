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
  /** The templates and the emails that refer to it. */
  referrers: Node[]
  emailIds: number[]
}

/** Finds what uses each of some templates: one pass over what templates and emails refer to, then back from each template. */
export async function findTemplateUsers(
  storage: Storage,
  emails: EmailReferences,
  ids: readonly number[],
): Promise<Map<number, TemplateUsers>> {
  const graph = await readGraph(storage.tables())
  await graph.link()
  for await (const { id, keys } of emails.read()) graph.addEmail(id, keys)
  const users = new Map<number, TemplateUsers>()
  for (const id of ids) users.set(id, await graph.findUsers(id))
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
      graph.add({ ...row, refersTo, referrers: [], emailIds: [] }, keysOf({ id: row.id, name }))
      await pace()
    }
  return graph
}

class TemplateGraph {
  readonly #byId = new Map<number, Node>()
  readonly #byKey = new Map<string, Node[]>()
  /** What keys mean to an owner: thousands of templates may have one name. */
  readonly #meant = new Map<string, Node | undefined>()
  readonly #pace = createPacer()

  add(node: Node, keys: readonly string[]): void {
    this.#byId.set(node.id, node)
    for (const key of keys) {
      const named = this.#byKey.get(key)
      if (named === undefined) this.#byKey.set(key, [node])
      else named.push(node)
    }
  }

  /** Finds what refers to each template, once all are added. */
  async link(): Promise<void> {
    for (const node of this.#byId.values()) {
      for (const key of node.refersTo) this.#meantBy(key, node.mautic_id)?.referrers.push(node)
      await this.#pace()
    }
  }

  /** The emails are Mailyard's own, and use no template of a Mautic. */
  addEmail(id: number, keys: readonly string[]): void {
    for (const key of keys) this.#meantBy(key, null)?.emailIds.push(id)
  }

  async findUsers(id: number): Promise<TemplateUsers> {
    const template = this.#byId.get(id)
    const reached = new Set(template === undefined ? [] : [template])
    const emailIds = new Set<number>()
    // The loop visits what it adds, each template once.
    for (const node of reached) {
      for (const referrer of node.referrers) reached.add(referrer)
      for (const emailId of node.emailIds) emailIds.add(emailId)
      await this.#pace()
    }
    return { templates: Math.max(0, reached.size - 1), emailIds: [...emailIds] }
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
