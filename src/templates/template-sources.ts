import { type Kysely, sql } from 'kysely'
import { pause } from '../kit/pause.ts'
import type { Storage } from '../storage/index.ts'
import type { Loader, TemplateReference, Twig } from '../twig/index.ts'
import { defaultLimits, TwigError } from '../twig/index.ts'
import type { TemplateTables } from './table.ts'

/** Why a name leads to no template. */
export type NameProblem = 'missing' | 'unpublished' | 'ambiguous'

/** The templates that a text may come to, as they are now. */
export interface TemplateSet {
  loader: Loader
  /** Why a name that was looked for leads nowhere; undefined where it leads somewhere. */
  problemOf(name: string): NameProblem | undefined
}

/** A reference as far as it matters for what it leads to. */
type NamedReference = Pick<TemplateReference, 'names'>

/** Reads templates for rendering and linting: by name, or as `id:<id>`. */
export interface TemplateSources {
  /**
   * All that the references lead to, one from the other, as deep as a render can go; one without names may
   * lead to any.
   */
  load(references: readonly NamedReference[]): Promise<TemplateSet>
  /** What a text refers to; nothing where it cannot be parsed. */
  referencesOf(source: string): readonly TemplateReference[]
}

/** The templates of an installation, of which there may be many. */
export interface StoredTemplates extends TemplateSources {
  /** As `load`, but a reference without names leads nowhere. `from` is the transaction of whoever is in one. */
  loadNamed(
    references: readonly NamedReference[],
    from?: Kysely<TemplateTables>,
  ): Promise<TemplateSet>
}

type FoundRow = { id: number; name: string; template: string; is_published: boolean }

/** References are remembered for so many characters of templates; then all are forgotten. */
const rememberedCharacters = 10_000_000

export function openTemplateSources(storage: Storage, twig: Twig): StoredTemplates {
  const db = storage.tables<TemplateTables>()
  const remembered = new Map<string, readonly TemplateReference[]>()
  let characters = 0
  const referencesOf = (source: string) => {
    const known = remembered.get(source)
    if (known !== undefined) return known
    const references = readReferences(twig, source)
    characters += source.length
    if (characters > rememberedCharacters) {
      remembered.clear()
      characters = source.length
    }
    remembered.set(source, references)
    return references
  }
  /** Parsing them all at once would keep others waiting. */
  const referencesOfAll = async (texts: readonly string[]) => {
    const found: TemplateReference[] = []
    for (const text of texts) {
      if (!remembered.has(text)) await pause()
      found.push(...referencesOf(text))
    }
    return found
  }
  const load = async (
    references: readonly NamedReference[],
    { takesAny, from = db }: { takesAny: boolean; from?: Kysely<TemplateTables> | undefined },
  ) => {
    const sources = new Map<string, string>()
    const problems = new Map<string, NameProblem>()
    let waiting = references
    for (let level = 0; waiting.length > 0 && level <= defaultLimits.depth; level++) {
      // Only rendering can tell what a reference without a name leads to: to any of them.
      const isAny = takesAny && waiting.some(({ names }) => names.length === 0)
      const names = namesIn(waiting).filter((name) => !sources.has(name) && !problems.has(name))
      const rows = isAny ? await findAll(from) : await findNamed(from, names)
      const byName = indexByName(rows)
      const found = isAny ? new Set([...names, ...byName.keys()]) : names
      const added = Array.from(found).flatMap((name) =>
        addSource(name, byName.get(name) ?? [], { sources, problems }),
      )
      waiting = isAny ? [] : await referencesOfAll(added)
    }
    return { loader: sources, problemOf: (name: string) => problems.get(name) }
  }
  return {
    referencesOf,
    load: (references) => load(references, { takesAny: true }),
    loadNamed: (references, from) => load(references, { takesAny: false, from }),
  }
}

function readReferences(twig: Twig, source: string): readonly TemplateReference[] {
  try {
    return twig.analyze(source).references
  } catch (error) {
    if (error instanceof TwigError) return []
    throw error
  }
}

function namesIn(references: readonly NamedReference[]): string[] {
  return [...new Set(references.flatMap(({ names }) => names))]
}

/** By all that leads to them. */
function indexByName(rows: readonly FoundRow[]): Map<string, { row: FoundRow }[]> {
  const named = rows.flatMap((row) =>
    [...new Set([row.name, `id:${row.id}`])].map((name) => ({ name, row })),
  )
  return Map.groupBy(named, ({ name }) => name)
}

/** Puts the template of a name into the sources, or why there is none; returns what was put. */
function addSource(
  name: string,
  matching: readonly { row: FoundRow }[],
  { sources, problems }: { sources: Map<string, string>; problems: Map<string, NameProblem> },
): string[] {
  const published = matching.filter(({ row }) => row.is_published)
  const [only] = published
  if (published.length === 1 && only !== undefined) {
    sources.set(name, only.row.template)
    return [only.row.template]
  }
  if (published.length > 1) problems.set(name, 'ambiguous')
  else problems.set(name, matching.length > 0 ? 'unpublished' : 'missing')
  return []
}

async function findNamed(
  db: Kysely<TemplateTables>,
  names: readonly string[],
): Promise<FoundRow[]> {
  if (names.length === 0) return []
  const ids = names.flatMap((name) => /^id:(\d{1,15})$/.exec(name)?.[1] ?? []).map(Number)
  return selectSources(db)
    .where((where) =>
      where.or([
        where('name', 'in', [...names]),
        ids.length === 0 ? sql<boolean>`1 = 0` : where('id', 'in', ids),
      ]),
    )
    .execute()
}

async function findAll(db: Kysely<TemplateTables>): Promise<FoundRow[]> {
  return selectSources(db).where('is_published', '=', true).execute()
}

function selectSources(db: Kysely<TemplateTables>) {
  return db.selectFrom('twig_templates').select(['id', 'name', 'template', 'is_published'])
}
