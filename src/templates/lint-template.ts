import type { WorkQueue } from '../kit/work-queue.ts'
import type { TemplateReference, Twig, TwigFault, VariableRead } from '../twig/index.ts'
import { ambiguousName } from './errors.ts'
import type { Remark } from './schema.ts'
import type {
  NamedTemplateSet,
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
  isCurrent: NamedTemplateSet['isCurrent']
}

/** Lints a template together with the stored ones that it refers to. */
export type LintTemplate = (template: {
  source: string
  name?: string
  id?: number
  /** The Mautic that it belongs to, whose templates it may use. Default: only those of all. */
  mauticId?: number | undefined
  /** Templates that the same request saves before it. */
  pending?: readonly PendingTemplate[]
}) => Promise<Lint>

export function createLintTemplate(
  twig: Twig,
  sources: StoredTemplates,
  work: WorkQueue,
): LintTemplate {
  return async ({ source, name, id, mauticId, pending }) => {
    await work.turn()
    const set = await sources.loadNamed(sources.referencesOf(source), { mauticId, pending })
    await work.turn()
    // A missing template is a warning here; it may be saved later.
    const get = (each: string) =>
      set.problemOf(each) === undefined ? set.loader.get(each) : undefined
    const loader = { ...set.loader, get }
    const report = twig.lint(source, name, { loader })
    // A template may include itself by its id as well.
    const isAlone = id === undefined || report.references.length === 0
    if (!isAlone) await work.turn()
    const byId = isAlone ? [] : twig.lint(source, `id:${id}`, { loader }).faults
    const circles = byId.filter(({ rawMessage }) =>
      rawMessage.startsWith('The template includes itself'),
    )
    const faults = report.faults.length > 0 ? report.faults : circles
    const remarks = report.warnings.map(({ rawMessage, line, column }) => ({
      message: rawMessage,
      line,
      column,
    }))
    const warnings = [...remarks, ...report.references.flatMap((each) => warn(each, set))]
    const { references, variables } = report
    return { faults, warnings, references, variables, isCurrent: set.isCurrent }
  }
}

const reasons = { missing: 'does not exist yet', unpublished: 'is not published' }

/** The first name that exists counts. A name that several templates have is an error even with `ignore missing`. */
function warn(reference: TemplateReference, set: TemplateSet): Remark[] {
  const { names, type, line, column, ignoresMissing } = reference
  const problems: string[] = []
  for (const name of names) {
    const problem = set.problemOf(name)
    if (problem === undefined) return []
    if (problem.kind === 'ambiguous') {
      return [{ message: ambiguousName(name, problem.ids), line, column }]
    }
    problems.push(`"${name}" ${reasons[problem.kind]}`)
  }
  if (names.length === 0 || ignoresMissing) return []
  return [{ message: `The template of this ${type} ${problems.join(', and ')}.`, line, column }]
}
