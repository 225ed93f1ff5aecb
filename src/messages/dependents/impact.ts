import type { EmailRow, Emails } from '../../emails/index.ts'
import { AppError } from '../../kit/app-error.ts'
import type {
  PendingTemplate,
  TemplateRow,
  TemplateSources,
  Templates,
} from '../../templates/index.ts'
import { type HostVariables, TwigError } from '../../twig/index.ts'
import { strangerData } from '../rendering/contact-data.ts'
import { type EmailRendererOptions, prepareEmail } from '../rendering/email-renderer.ts'
import { changeKey } from './change-key.ts'
import type { Dependent, FindDependents } from './find-dependents.ts'
import { unifiedDiff } from './unified-diff.ts'

/** What a template or an email prints; null for a part that it does not have. */
export interface Printed {
  subject: string | null
  html: string | null
  text: string | null
}

/** What a change of a template does to one template or email that uses it. */
export interface Impact {
  kind: Dependent['kind']
  id: number
  name: string
  isDirect: boolean
  isChanged: boolean
  /** Those that change in the same way, or fail with the same error, have the same; null for what does not change. */
  changeKey: string | null
  /** How many deliveries an email had in the last day, up to 10,000; null for a template. */
  deliveries: number | null
  /** The difference of its output before and after, as a unified diff; empty if it is the same. */
  diff: string
  /** Why it cannot be rendered before or after; null if it can. */
  errorBefore: string | null
  errorAfter: string | null
  /** The whole output, if one dependent was asked for; null if it cannot be rendered. */
  before?: Printed | null
  after?: Printed | null
}

/** A page of the impact of an unsaved change. */
export interface ImpactReport {
  /** The number of dependents, with the template itself. */
  total: number
  impact: Impact[]
  /** Whether the page has the last dependent. */
  isComplete: boolean
  /** The start of the next page; null after the last one. */
  next: number | null
}

/** An unsaved change of a template. */
export interface TemplateChange {
  template: TemplateRow
  /** The template as it will be. */
  changed: PendingTemplate
  context: HostVariables
}

/** The part of the dependents that a report has. */
export interface ImpactPage {
  start: number
  limit: number
}

/** Renders what uses a template, before and after a change of it. */
export interface MeasureImpact {
  /** The template itself, the templates and the emails that use it, in order. A page ends early when it takes too long. */
  page(change: TemplateChange, page: ImpactPage): Promise<ImpactReport>
  /** One dependent, with its whole output. Throws an AppError (`not_found`) if it does not use the template. */
  one(change: TemplateChange, dependent: Pick<Impact, 'kind' | 'id'>): Promise<Impact>
}

/** A page has at least one dependent and takes about this long. */
const pageMs = 3_000

export interface MeasureImpactOptions {
  findDependents: FindDependents
  templates: Pick<Templates, 'findRow'>
  emails: Pick<Emails, 'findRow'>
  /** Counts the deliveries of emails in the last day, by their ids. */
  countDeliveries: (emailIds: readonly number[]) => Promise<ReadonlyMap<number, number>>
  rendering: EmailRendererOptions
}

export function createMeasureImpact(options: MeasureImpactOptions): MeasureImpact {
  const { findDependents, rendering } = options
  const { work } = rendering
  const find = async ({ template, changed }: TemplateChange): Promise<Dependent[]> => [
    { kind: 'template', id: template.id, name: template.name, isDirect: true },
    ...(await findDependents(template, { ...changed, id: template.id })),
  ]
  const measure = async (dependent: Dependent, { changed, context }: TemplateChange) => {
    const sources = withPending(rendering.sources, changed)
    const print = await preparePrint(dependent, options)
    const before = await print(context, { rendering })
    const after = await print(context, { rendering: { ...rendering, sources }, changed })
    await work.turn()
    return { before, after, ...compare(before, after) }
  }
  return {
    async page(change, { start, limit }) {
      const dependents = await find(change)
      const page = dependents.slice(start, start + limit)
      const impact: Impact[] = []
      const startedAt = performance.now()
      for (const dependent of page) {
        if (impact.length > 0 && performance.now() - startedAt > pageMs) break
        const { before: _before, after: _after, ...compared } = await measure(dependent, change)
        impact.push({ ...dependent, ...compared, deliveries: null })
      }
      await addDeliveries(impact, options)
      const end = start + impact.length
      const isComplete = end >= dependents.length
      return { total: dependents.length, impact, isComplete, next: isComplete ? null : end }
    },
    async one(change, { kind, id }) {
      const dependents = await find(change)
      const dependent = dependents.find((each) => each.kind === kind && each.id === id)
      if (dependent === undefined) throw notDependent(kind, id, change.template)
      const { before, after, ...compared } = await measure(dependent, change)
      const whole = (result: PrintResult) => ('error' in result ? null : result)
      const impact: Impact = { ...dependent, ...compared, deliveries: null }
      await addDeliveries([impact], options)
      return { ...impact, before: whole(before), after: whole(after) }
    },
  }
}

