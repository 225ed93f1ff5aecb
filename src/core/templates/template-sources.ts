import {
  type Expression,
  expressionBuilder,
  type Kysely,
  type SqlBool,
  sql,
  type Transaction,
} from 'kysely'
import { batches } from '../../kit/batches.ts'
import { BoundedMemory } from '../../kit/bounded-memory.ts'
import { mayUse, noBrand } from '../../kit/caller.ts'
import { nameKey } from '../../kit/normalize-for-search.ts'
import type { WorkQueue } from '../../kit/work-queue.ts'
import {
  defaultLimits,
  type Loader,
  type TemplateReference,
  type Twig,
  TwigError,
} from '../../libraries/twig/index.ts'
import { seenBy } from '../../platform/resource/index.ts'
import type { Storage } from '../../platform/storage/index.ts'
import type { TemplateRow, TemplateTables } from './table.ts'
import { findMeant, idName, keysOf, type NamedTemplate, readIdName } from './template-names.ts'

/** A template that is about to be saved; a new one has no id yet. */
export type PendingTemplate = NamedTemplate & Pick<TemplateRow, 'template'>

/** The part of a reference that finds templates. */
type NamedReference = Pick<TemplateReference, 'names'>

/** What templates are loaded for. */
interface LoadOptions {
  /** The brand whose templates are loaded too. Default: only those of all. */
  brand?: number
  /** Templates are loaded as they will be when these are saved. */
  pending?: readonly PendingTemplate[] | undefined
}

/** Reads templates for rendering: by name, or as `id:<id>`. */
export interface TemplateSources {
  /**
   * Loads the templates of references, and the templates that these refer to, as deep as a render can go. A reference
   * without names may be to any template.
   */
  load(
    references: readonly NamedReference[],
    options?: LoadOptions,
  ): Promise<Pick<TemplateSet, 'loader'>>
  /** What a text refers to; empty where it cannot be parsed. */
  referencesOf(source: string): readonly TemplateReference[]
  /** The variables that a text reads without a default; empty where it cannot be parsed. */
  variablesOf(source: string): readonly string[]
}

const referencesLock = 'references of templates'

/** Names in one query: SQLite takes 32,766 values in a statement. */
const namesPerBatch = 5_000
/** No template has a longer key. */
const keyLengthMax = 1_000

/** The most characters of all remembered templates together. */
const rememberedCharacters = 10_000_000

/** What a template reads. */
interface Reads {
  references: readonly TemplateReference[]
  variables: readonly string[]
}

/** The templates in the database. What recent ones refer to and read is remembered, so that they are not parsed again. */
export class StoredTemplates implements TemplateSources {
  readonly #storage: Storage
  readonly #twig: Twig
  readonly #work: WorkQueue
  readonly #remembered = new BoundedMemory<string, Reads>({
    sizeMax: rememberedCharacters,
    sizeOf: (source) => source.length,
  })

  constructor(storage: Storage, twig: Twig, work: WorkQueue) {
    this.#storage = storage
    this.#twig = twig
    this.#work = work
  }

  load(references: readonly NamedReference[], options: LoadOptions = {}): Promise<TemplateSet> {
    return this.#search(references, { ...options, takesAny: true })
  }

  /** As `load`, but without references that have no names. */
  loadNamed(
    references: readonly NamedReference[],
    options: LoadOptions & Pick<SearchOptions, 'linted'> = {},
  ): Promise<TemplateSet> {
    return this.#search(references, { ...options, takesAny: false })
  }

  referencesOf(source: string): readonly TemplateReference[] {
    return this.#readsOf(source).references
  }

  variablesOf(source: string): readonly string[] {
    return this.#readsOf(source).variables
  }

  async #search(
    references: readonly NamedReference[],
    options: SearchOptions,
  ): Promise<TemplateSet> {
    const set = new TemplateSet(this.#storage, (sources) => this.#referencesOfAll(sources), options)
    await set.follow(references)
    return set
  }

  /** What many templates refer to. Each template that is parsed takes a turn. */
  async #referencesOfAll(sources: readonly string[]): Promise<TemplateReference[]> {
    const references: (readonly TemplateReference[])[] = []
    for (const source of sources) {
      if (this.#remembered.get(source) === undefined) await this.#work.turn()
      references.push(this.referencesOf(source))
    }
    return references.flat()
  }

  #readsOf(source: string): Reads {
    const known = this.#remembered.get(source)
    if (known !== undefined) return known
    const reads = readTemplate(this.#twig, source)
    this.#remembered.set(source, reads)
    return reads
  }
}

