import type { Kysely } from 'kysely'
import { type Caller, mayUse, sees } from '../../../kit/caller.ts'
import { nameKey } from '../../../kit/normalize-for-search.ts'
import { createPacer, pause } from '../../../kit/pause.ts'
import type { Storage } from '../../../platform/storage/index.ts'
import {
  type FindIncludingEmails,
  findMeant,
  keysOf,
  readIdName,
  type TemplateRow,
  type TemplateTables,
} from '../../templates/index.ts'
import type { EmailReferences, ReferringEmail } from './email-references.ts'

/** A template or an email that uses a template, directly or through other templates. */
export interface Dependent {
  kind: 'template' | 'email'
  id: number
  name: string
  isDirect: boolean
}

type UsedTemplate = Pick<TemplateRow, 'id' | 'name' | 'brand_id' | 'is_published'>

/** What refers to a template, or to a key (see `nameKey`), without other templates in between. */
interface Users {
  templates: Node[]
  emails: ReferringEmail[]
}

interface Node extends UsedTemplate, Users {
  refersTo: readonly string[]
}

interface GraphOptions {
  /** A template as a change will leave it. */
  changed?: UsedTemplate | undefined
  /** Whether it has only the templates that emails are rendered with. */
  isPublishedOnly?: boolean
}

/** The templates of one query: some milliseconds. */
const templatesPerQuery = 1_000

/** Which templates and emails use which templates. Each is one pass over what they refer to. */
export class TemplateGraph {
  readonly #byId = new Map<number, Node>()
  readonly #byKey = new Map<string, Node[]>()
  readonly #usersOfKey = new Map<string, Users>()
  /** What keys mean to a brand: thousands of templates may have one name. */
  readonly #meant = new Map<string, Node | undefined>()
  readonly #pace = createPacer()

  static async read(
    storage: Storage,
    references: EmailReferences,
    options: GraphOptions = {},
  ): Promise<TemplateGraph> {
    const graph = new TemplateGraph()
    await graph.#addTemplates(storage.tables(), options)
    for (const node of graph.#byId.values()) {
      for (const key of node.refersTo)
        for (const { templates } of graph.#usersFor(key, node.brand_id)) templates.push(node)
      await graph.#pace()
    }
    for await (const email of references.read())
      for (const key of email.keys)
        for (const { emails } of graph.#usersFor(key, email.brand)) emails.push(email)
    return graph
  }

  /** Finds the templates and emails that use a template and that a caller may see. */
  async findDependents(id: number, caller: Caller): Promise<Dependent[]> {
    const own = this.#byId.get(id) ?? { templates: [], emails: [] }
    const { templates, emails } = await this.#follow([own])
    const direct = new Set<object>([...own.templates, ...own.emails])
    const describe = (kind: Dependent['kind'], users: Iterable<{ id: number; name: string }>) =>
      Array.from(users, (each) => {
        return { kind, id: each.id, name: each.name, isDirect: direct.has(each) }
      })
    const others = [...templates].filter((each) => each.id !== id && sees(caller, each.brand_id))
    const seen = [...emails].filter(({ brand }) => sees(caller, brand))
    return [...describe('template', others), ...describe('email', seen)]
  }

  /** Finds the emails that refer to a key, directly or through templates. */
  async findEmails(key: string): Promise<ReferringEmail[]> {
    const ofKey = this.#usersOfKey.get(key)
    const node = this.#byId.get(readIdName(key) ?? 0)
    const { emails } = await this.#follow([ofKey, node].flatMap((users) => users ?? []))
    return [...emails]
  }

  /** Returns what users lead to: they themselves, and all that use them. */
  async #follow(all: readonly Users[]) {
    const templates = new Set(all.flatMap((users) => users.templates))
    const emails = new Set(all.flatMap((users) => users.emails))
    // The loop visits what it adds, each template once.
    for (const node of templates) {
      for (const user of node.templates) templates.add(user)
      for (const email of node.emails) emails.add(email)
      await this.#pace()
    }
    return { templates, emails }
  }

  async #addTemplates(db: Kysely<TemplateTables>, { changed, isPublishedOnly }: GraphOptions) {
    const columns = ['id', 'name', 'brand_id', 'is_published', 'refers_to'] as const
    for (let after = 0; ; ) {
      const query = db.selectFrom('twig_templates').select(columns).where('id', '>', after)
      const rows = await query.orderBy('id').limit(templatesPerQuery).execute()
      const last = rows.at(-1)
      if (last === undefined) return
      for (const { refers_to, ...row } of rows) {
        if (isPublishedOnly && !row.is_published) continue
        const template = row.id === changed?.id ? changed : row
        const refersTo = (JSON.parse(refers_to) as string[]).map(nameKey)
        const node = { ...template, refersTo, templates: [], emails: [] }
        this.#byId.set(node.id, node)
        for (const key of keysOf(template)) {
          const named = this.#byKey.get(key)
          if (named === undefined) this.#byKey.set(key, [node])
          else named.push(node)
        }
        await this.#pace()
      }
      after = last.id
      await pause()
    }
  }

