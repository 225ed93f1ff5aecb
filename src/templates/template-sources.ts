import { type Expression, type Kysely, type SqlBool, sql, type Transaction } from 'kysely'
import { nameKey } from '../kit/normalize-for-search.ts'
import type { WorkQueue } from '../kit/work-queue.ts'
import { mayUse } from '../resource/index.ts'
import type { Storage } from '../storage/index.ts'
import type { Loader, TemplateReference, Twig } from '../twig/index.ts'
import { defaultLimits, TwigError } from '../twig/index.ts'
import { ambiguousName } from './errors.ts'
import { createReferenceMemory, type ReferenceMemory } from './reference-memory.ts'
import type { TemplateRow, TemplateTables } from './table.ts'

/** Why a name finds no template. `ids` are those of the templates that share it. */
export type NameProblem =
  | { kind: 'missing' | 'unpublished' }
  | { kind: 'ambiguous'; ids: readonly number[] }

/** The templates that a text may use, as they are now. Names are compared by `nameKey`. */
export interface TemplateSet {
  /** `get` throws a TwigError (`loader`) for a name that several templates have. */
  loader: Loader
  /** Why a name finds no template; undefined where it finds one. */
  problemOf(name: string): NameProblem | undefined
}

/** The templates that a lint looked up. */
export interface NamedTemplateSet extends TemplateSet {
  /** Whether the stored templates are unchanged, in a transaction that has written those of `ownIds` itself. */
  isCurrent: (tx: Transaction<object>, ownIds: ReadonlySet<number>) => Promise<boolean>
}

/** A template that is about to be saved; a new one has no id yet. */
export type PendingTemplate = Pick<
  TemplateRow,
  'name' | 'template' | 'is_published' | 'mautic_id'
> & {
  id: number | undefined
}

/** The part of a reference that finds templates. */
type NamedReference = Pick<TemplateReference, 'names'>

/** What templates are loaded for. */
interface LoadOptions {
  /** The Mautic whose templates are loaded too. Default: only those of all. */
  mauticId?: number | undefined
  /** Templates that are about to be saved. */
  pending?: readonly PendingTemplate[] | undefined
}

/** Reads templates for rendering and linting: by name, or as `id:<id>`. */
export interface TemplateSources {
  /**
   * Loads the templates of references, and the templates that these refer to, as deep as a render can go. A reference
   * without names may be to any template. `mauticId`: also the templates of this Mautic. Default: only those of all.
   */
  load(references: readonly NamedReference[], mauticId?: number): Promise<TemplateSet>
  /** What a text refers to; empty where it cannot be parsed. */
  referencesOf(source: string): readonly TemplateReference[]
}

/** The templates in the database. */
export interface StoredTemplates extends TemplateSources {
  /** As `load`, but without references that have no names, and as if the pending templates were saved. */
  loadNamed(references: readonly NamedReference[], options?: LoadOptions): Promise<NamedTemplateSet>
}

type FoundRow = PendingTemplate & { revision?: number }

const referencesLock = 'references of templates'

/** Names in one query: SQLite takes 32,766 values in a statement. */
const namesPerBatch = 5_000

export function openTemplateSources(
  storage: Storage,
  twig: Twig,
  work: WorkQueue,
): StoredTemplates {
  const db = storage.tables<TemplateTables>()
  const { referencesOf, referencesOfAll } = createReferenceMemory(twig, work)
  const load = async (
    references: readonly NamedReference[],
    { takesAny, mauticId, pending = [] }: LoadOptions & { takesAny: boolean },
  ): Promise<NamedTemplateSet> => {
    const found = { sources: new Map(), problems: new Map(), revisions: new Map() }
    const search: Search = { db, referencesOfAll, takesAny, mauticId, pending, found }
    // Templates of all find only templates of all, in the messages of a Mautic too.
    const ofShared =
      mauticId === undefined ? references : await follow(search, references, mauticId)
    await follow(search, ofShared, undefined)
    const { sources, problems, revisions } = found
    for (const { id } of pending) if (id !== undefined) revisions.delete(id)
    const names = [...sources.keys(), ...problems.keys()]
    return {
      loader: createLoader(found),
      problemOf: (name) => problems.get(nameKey(name)),
      isCurrent: createCurrentCheck(storage, names, { revisions, mauticId }),
    }
  }
  return {
    referencesOf,
    load: (references, mauticId) => load(references, { takesAny: true, mauticId }),
    loadNamed: (references, options) => load(references, { takesAny: false, ...options }),
  }
}