function readTemplate(twig: Twig, source: string): Reads {
  try {
    const { references, variables } = twig.analyze(source)
    const required = variables.filter(({ path, hasDefault }) => !hasDefault && !path.includes('.'))
    return { references, variables: required.map(({ path }) => path) }
  } catch (error) {
    if (error instanceof TwigError) return { references: [], variables: [] }
    throw error
  }
}

interface SearchOptions extends LoadOptions {
  /** The template that is linted, as it will be when it is saved. */
  linted?: PendingTemplate | undefined
  /** Whether a reference without names, which is computed while rendering, may be to any template. */
  takesAny: boolean
}

export type CurrentCheck = (
  tx: Transaction<object>,
  ownIds: ReadonlySet<number>,
) => Promise<boolean>

type ReferencesOfAll = (sources: readonly string[]) => Promise<NamedReference[]>

/** A stored or pending template. Its text is null where it was not read, because no name means it. */
type FoundRow = NamedTemplate & { template: string | null }

/**
 * The templates that a text may use, as they are now: what the names mean to a brand (or to what has none), and what they mean in
 * templates of all. Names are compared by `nameKey`.
 */
export class TemplateSet {
  readonly #storage: Storage
  readonly #query: NameQuery
  readonly #referencesOfAll: ReferencesOfAll
  readonly #takesAny: boolean
  readonly #pending: readonly PendingTemplate[]
  /** The pending templates, and the one that is linted. */
  readonly #changed: readonly PendingTemplate[]
  /** By key: see `nameKey`. */
  readonly #meant = new Map<string, FoundRow>()
  /** What names mean in templates of all, which find only templates of all: in the messages of a brand too. */
  readonly #meantByAll: Map<string, FoundRow>
  /** By key, of each name that was looked up. */
  readonly #namesakes = new Map<string, readonly FoundRow[]>()
  /** The revisions of the stored templates that the names found, by id. */
  readonly #revisions = new Map<number, number>()

  constructor(
    storage: Storage,
    referencesOfAll: ReferencesOfAll,
    { brand = noBrand, pending, linted, takesAny }: SearchOptions,
  ) {
    const isWithNamesakes = pending !== undefined
    this.#storage = storage
    this.#query = { db: storage.tables(), brand, isWithNamesakes }
    this.#referencesOfAll = referencesOfAll
    this.#takesAny = takesAny
    this.#pending = pending ?? []
    this.#changed = linted === undefined ? this.#pending : [...this.#pending, linted]
    this.#meantByAll = brand === noBrand ? this.#meant : new Map()
  }

