import { type Kysely, type SqlBool, sql } from 'kysely'
import { nameKey } from '../../kit/normalize-for-search.ts'
import { createPacer } from '../../kit/pause.ts'
import { mayUse } from '../../resource/index.ts'
import type { Storage } from '../../storage/index.ts'
import { findMeant, keysOf, type TemplateRow, type TemplateTables } from '../../templates/index.ts'
import type { EmailReferences } from './email-references.ts'
import { templateRanges } from './template-ranges.ts'

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

export function createFindDependents(storage: Storage, emails: EmailReferences): FindDependents {
  const db = storage.tables<TemplateTables>()
  return async (template, changed) => {
    const states = changed === undefined ? [template] : [template, changed]
    const referrers = await readReferrers(db)
    const stored = await readNamesakes(db, states)
    const uses: StateUses[] = []
    for (const state of states) {
      const namesakes = stored.filter(({ id }) => id !== template.id)
      const isUse = createUseCheck([...namesakes, state])
      const templates = await findTemplates(referrers, state, isUse)
      const [ownIndex, users] = [await createIndex([state]), await createIndex(templates)]
      uses.push({ isUse, templates, ownIndex, users })
    }
    const pace = createPacer()
    const dependents = new Map<string, Dependent>()
    const add = (dependent: Dependent) => {
      const key = `${dependent.kind} ${dependent.id}`
      const isDirect = dependent.isDirect || dependents.get(key)?.isDirect === true
      dependents.set(key, { ...dependent, isDirect })
    }
    for (const { templates } of uses)
      for (const { id, name, isDirect } of templates) {
        add({ kind: 'template', id, name, isDirect })
        await pace()
      }
    for await (const { id, name, keys } of emails.read()) {
      // The emails are Mailyard's own, and use no template of a Mautic.
      const user = { refersTo: keys, mautic_id: null }
      for (const { isUse, ownIndex, users } of uses) {
        const isDirect = isUse(user, ownIndex)
        if (isDirect || isUse(user, users)) add({ kind: 'email', id, name, isDirect })
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
type IsUse = (user: User, used: TemplateIndex) => boolean

/** What uses a template in one of its states. */
interface StateUses {
  isUse: IsUse
  templates: readonly FoundNode[]
  ownIndex: TemplateIndex
  /** Those of `templates`. */
  users: TemplateIndex
}

interface FoundNode extends Node {
  isDirect: boolean
}

/** `namesakes` are the templates whose names mean one of several. */
function createUseCheck(namesakes: readonly UsedTemplate[]): IsUse {
  const meantBy = createFindMeant(namesakes)
  return ({ refersTo, mautic_id: owner }, used) => {
    const scope = owner ?? undefined
    return refersTo.some((key) => {
      const templates = used.get(key)
      if (templates === undefined) return false
      const meant = meantBy(key, scope)
      if (meant === undefined)
        return Array.from(templates.values()).some((each) => mayUse(each, scope))
      const template = templates.get(meant.id)
      return template !== undefined && mayUse(template, scope)
    })
  }
}

/** Returns the function that finds which template a key means to a Mautic: each once, because thousands may have one name. */
function createFindMeant(namesakes: readonly UsedTemplate[]) {
  const byName = Map.groupBy(namesakes, ({ name }) => nameKey(name))
  const meantByKey = new Map<string, UsedTemplate | undefined>()
  return (key: string, scope: number | undefined): UsedTemplate | undefined => {
    const named = byName.get(key)
    if (named === undefined) return undefined
    const scopedKey = `${scope ?? 0} ${key}`
    if (!meantByKey.has(scopedKey)) meantByKey.set(scopedKey, findMeant(named, scope))
    return meantByKey.get(scopedKey)
  }
}

/** Templates by key, then by id. */
type TemplateIndex = ReadonlyMap<string, ReadonlyMap<number, UsedTemplate>>

async function createIndex(templates: readonly UsedTemplate[]): Promise<TemplateIndex> {
  const pace = createPacer()
  const index = new Map<string, Map<number, UsedTemplate>>()
  for (const template of templates) {
    for (const key of keysOf(template)) {
      const named = index.get(key) ?? new Map<number, UsedTemplate>()
      index.set(key, named.set(template.id, template))
    }
    await pace()
  }
  return index
}

/** Searches breadth-first: the templates that refer to it, those that refer to them, and so on. */
async function findTemplates(
  referrers: Referrers,
  template: UsedTemplate,
  isUse: IsUse,
): Promise<FoundNode[]> {
  const pace = createPacer()
  const results = new Map<number, FoundNode>()
  let used: readonly UsedTemplate[] = [template]
  for (let isDirect = true; used.length > 0; isDirect = false) {
    const index = await createIndex(used)
    const users: FoundNode[] = []
    for (const key of index.keys())
      for (const node of referrers.get(key) ?? []) {
        const isKnown = node.id === template.id || results.has(node.id)
        if (!isKnown && isUse(node, index)) {
          const user = { ...node, isDirect }
          results.set(node.id, user)
          users.push(user)
        }
        await pace()
      }
    used = users
  }
  return [...results.values()]
}

/** The templates that refer to each key. */
type Referrers = ReadonlyMap<string, readonly Node[]>

async function readReferrers(db: Kysely<TemplateTables>): Promise<Referrers> {
  const pace = createPacer()
  const referrers = new Map<string, Node[]>()
  const query = db.selectFrom('twig_templates').select([...usedColumns, 'refers_to'])
  for await (const isInRange of templateRanges(db)) {
    const rows = await query.where('refers_to', '<>', '[]').where(isInRange).execute()
    for (const { refers_to, ...row } of rows) {
      const node = { ...row, refersTo: (JSON.parse(refers_to) as string[]).map(nameKey) }
      for (const key of node.refersTo) {
        const named = referrers.get(key)
        if (named === undefined) referrers.set(key, [node])
        else named.push(node)
      }
      await pace()
    }
  }
  return referrers
}

/** Reads the templates whose name others have, and those of the names of `states`. */
async function readNamesakes(
  db: Kysely<TemplateTables>,
  states: readonly UsedTemplate[],
): Promise<UsedTemplate[]> {
  const hasOther = sql<SqlBool>`exists (select 1 from twig_templates as other
    where other.name_key = twig_templates.name_key and other.id <> twig_templates.id)`
  const keys = states.map(({ name }) => nameKey(name))
  const named = db
    .selectFrom('twig_templates')
    .select(usedColumns)
    .where((where) => where.or([where('name_key', 'in', keys), hasOther]))
  const namesakes: UsedTemplate[] = []
  for await (const isInRange of templateRanges(db))
    namesakes.push(...(await named.where(isInRange).execute()))
  return namesakes
}

const usedColumns = ['id', 'name', 'mautic_id', 'is_published'] as const