function notDependent(kind: string, id: number, template: TemplateRow): AppError {
  const message = `There is no ${kind} ${id} that uses template ${template.id}. GET /api/twigTemplates/${template.id}/dependents lists them.`
  return new AppError('not_found', 'dependent_not_found', message)
}

/** Returns the templates as they will be when one is saved. */
function withPending(sources: TemplateSources, changed: PendingTemplate): TemplateSources {
  return {
    referencesOf: (text) => sources.referencesOf(text),
    variablesOf: (text) => sources.variablesOf(text),
    load: (references, { mauticId } = {}) =>
      sources.load(references, { mauticId, pending: [changed] }),
  }
}

/** `reason` is the error without its place. */
type PrintResult = Printed | { error: string; reason: string }

/** What to print with; `changed` is the template that a change leaves so. */
interface PrintVersion {
  rendering: EmailRendererOptions
  changed?: PendingTemplate
}

const deletedMeanwhile = { error: 'It was deleted.', reason: 'It was deleted.' }

type Print = (context: HostVariables, version: PrintVersion) => Promise<PrintResult>

/** Reads a dependent. One that was deleted meanwhile prints an error. */
async function preparePrint(
  { kind, id: ownId }: Dependent,
  { templates, emails }: MeasureImpactOptions,
): Promise<Print> {
  const email = kind === 'email' ? await emails.findRow(ownId) : undefined
  const template = kind === 'template' ? await templates.findRow(ownId) : undefined
  return async (context, { rendering, changed }) => {
    try {
      if (email !== undefined) return await printEmail(email, rendering, context)
      if (template === undefined) return deletedMeanwhile
      const { template: source } = changed?.id === template.id ? changed : template
      const { sources, engines, work } = rendering
      await work.turn()
      const { name, mautic_id: mauticId } = template
      const references = sources.referencesOf(source)
      const { loader } = await sources.load(references, { mauticId: mauticId ?? undefined })
      await work.turn()
      return {
        subject: null,
        html: engines.html.renderSource(source, context, { loader, name }),
        text: null,
      }
    } catch (error) {
      if (error instanceof TwigError) return { error: error.message, reason: error.rawMessage }
      throw error
    }
  }
}

async function printEmail(
  row: EmailRow,
  rendering: EmailRendererOptions,
  context: HostVariables,
): Promise<Printed> {
  const renderer = await prepareEmail(row, rendering)
  const contact = contactIn(context)
  const to = { address: 'contact@example.com', name: '' }
  await rendering.work.turn()
  const { subject, html, text } = renderer.render(contact, to)
  return { subject, html, text }
}

function contactIn(context: HostVariables): Readonly<Record<string, unknown>> {
  const contact: unknown =
    context instanceof Map ? context.get('contact') : Reflect.get(context, 'contact')
  const isObject = typeof contact === 'object' && contact !== null
  return isObject ? (contact as Record<string, unknown>) : strangerData('contact@example.com')
}

async function addDeliveries(
  impact: readonly Impact[],
  { countDeliveries }: MeasureImpactOptions,
): Promise<void> {
  const emails = impact.filter(({ kind }) => kind === 'email')
  const counts = await countDeliveries(emails.map(({ id }) => id))
  for (const each of emails) each.deliveries = counts.get(each.id) ?? 0
}

function compare(before: PrintResult, after: PrintResult) {
  const [old, now] = [textOf(before), textOf(after)]
  const isChanged = old !== now || 'error' in before !== 'error' in after
  const diff = unifiedDiff(old, now)
  return {
    isChanged,
    changeKey: isChanged ? keyOfChange(before, after, diff) : null,
    diff,
    errorBefore: 'error' in before ? before.error : null,
    errorAfter: 'error' in after ? after.error : null,
  }
}

/** The text of an email is mostly that of its HTML, whose lines break elsewhere: what the HTML has is enough. */
function keyOfChange(before: PrintResult, after: PrintResult, diff: string): string {
  if ('error' in after) return changeKey('', after.reason)
  const htmlBefore = 'error' in before ? '' : (before.html ?? '')
  return changeKey(unifiedDiff(htmlBefore, after.html ?? '') || diff, null)
}

function textOf(result: PrintResult): string {
  if ('error' in result) return ''
  const { subject, html, text } = result
  if (subject === null) return html ?? ''
  return [`Subject: ${subject}`, '', html ?? '', '', text ?? ''].join('\n')
}
