import { createHash } from 'node:crypto'
import type { EmailRow, Emails } from '../../emails/index.ts'
import { AppError } from '../../kit/app-error.ts'
import type { PendingTemplate, TemplateRow, Templates } from '../../templates/index.ts'
import { type HostVariables, TwigError } from '../../twig/index.ts'
import { strangerData } from '../rendering/contact-data.ts'
import { type EmailRendererOptions, renderEmail } from '../rendering/email-renderer.ts'
import type { Impact, Printed } from './impact-schema.ts'
import type { Dependent, FindDependents } from './template-graph.ts'
import { changesIn, unifiedDiff } from './unified-diff.ts'

/** An unsaved change of a template. */
export interface TemplateChange {
  template: TemplateRow
  /** The template as it will be. */
  changed: PendingTemplate & { id: number }
  context: HostVariables
}

/** Which dependents are asked for. */
export interface ImpactQuery {
  start: number
  /** One of them, with its whole output. */
  only?: Pick<Impact, 'kind' | 'id'> | undefined
}

/** A page of the impact of a change. */
export interface ImpactReport {
  /** The number of dependents, with the template itself. */
  total: number
  impact: Impact[]
  /** The start of the next page; null after the last one. */
  next: number | null
}

export interface MeasureImpactOptions {
  findDependents: FindDependents
  templates: Pick<Templates, 'findRow'>
  emails: Pick<Emails, 'findRow'>
  rendering: EmailRendererOptions
}

/** A page has at least one dependent and takes about this long. */
const pageMs = 3_000
const pageSizeMax = 200

/** Renders what uses a template, before and after a change of it: the template itself, then templates and emails. */
export type MeasureImpact = (change: TemplateChange, query: ImpactQuery) => Promise<ImpactReport>

export function createMeasureImpact(options: MeasureImpactOptions): MeasureImpact {
  const { findDependents, templates, emails, rendering } = options
  const { work, sources } = rendering
  return async ({ template, changed, context }, { start, only }) => {
    const all: Dependent[] = [
      { kind: 'template', id: template.id, name: template.name, isDirect: true },
      ...(await findDependents(template.id, { ...changed, id: template.id })),
    ]
    const isAsked = ({ kind, id }: Dependent) =>
      only === undefined || (kind === only.kind && id === only.id)
    const asked = all.filter(isAsked)
    if (only !== undefined && asked.length === 0) throw notDependent(only, template)
    // The templates as they will be.
    const saved: EmailRendererOptions = {
      ...rendering,
      sources: {
        referencesOf: (text) => sources.referencesOf(text),
        variablesOf: (text) => sources.variablesOf(text),
        load: (references, { mauticId } = {}) =>
          sources.load(references, { mauticId, pending: [changed] }),
      },
    }
    const impact: Impact[] = []
    const startedAt = performance.now()
    for (const dependent of asked.slice(start, start + pageSizeMax)) {
      if (impact.length > 0 && performance.now() - startedAt > pageMs) break
      const { kind, id } = dependent
      const record = await (kind === 'email' ? emails : templates).findRow(id)
      const before = await print(record, context, { rendering })
      const after = await print(record, context, { rendering: saved, changed })
      await work.turn()
      const compared = compare(before, after)
      const whole = { before: before.printed, after: after.printed }
      impact.push({ ...dependent, ...compared, ...(only === undefined ? {} : whole) })
    }
    const end = start + impact.length
    return { total: asked.length, impact, next: end < asked.length ? end : null }
  }
}

function notDependent({ kind, id }: Pick<Impact, 'kind' | 'id'>, template: TemplateRow): AppError {
  const message = `There is no ${kind} ${id} that uses template ${template.id}. GET /api/twigTemplates/${template.id}/dependents lists them.`
  return new AppError('not_found', 'dependent_not_found', message)
}

/** What was printed, or why nothing was; `reason` is the error without its place. */
type PrintResult =
  | { printed: Printed; error: null; reason: null }
  | { printed: null; error: string; reason: string }

/** What to print with; `changed` is the template that a change leaves so. */
interface PrintOptions {
  rendering: EmailRendererOptions
  changed?: PendingTemplate
}

/** Prints a dependent. One that was deleted meanwhile prints an error. */
async function print(
  record: EmailRow | TemplateRow | undefined,
  context: HostVariables,
  options: PrintOptions,
): Promise<PrintResult> {
  if (record === undefined)
    return { printed: null, error: 'It was deleted.', reason: 'It was deleted.' }
  try {
    const printed =
      'custom_html' in record
        ? await printEmail(record, context, options)
        : await printTemplate(record, context, options)
    return { printed, error: null, reason: null }
  } catch (error) {
    if (!(error instanceof TwigError)) throw error
    return { printed: null, error: error.message, reason: error.rawMessage }
  }
}

async function printTemplate(
  template: TemplateRow,
  context: HostVariables,
  { rendering, changed }: PrintOptions,
): Promise<Printed> {
  const { sources, engines, work } = rendering
  const { id, name, mautic_id: mauticId } = template
  const { template: source } = changed?.id === id ? changed : template
  await work.turn()
  const references = sources.referencesOf(source)
  const { loader } = await sources.load(references, { mauticId: mauticId ?? undefined })
  await work.turn()
  const html = engines.html.renderSource(source, context, { loader, name })
  return { subject: null, html, text: null }
}

async function printEmail(
  email: EmailRow,
  context: HostVariables,
  { rendering }: PrintOptions,
): Promise<Printed> {
  await rendering.work.turn()
  const contact = contactIn(context)
  const to = { address: 'contact@example.com', name: '' }
  const { subject, html, text } = await renderEmail(email, { contact, to }, rendering)
  return { subject, html, text }
}

function contactIn(context: HostVariables): Readonly<Record<string, unknown>> {
  const contact: unknown =
    context instanceof Map ? context.get('contact') : Reflect.get(context, 'contact')
  const isObject = typeof contact === 'object' && contact !== null
  return isObject ? (contact as Record<string, unknown>) : strangerData('contact@example.com')
}

function compare(before: PrintResult, after: PrintResult) {
  const [old, now] = [textOf(before), textOf(after)]
  const isChanged = old !== now || (before.error === null) !== (after.error === null)
  const diff = unifiedDiff(old, now)
  return {
    changeKey: isChanged ? keyOfChange(before, after, diff) : null,
    diff,
    errorBefore: before.error,
    errorAfter: after.error,
  }
}

/**
 * Two outputs that change in the same way have the same key, whatever stands around the changes. The text of an email is mostly that
 * of its HTML, whose lines break elsewhere: what the HTML has is enough.
 */
function keyOfChange(before: PrintResult, after: PrintResult, diff: string): string {
  const diffOfHtml = unifiedDiff(before.printed?.html ?? '', after.printed?.html ?? '')
  const change = after.reason ?? JSON.stringify(changesIn(diffOfHtml || diff))
  return createHash('sha256').update(change).digest('base64url').slice(0, 16)
}

function textOf({ printed }: PrintResult): string {
  if (printed === null) return ''
  const { subject, html, text } = printed
  if (subject === null) return html ?? ''
  return [`Subject: ${subject}`, '', html ?? '', '', text ?? ''].join('\n')
}