interface FoundSources {
  /** By key: see `nameKey`. */
  sources: Map<string, { name: string; text: string }>
  /** By key. */
  problems: Map<string, NameProblem>
  /** Of the stored templates that the names found, by id. */
  revisions: Map<number, number>
}

/** What templates are loaded for, from where, and what was found. */
interface Search {
  db: Kysely<TemplateTables>
  referencesOfAll: ReferenceMemory['referencesOfAll']
  /** Whether a reference without names may be to any template. */
  takesAny: boolean
  mauticId: number | undefined
  pending: readonly PendingTemplate[]
  found: FoundSources
}

/**
 * Adds the templates of references, and those that these refer to. `scope` is the Mautic whose templates are found besides
 * those of all. Returns the references of templates of all, which are not followed in the scope of a Mautic.
 */
async function follow(
  search: Search,
  references: readonly NamedReference[],
  scope: number | undefined,
): Promise<NamedReference[]> {
  const isFollowed = ({ mautic_id: owner }: FoundRow) => owner === (scope ?? null)
  const referencesIn = (rows: readonly FoundRow[]) =>
    search.referencesOfAll(rows.map(({ template }) => template))
  const ofShared: NamedReference[] = []
  let waiting = references
  for (let level = 0; waiting.length > 0 && level <= defaultLimits.depth; level++) {
    const added = await addTemplates(search, waiting, scope)
    waiting = await referencesIn(added.filter(isFollowed))
    ofShared.push(...(await referencesIn(added.filter((row) => !isFollowed(row)))))
  }
  return ofShared
}

/** Adds the templates of references. Returns those that may refer to others. */
async function addTemplates(
  { db, takesAny, mauticId, pending, found }: Search,
  references: readonly NamedReference[],
  scope: number | undefined,
): Promise<FoundRow[]> {
  // A name that is computed while rendering may be that of any template.
  const isAny = takesAny && references.some(({ names }) => names.length === 0)
  const isNew = (name: string) => !found.sources.has(name) && !found.problems.has(name)
  const names = [...new Set(references.flatMap((reference) => reference.names.map(nameKey)))]
  const wanted = names.filter(isNew)
  const saved = isAny ? await findAll(db, mauticId) : await findNamed(db, wanted, mauticId)
  for (const { id, revision } of saved) found.revisions.set(id, revision)
  const rows = withPending(saved, pending, wanted).filter((row) => mayUse(row, scope))
  const byName = indexByName(rows)
  const reached = isAny ? [...byName.keys()].filter(isNew) : []
  const added = [...new Set([...wanted, ...reached])].flatMap((name) =>
    addSource(name, byName.get(name) ?? [], found),
  )
  return isAny ? [] : added
}

function createLoader({ sources, problems }: FoundSources): Loader {
  return {
    get(name) {
      const key = nameKey(name)
      const problem = problems.get(key)
      if (problem?.kind === 'ambiguous') {
        throw new TwigError('loader', ambiguousName(name, problem.ids))
      }
      return sources.get(key)?.text
    },
    keys: () => [...sources.values()].map(({ name }) => name),
  }
}

/** The keys that find a template: its name and its id. */
function keysOf({ name, id }: FoundRow): string[] {
  return [...new Set([nameKey(name), ...(id === undefined ? [] : [`id:${id}`])])]
}

function indexByName(rows: readonly FoundRow[]): Map<string, { row: FoundRow }[]> {
  const named = rows.flatMap((row) => keysOf(row).map((name) => ({ name, row })))
  return Map.groupBy(named, ({ name }) => name)
}

