import { pause } from '../kit/pause.ts'
import type { TemplateReference, Twig, TwigFault } from '../twig/index.ts'
import { ambiguousName } from './errors.ts'
import type { Remark } from './schema.ts'
import type {
  NamedTemplateSet,
  PendingTemplate,
  StoredTemplates,
  TemplateSet,
} from './template-sources.ts'

/** What can be said of a template without rendering it. */
export interface Lint {
  /** What keeps it from ever running. */
  faults: readonly TwigFault[]
  /** What is not an error yet: an include that leads nowhere, since the other template may come later. */
  warnings: Remark[]
  references: readonly TemplateReference[]
  /** Whether the stored templates that it was judged among are unchanged, but for those of `ownIds`. */
  isCurrent: NamedTemplateSet['isCurrent']
}

/** Lints templates as they stand among the others. */
export type LintTemplate = (template: {
  source: string
  name?: string
  id?: number
  /** Templates that are about to be saved before it. */
  pending?: readonly PendingTemplate[]
}) => Promise<Lint>

export function createLintTemplate(twig: Twig, sources: StoredTemplates): LintTemplate {
  return async ({ source, name, id, pending }) => {
    const set = await sources.loadNamed(sources.referencesOf(source), pending)
    // Of many templates in a batch, each takes a while to look into, and others wait.
    await pause()
    // What leads nowhere is a warning here; the other template may come later.
    const get = (each: string) =>
      set.problemOf(each) === undefined ? set.loader.get(each) : undefined
    const loader = { ...set.loader, get }
    const report = twig.lint(source, name, { loader })
    // A circle may come back by the template's other name.
    const isAlone = id === undefined || report.references.length === 0
    if (!isAlone) await pause()
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
    return { faults, warnings, references: report.references, isCurrent: set.isCurrent }
  }
}

const reasons = { missing: 'does not exist yet', unpublished: 'is not published' }

/** The first of several that exists counts. One that several templates have is an error, also where a missing one is not. */
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