  /** Where a reference to a key is added: the key, and the template that it means to the brand of the reference. */
  #usersFor(key: string, brand: number): Users[] {
    const ofKey = this.#usersOfKey.get(key) ?? { templates: [], emails: [] }
    this.#usersOfKey.set(key, ofKey)
    const meant = this.#meantBy(key, brand)
    return meant === undefined ? [ofKey] : [ofKey, meant]
  }

  /** The template that a key means; where none is published, the oldest of the name. */
  #meantBy(key: string, brand: number): Node | undefined {
    const scopedKey = `${brand} ${key}`
    if (!this.#meant.has(scopedKey)) {
      const usable = this.#byKey.get(key)?.filter((each) => mayUse(each, brand)) ?? []
      this.#meant.set(scopedKey, findMeant(usable, brand) ?? usable[0])
    }
    return this.#meant.get(scopedKey)
  }
}

/**
 * Finds what uses a template and that a caller may see. With `changed`, the template as a change will leave it, also what uses it then: a change of its name,
 * or of whether it is published, changes which template a name means.
 */
export type FindDependents = (
  id: number,
  caller: Caller,
  changed?: UsedTemplate,
) => Promise<Dependent[]>

export function createFindDependents(
  storage: Storage,
  references: EmailReferences,
): FindDependents {
  return async (id, caller, changed) => {
    const dependents = new Map<string, Dependent>()
    for (const state of changed === undefined ? [undefined] : [undefined, changed]) {
      const graph = await TemplateGraph.read(storage, references, { changed: state })
      for (const each of await graph.findDependents(id, caller)) {
        const key = `${each.kind} ${each.id}`
        const isDirect = each.isDirect || dependents.get(key)?.isDirect === true
        dependents.set(key, { ...each, isDirect })
      }
    }
    return [...dependents.values()].sort(byKindAndId)
  }
}

function byKindAndId(one: Dependent, other: Dependent): number {
  if (one.kind !== other.kind) return one.kind === 'template' ? -1 : 1
  return one.id - other.id
}

export function createFindIncludingEmails(
  storage: Storage,
  references: EmailReferences,
): FindIncludingEmails {
  return async (keys) => {
    if (keys.length === 0) return new Map()
    const graph = await TemplateGraph.read(storage, references, { isPublishedOnly: true })
    const emailsByKey = new Map<string, readonly ReferringEmail[]>()
    for (const key of keys) {
      const emails = (await graph.findEmails(key)).filter(({ isPublished }) => isPublished)
      if (emails.length > 0)
        emailsByKey.set(
          key,
          emails.sort((one, other) => one.id - other.id),
        )
    }
    return emailsByKey
  }
}
