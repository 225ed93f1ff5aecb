import { nameKey } from '../../kit/name-key.ts'
import { pause } from '../../kit/pause.ts'
import type { TemplateRow, TemplateSources } from '../../templates/index.ts'
import { type HostVariables, TwigError } from '../../twig/index.ts'
import { strangerData } from '../rendering/contact-data.ts'
import { type EmailRendererOptions, prepareEmail } from '../rendering/email-renderer.ts'
import { type Dependent, type FindDependents, namesOf } from './find-dependents.ts'
import { unifiedDiff } from './unified-diff.ts'

/** What a change of a template does to one thing that uses it. */
export interface Impact {
  kind: 'template' | 'email'
  id: number
  name: string
  isDirect: boolean
  isChanged: boolean
  /** What it prints now against what it would print, as a unified diff; empty where that is the same. */
  diff: string
  /** Why it cannot be rendered, now and then; null where it can. */
  errorBefore: string | null
  errorAfter: string | null
}

/** The impact of a change that is not saved. */
export interface ImpactReport {
  impact: Impact[]
  /** Whether there are more dependents than were rendered. */
  isComplete: boolean
}

/** Renders everything that uses a template, as it is and as it would be. */
export type MeasureImpact = (change: {
  template: TemplateRow
  source: string
  context: HostVariables
}) => Promise<ImpactReport>

const dependentsMax = 200

export function createMeasureImpact(
  findDependents: FindDependents,
  rendering: EmailRendererOptions,
): MeasureImpact {
  return async ({ template, source, context }) => {
    const itself: Dependent = { kind: 'template', isDirect: true, row: template }
    const dependents = [itself, ...(await findDependents(template))]
    const after = withSource(rendering.sources, namesOf(template), source)
    const impact: Impact[] = []
    for (const dependent of dependents.slice(0, dependentsMax)) {
      const before = await print(dependent, rendering, context)
      await pause()
      const replaced = { id: template.id, source }
      const then = await print(dependent, { ...rendering, sources: after }, context, replaced)
      await pause()
      impact.push(compare(dependent, before, then))
      await pause()
    }
    return { impact, isComplete: dependents.length <= dependentsMax }
  }
}

/** The same templates, one of them with another text. */
function withSource(
  sources: TemplateSources,
  names: readonly string[],
  source: string,
): TemplateSources {
  return {
    referencesOf: (text) => sources.referencesOf(text),
    async load(references) {
      const set = await sources.load([...references, ...sources.referencesOf(source)])
      const isReplaced = (name: string) =>
        names.includes(nameKey(name)) && set.problemOf(name)?.kind !== 'ambiguous'
      const get = (name: string) => (isReplaced(name) ? source : set.loader.get(name))
      return { ...set, loader: { get } }
    },
  }
}

type Printed = { text: string } | { error: string }

async function print(
  dependent: Dependent,
  rendering: EmailRendererOptions,
  context: HostVariables,
  replaced?: { id: number; source: string },
): Promise<Printed> {
  try {
    if (dependent.kind === 'email')
      return { text: await printEmail(dependent.row, rendering, context) }
    const { row } = dependent
    const source = row.id === replaced?.id ? replaced.source : row.template
    const { sources, engines } = rendering
    const { loader } = await sources.load(sources.referencesOf(source))
    return { text: engines.html.renderSource(source, context, { loader, name: row.name }) }
  } catch (error) {
    if (error instanceof TwigError) return { error: error.message }
    throw error
  }
}

async function printEmail(
  row: Extract<Dependent, { kind: 'email' }>['row'],
  rendering: EmailRendererOptions,
  context: HostVariables,
): Promise<string> {
  const renderer = await prepareEmail(row, rendering)
  const contact = contactIn(context)
  const to = { address: 'contact@example.com', name: '' }
  const { subject, html, text } = renderer.render(contact, to)
  return [`Subject: ${subject}`, '', html ?? '', '', text ?? ''].join('\n')
}

function contactIn(context: HostVariables): Readonly<Record<string, unknown>> {
  const contact: unknown =
    context instanceof Map ? context.get('contact') : Reflect.get(context, 'contact')
  const isObject = typeof contact === 'object' && contact !== null
  return isObject ? (contact as Record<string, unknown>) : strangerData('contact@example.com')
}

function compare(dependent: Dependent, before: Printed, after: Printed): Impact {
  const { kind, isDirect, row } = dependent
  const [old, now] = ['text' in before ? before.text : '', 'text' in after ? after.text : '']
  const isChanged = old !== now || 'error' in before !== 'error' in after
  return {
    kind,
    id: row.id,
    name: row.name,
    isDirect,
    isChanged,
    diff: unifiedDiff(old, now),
    errorBefore: 'error' in before ? before.error : null,
    errorAfter: 'error' in after ? after.error : null,
  }
}
