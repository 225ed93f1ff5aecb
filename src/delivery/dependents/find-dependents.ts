import { type Kysely, type SqlBool, sql } from 'kysely'
import type { EmailRow, EmailTables } from '../../emails/index.ts'
import { nameKey } from '../../kit/normalize-for-search.ts'
import { createPacer, pause } from '../../kit/pause.ts'
import { mayUse } from '../../resource/index.ts'
import type { Storage } from '../../storage/index.ts'
import {
  findMeant,
  keysOf,
  type TemplateRow,
  type TemplateSources,
  type TemplateTables,
} from '../../templates/index.ts'
import { emailReferences } from '../rendering/email-renderer.ts'

/** A template or an email that uses a template, directly or through other templates. */
export interface Dependent {
  kind: 'template' | 'email'
  id: number
  name: string
  isDirect: boolean
}

/**
 * Finds the templates and emails that use a template. With `changed`, the template as a change will leave it, also those that use it
 * then: a change of its name, or of whether it is published, changes which template a name means.
 */
export type FindDependents = (
  template: UsedTemplate,
  changed?: UsedTemplate,
) => Promise<Dependent[]>

type UsedTemplate = Pick<TemplateRow, 'id' | 'name' | 'mautic_id' | 'is_published'>

const emailsPerPage = 20

export function createFindDependents(storage: Storage, sources: TemplateSources): FindDependents {
  const db = storage.tables<TemplateTables & EmailTables>()
  return async (template, changed) => {
    const states = changed === undefined ? [template] : [template, changed]
    const nodes = await readNodes(db)
    const stored = await readNamesakes(db, states)
    const uses = states.map((state) => {
      const namesakes = stored.filter(({ id }) => id !== template.id)
      const isUse = createUseCheck([...namesakes, state])
      return { isUse, state, templates: findTemplates(nodes, state, isUse) }
    })
    const dependents = new Map<string, Dependent>()
    const add = (dependent: Dependent) => {
      const key = `${dependent.kind} ${dependent.id}`
      const isDirect = dependent.isDirect || dependents.get(key)?.isDirect === true
      dependents.set(key, { ...dependent, isDirect })
    }
    for (const { templates } of uses)
      for (const { id, name, isDirect } of templates) add({ kind: 'template', id, name, isDirect })
    for await (const { id, name, ...row } of emailsWithTemplates(db)) {
      const references = emailReferences(row, sources)
      // The emails are Mailyard's own, and use no template of a Mautic.
      const user = {
        refersTo: references.flatMap(({ names }) => names.map(nameKey)),
        mautic_id: null,
      }
      for (const { isUse, state, templates } of uses) {
        const isDirect = isUse(user, [state])
        if (isDirect || isUse(user, templates)) add({ kind: 'email', id, name, isDirect })
      }
    }
    return [...dependents.values()].sort(byKindAndId)
  }
}

function byKindAndId(one: Dependent, other: Dependent): number {
  if (one.kind !== other.kind) return one.kind === 'template' ? -1 : 1
  return one.id - other.id
}

/** A template or an email that refers to templates by keys: see `nameKey`. */
interface User {
  refersTo: readonly string[]
  mautic_id: number | null
}

interface Node extends UsedTemplate, User {}

/** Whether one of these templates is what a reference of the user means. */
type IsUse = (user: User, used: readonly UsedTemplate[]) => boolean

/** `namesakes` are the templates whose names mean one of several. */
function createUseCheck(namesakes: readonly UsedTemplate[]): IsUse {
  const byName = Map.groupBy(namesakes, ({ name }) => nameKey(name))
  const keys = new WeakMap<readonly UsedTemplate[], Map<string, UsedTemplate[]>>()
  const indexOf = (used: readonly UsedTemplate[]) => {
    const known = keys.get(used)
    if (known !== undefined) return known
    const index = new Map<string, UsedTemplate[]>()
    for (const template of used)
      for (const key of keysOf(template)) index.set(key, [...(index.get(key) ?? []), template])
    keys.set(used, index)
    return index
  }
  return ({ refersTo, mautic_id: owner }, used) => {
    const scope = owner ?? undefined
    const index = indexOf(used)
    return refersTo.some((key) =>
      index.get(key)?.some((template) => {
        if (!mayUse(template, scope)) return false
        const meant = findMeant(byName.get(key) ?? [], scope)
        return meant === undefined || meant.id === template.id
      }),
    )
  }
}

/** Searches breadth-first: the templates that refer to it, those that refer to them, and so on. */
function findTemplates(
  nodes: readonly Node[],
  template: UsedTemplate,
  isUse: IsUse,
): (Node & { isDirect: boolean })[] {
  const found = new Map<number, Node & { isDirect: boolean }>()
  let used: readonly UsedTemplate[] = [template]
  for (let isDirect = true; used.length > 0; isDirect = false) {
    const users = nodes.filter(
      (node) => node.id !== template.id && !found.has(node.id) && isUse(node, used),
    )
    for (const node of users) found.set(node.id, { ...node, isDirect })
    used = users
  }
  return [...found.values()]
}

async function readNodes(db: Kysely<TemplateTables>): Promise<Node[]> {
  const query = db.selectFrom('twig_templates').select([...usedColumns, 'refers_to'])
  const rows = await query.where('refers_to', '<>', '[]').execute()
  return rows.map(({ refers_to, ...row }) => ({
    ...row,
    refersTo: (JSON.parse(refers_to) as string[]).map(nameKey),
  }))
}

/** Reads the templates whose name others have, and those of the names of `states`. */
function readNamesakes(
  db: Kysely<TemplateTables>,
  states: readonly UsedTemplate[],
): Promise<UsedTemplate[]> {
  const hasOther = sql<SqlBool>`exists (select 1 from twig_templates as other
    where other.name_key = twig_templates.name_key and other.id <> twig_templates.id)`
  const keys = states.map(({ name }) => nameKey(name))
  return db
    .selectFrom('twig_templates')
    .select(usedColumns)
    .where((where) => where.or([where('name_key', 'in', keys), hasOther]))
    .execute()
}

const usedColumns = ['id', 'name', 'mautic_id', 'is_published'] as const

/** Reads the emails that may include templates, few at a time: to search one of the largest takes a millisecond. */
export async function* emailsWithTemplates(db: Kysely<EmailTables>): AsyncGenerator<EmailRow> {
  const pace = createPacer()
  for (let after = 0; ; ) {
    const some = db.selectFrom('emails').select('id').where('id', '>', after)
    const ids = await some.orderBy('id').limit(emailsPerPage).execute()
    const last = ids.at(-1)?.id
    if (last === undefined) return
    const rows = await db
      .selectFrom('emails')
      .selectAll()
      .where('id', '>', after)
      .where('id', '<=', last)
      .where((where) =>
        where.or([
          where('is_twig', '=', true),
          ...(['subject', 'from_name', 'custom_html', 'plain_text', 'headers'] as const).map(
            (column) => where(column, 'like', '%{twigtemplate=%'),
          ),
        ]),
      )
      .orderBy('id')
      .execute()
    for (const row of rows) {
      yield row
      await pace()
    }
    after = last
    await pause()
  }
}