/** Adds the template of a key to the sources, or the reason why there is none; returns the added templates. */
function addSource(
  key: string,
  matching: readonly { row: FoundRow }[],
  { sources, problems }: FoundSources,
): FoundRow[] {
  const published = matching.flatMap(({ row }) => (row.is_published ? [row] : []))
  const [only] = published
  if (published.length === 1 && only !== undefined) {
    const name = nameKey(only.name) === key ? only.name : key
    sources.set(key, { name, text: only.template })
    return [only]
  }
  if (published.length > 1) {
    problems.set(key, { kind: 'ambiguous', ids: published.flatMap(({ id }) => id ?? []) })
  } else problems.set(key, { kind: matching.length > 0 ? 'unpublished' : 'missing' })
  return []
}

/** The rows as they will be when the pending templates are saved. */
function withPending(
  rows: readonly FoundRow[],
  pending: readonly PendingTemplate[],
  names: readonly string[],
): FoundRow[] {
  if (pending.length === 0) return [...rows]
  const wanted = new Set(names)
  const latest = new Map(pending.map((template) => [template.id, template]))
  const changed = pending.filter(
    (template) =>
      (template.id === undefined || latest.get(template.id) === template) &&
      keysOf(template).some((key) => wanted.has(key)),
  )
  return [...rows.filter(({ id }) => !latest.has(id)), ...changed]
}

type StoredRow = Omit<FoundRow, 'id'> & { id: number; revision: number }

async function findNamed(
  db: Kysely<TemplateTables>,
  names: readonly string[],
  mauticId: number | undefined,
): Promise<StoredRow[]> {
  const rows = new Map<number, StoredRow>()
  for (const where of wheresOf(names)) {
    const query = db.selectFrom('twig_templates').select(sourceColumns)
    const found = await query.where(where).where(isUsableBy(mauticId)).execute()
    for (const row of found) rows.set(row.id, row)
  }
  return [...rows.values()]
}

/** `revisions` are those of the templates that the names found, by id. */
function createCurrentCheck(
  storage: Storage,
  names: readonly string[],
  { revisions, mauticId }: { revisions: ReadonlyMap<number, number>; mauticId: number | undefined },
): NamedTemplateSet['isCurrent'] {
  return async (tx, ownIds) => {
    if (names.length === 0) return true
    // Two templates that are saved at the same time would not see each other.
    await storage.lock(tx, referencesLock)
    const db = tx.withTables<TemplateTables>()
    const now = new Map<number, number>()
    for (const where of wheresOf(names)) {
      const query = db.selectFrom('twig_templates').select(['id', 'revision']).where(where)
      for (const { id, revision } of await query.where(isUsableBy(mauticId)).execute())
        if (!ownIds.has(id)) now.set(id, revision)
    }
    return (
      now.size === revisions.size &&
      [...now].every(([id, revision]) => revisions.get(id) === revision)
    )
  }
}

/** Conditions that find the templates of names, for a part of the names each. */
function wheresOf(names: readonly string[]): Expression<SqlBool>[] {
  return Array.from({ length: Math.ceil(names.length / namesPerBatch) }, (_, index) => {
    const some = names.slice(index * namesPerBatch, (index + 1) * namesPerBatch)
    const ids = some.flatMap((name) => /^id:(\d{1,15})$/.exec(name)?.[1] ?? []).map(Number)
    const byId = ids.length === 0 ? sql`1 = 0` : sql`id in (${sql.join(ids)})`
    return sql<SqlBool>`(name_key in (${sql.join(some)}) or ${byId})`
  })
}

async function findAll(
  db: Kysely<TemplateTables>,
  mauticId: number | undefined,
): Promise<StoredRow[]> {
  const query = db.selectFrom('twig_templates').select(sourceColumns)
  return query.where('is_published', '=', true).where(isUsableBy(mauticId)).execute()
}

/** As `mayUse`, as a condition of a query. */
export function isUsableBy(mauticId: number | undefined): Expression<SqlBool> {
  return sql`coalesce(mautic_id, 0) in (0, ${mauticId ?? 0})`
}

const sourceColumns = ['id', 'revision', 'name', 'template', 'is_published', 'mautic_id'] as const
