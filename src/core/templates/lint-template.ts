import { noBrand } from '../../kit/caller.ts'
import type { WorkQueue } from '../../kit/work-queue.ts'
import type {
  TemplateReference,
  Twig,
  TwigFault,
  VariableRead,
} from '../../libraries/twig/index.ts'
import type { Remark } from './schema.ts'
import { idName, remarkOnName, remarkOnUse } from './template-names.ts'
import type {
  CurrentCheck,
  PendingTemplate,
  StoredTemplates,
  TemplateSet,
} from './template-sources.ts'

/** The result of linting a template. */
export interface Lint {
  /** Faults that keep it from running. */
  faults: readonly TwigFault[]
  /** Such as an include of a template that does not exist yet. */
  warnings: Remark[]
  references: readonly TemplateReference[]
  variables: readonly VariableRead[]
  /** Whether the stored templates that it was linted with are unchanged, except those of `ownIds`. */
  isCurrent: CurrentCheck
}

/** Lints a template together with the stored ones that it refers to. */
export type LintTemplate = (template: {
  source: string
  name?: string
  id?: number
  /** The brand that it belongs to, whose templates it may use. Default: only those of all. */
  brand?: number | undefined
  /** Default: true. */
  isPublished?: boolean
  /** Templates that the same request saves before it. */
  pending?: readonly PendingTemplate[]
  /** How many faults, and how many warnings of the engine, are reported at most. Default: 200. */
  faultsMax?: number
}) => Promise<Lint>

export function createLintTemplate(
  twig: Twig,
  sources: StoredTemplates,
  work: WorkQueue,
): LintTemplate {
  return async ({
    source,
    name,
    id,
    brand = noBrand,
    isPublished = true,
    pending = [],
    faultsMax = 200,
  }) => {
    await work.turn()
    const linted =
      name === undefined ? undefined : ownTemplate({ source, name, id, brand, isPublished })
    const names = linted === undefined ? [] : [{ names: [linted.name] }]
    const references = [...sources.referencesOf(source), ...names]
    const set = await sources.loadNamed(references, { brand, pending, linted })
    await work.turn()
    const { loader } = set
    const meant = linted && set.meantBy(linted.name)
    const byId = id === undefined ? undefined : idName(id)
    // An include of its name is one of itself only if the name means it.
    const report = twig.lint(source, meant === linted ? name : byId, { loader, faultsMax })
    // A template may include itself by its id as well.
    const isAlone = byId === undefined || report.references.length === 0
    if (!isAlone) await work.turn()
    const faultsById = isAlone ? [] : twig.lint(source, byId, { loader, faultsMax }).faults
    const circles = faultsById.filter(({ rawMessage }) =>
      rawMessage.startsWith('The template includes itself'),
    )
    const faults = report.faults.length > 0 ? report.faults : circles
    const ofName = linted && remarkOnName(linted, set.namesakesOf(linted.name), meant)
    const warnings = [
      ...(ofName === undefined ? [] : [{ message: ofName, line: 1, column: 1 }]),
      ...report.warnings.map(remarkOf),
      ...warnOfEach(report.references, set),
    ]
    return {
      faults,
      warnings,
      references: report.references,
      variables: report.variables,
      isCurrent: set.currentCheck(),
    }
  }
}

/** Converts a fault or a warning of the engine to what the API shows of it. */
export function remarkOf({ rawMessage, line, column }: TwigFault): Remark {
  return { message: rawMessage, line, column }
}

interface NamedSource {
  source: string
  name: string
  id: number | undefined
  brand: number
  isPublished: boolean
}

function ownTemplate({ source, name, id, brand, isPublished }: NamedSource): PendingTemplate {
  return { id, name, template: source, is_published: isPublished, brand_id: brand }
}

const reasons = { missing: 'does not exist yet', unpublished: 'is not published' }

/** Warns of each reference. Those that are alike have the same message: thousands of templates may have the name. */
function warnOfEach(references: readonly TemplateReference[], set: TemplateSet): Remark[] {
  const messages = new Map<string, string | undefined>()
  return references.flatMap((reference) => {
    const { names, type, ignoresMissing, line, column } = reference
    const likeness = JSON.stringify([type, ignoresMissing, names])
    if (!messages.has(likeness)) messages.set(likeness, warn(reference, set))
    const message = messages.get(likeness)
    return message === undefined ? [] : [{ message, line, column }]
  })
}

/** The first name that finds a template counts. */
function warn(
  { names, type, ignoresMissing }: TemplateReference,
  set: TemplateSet,
): string | undefined {
  const problems: string[] = []
  for (const name of names) {
    const meant = set.meantBy(name)
    if (meant !== undefined) return remarkOnUse({ name, use: type }, set.namesakesOf(name), meant)
    problems.push(`"${name}" ${reasons[set.problemOf(name) ?? 'missing']}`)
  }
  if (names.length === 0 || ignoresMissing) return undefined
  return `The template of this ${type} ${problems.join(', and ')}.`
}