  /** Looks up the names of references, and those in the templates that they mean. */
  async follow(references: readonly NamedReference[]): Promise<void> {
    const followed = new Set<FoundRow>()
    let ownReferences = references
    let ofAll: readonly NamedReference[] = []
    for (let level = 0; level <= defaultLimits.depth; level++) {
      const waiting = [...ownReferences, ...ofAll]
      if (waiting.length === 0) return
      if (this.#takesAny && waiting.some(({ names }) => names.length === 0)) return this.#addAll()
      await this.#lookUp(waiting.flatMap(({ names }) => names.map(nameKey)))
      const reached = new Set([
        ...rowsOf(ownReferences, this.#meant),
        ...rowsOf(ofAll, this.#meantByAll),
      ])
      const rows = [...reached].filter((row) => !followed.has(row))
      for (const row of rows) followed.add(row)
      ownReferences = await this.#referencesIn(
        rows.filter(({ brand_id: owner }) => owner !== noBrand),
      )
      ofAll = await this.#referencesIn(rows.filter(({ brand_id: owner }) => owner === noBrand))
    }
  }

  get loader(): Loader {
    const loader = {
      get: (name: string) => this.#meant.get(nameKey(name))?.template ?? undefined,
      keys: () => new Set(Array.from(this.#meant.values(), ({ name }) => name)),
    }
    if (this.#meantByAll === this.#meant) return loader
    return { ...loader, resolve: (name, from) => this.#resolve(name, from) }
  }

  /** Returns a name that means to the brand what `name` means in the template `from`. */
  #resolve(name: string, from: string | undefined): string {
    const user = from === undefined ? undefined : this.#meant.get(nameKey(from))
    if (user === undefined || user.brand_id !== noBrand) return name
    const key = nameKey(name)
    const row = this.#meantByAll.get(key)
    if (row === this.#meant.get(key)) return name
    return idName(row?.id ?? 0)
  }

  /** Why a name that was looked up finds no template; undefined where it finds one. */
  problemOf(name: string): 'missing' | 'unpublished' | undefined {
    const key = nameKey(name)
    const namesakes = this.#namesakes.get(key)
    if (namesakes === undefined || this.#meant.has(key)) return undefined
    return namesakes.length > 0 ? 'unpublished' : 'missing'
  }

  /** The template that a name means; undefined where it finds none. */
  meantBy(name: string): NamedTemplate | undefined {
    return this.#meant.get(nameKey(name))
  }

  /** All templates of a name, published or not; known where `pending` was given. */
  namesakesOf(name: string): readonly NamedTemplate[] {
    return this.#namesakes.get(nameKey(name)) ?? []
  }

  /**
   * Returns the check whether the stored templates are unchanged, in a transaction that has written those of `ownIds` itself.
   * It keeps no texts: a batch has thousands of them.
   */
  currentCheck(): CurrentCheck {
    const storage = this.#storage
    const { brand } = this.#query
    const keys = [...this.#namesakes.keys()]
    const revisions = new Map(this.#revisions)
    for (const { id } of this.#pending) if (id !== undefined) revisions.delete(id)
    return async (tx, ownIds) => {
      if (keys.length === 0) return true
      // Two templates that are saved at the same time would not see each other.
      await storage.lock(tx, referencesLock)
      const now = new Map<number, number>()
      for (const { isAsked } of conditionsFor(keys)) {
        const db = tx.withTables<TemplateTables>()
        const query = db.selectFrom('twig_templates').select(['id', 'revision']).where(isAsked)
        for (const { id, revision } of await query.where(seenBy({ brands: [brand] })).execute())
          if (!ownIds.has(id)) now.set(id, revision)
      }
      const isSame = ([id, revision]: [number, number]) => revisions.get(id) === revision
      return now.size === revisions.size && [...now].every(isSame)
    }
  }

  #referencesIn(rows: readonly FoundRow[]): Promise<NamedReference[]> {
    return this.#referencesOfAll(rows.map(({ template }) => template ?? ''))
  }

  async #lookUp(names: readonly string[]): Promise<void> {
    const keys = [...new Set(names)].filter((key) => !this.#namesakes.has(key))
    const possible = keys.filter((key) => key.length <= keyLengthMax && !key.includes('\0'))
    const rows = await findNamed(this.#query, possible)
    for (const { id, revision } of rows) this.#revisions.set(id, revision)
    await this.#add(keys, rows)
  }

  async #addAll(): Promise<void> {
    const rows = await findPublished(this.#query)
    const keys = new Set([...rows, ...this.#changed].flatMap(keysOf))
    await this.#add([...keys], rows)
  }

  /** Adds what keys mean, among all stored templates that have them. */
  async #add(keys: readonly string[], rows: readonly FoundRow[]): Promise<void> {
    const byKey = Map.groupBy(
      this.#withPending(rows).flatMap((row) => keysOf(row).map((key) => ({ key, row }))),
      ({ key }) => key,
    )
    const meantRows: FoundRow[] = []
    for (const key of keys) {
      const namesakes = (byKey.get(key) ?? []).map(({ row }) => row)
      this.#namesakes.set(key, namesakes)
      const row = findMeant(namesakes, this.#query.brand)
      const rowOfAll = findMeant(namesakes, noBrand)
      if (row !== undefined) this.#meant.set(key, row)
      if (rowOfAll !== undefined) this.#meantByAll.set(key, rowOfAll)
      meantRows.push(...[row, rowOfAll].filter((each) => each !== undefined))
    }
    for (const row of meantRows) {
      if (row.id === undefined) continue
      const key = idName(row.id)
      this.#meant.set(key, row)
      if (row.brand_id === noBrand) this.#meantByAll.set(key, row)
    }
    await readTexts(this.#query.db, meantRows)
  }

  /** The rows as they will be when the pending templates are saved. */
  #withPending(rows: readonly FoundRow[]): readonly FoundRow[] {
    if (this.#changed.length === 0) return rows
    const latest = new Map(this.#changed.map((template) => [template.id, template]))
    const changed = this.#changed.filter(
      (template) =>
        (template.id === undefined || latest.get(template.id) === template) &&
        mayUse(template, this.#query.brand),
    )
    return [...rows.filter(({ id }) => !latest.has(id)), ...changed]
  }
}

/** The templates that references mean. */
function rowsOf(
  references: readonly NamedReference[],
  meant: ReadonlyMap<string, FoundRow>,
): FoundRow[] {
  return references.flatMap(({ names }) => names.flatMap((name) => meant.get(nameKey(name)) ?? []))
}

interface NameQuery {
  db: Kysely<TemplateTables>
  brand: number
  /** Whether all templates of a name are read, or only those that it may mean. Those have texts. */
  isWithNamesakes: boolean
}

type StoredRow = FoundRow & { id: number; revision: number }

/** No older template of the same owner is published under this name. */
const isOldest = sql<SqlBool>`(twig_templates.is_published and not exists (
  select 1 from twig_templates as older
  where older.name_key = twig_templates.name_key and older.is_published
    and older.id < twig_templates.id
    and older.brand_id = twig_templates.brand_id))`

const where = expressionBuilder<TemplateTables, 'twig_templates'>()

async function findNamed(
  { db, brand, isWithNamesakes }: NameQuery,
  keys: readonly string[],
): Promise<StoredRow[]> {
  const rows = new Map<number, StoredRow>()
  for (const { isAsked, isById } of conditionsFor(keys)) {
    const isMeant = where.or([isById, isOldest])
    const query = db
      .selectFrom('twig_templates')
      .select(['id', 'revision', 'name', 'is_published', 'brand_id'])
      .select(where.case().when(isMeant).then(where.ref('template')).end().as('template'))
      .where(isAsked)
      .where(seenBy({ brands: [brand] }))
    const matches = await (isWithNamesakes ? query : query.where(isMeant)).execute()
    for (const row of matches) rows.set(row.id, row)
  }
  return [...rows.values()]
}

/** Reads the texts of templates that are meant only because the pending ones change. */
async function readTexts(db: Kysely<TemplateTables>, rows: readonly FoundRow[]): Promise<void> {
  for (const row of rows) {
    if (row.template !== null || row.id === undefined) continue
    const query = db.selectFrom('twig_templates').select('template').where('id', '=', row.id)
    row.template = (await query.executeTakeFirst())?.template ?? ''
  }
}

/** Conditions that find the templates of keys, for a part of the keys each. */
function conditionsFor(
  keys: readonly string[],
): { isAsked: Expression<SqlBool>; isById: Expression<SqlBool> }[] {
  return batches(keys, namesPerBatch).map((part) => {
    const ids = part.flatMap((key) => readIdName(key) ?? [])
    const names = part.filter((key) => readIdName(key) === undefined)
    const isById = ids.length === 0 ? where.or([]) : where('twig_templates.id', 'in', ids)
    if (names.length === 0) return { isAsked: isById, isById }
    const isByName = where('twig_templates.name_key', 'in', names)
    return { isAsked: where.or([isByName, isById]), isById }
  })
}

async function findPublished({ db, brand }: NameQuery): Promise<StoredRow[]> {
  const query = db
    .selectFrom('twig_templates')
    .select(['id', 'revision', 'name', 'template', 'is_published', 'brand_id'])
  return query
    .where('is_published', '=', true)
    .where(seenBy({ brands: [brand] }))
    .execute()
}
