import { createHash } from 'node:crypto'
import Type, { type Static } from 'typebox'
import { AppError } from '../../../kit/app-error.ts'
import type { Caller } from '../../../kit/caller.ts'
import { type HostVariables, TwigError } from '../../../libraries/twig/index.ts'
import { nullable } from '../../../platform/http/index.ts'
import type { PendingTemplate, TemplateRow, Templates } from '../../templates/index.ts'
import { strangerData } from '../rendering/contact-data.ts'
import { type EmailRendererOptions, renderEmail } from '../rendering/email-renderer.ts'
import type { Emails } from '../service.ts'
import type { EmailRow } from '../table.ts'
import type { Dependent, FindDependents } from './template-graph.ts'
import { changedWords, unifiedDiff } from './unified-diff.ts'

/** An unsaved change of a template. */
export interface TemplateChange {
  template: TemplateRow
  /** The template as it will be. */
  changed: PendingTemplate & { id: number }
  caller: Caller
  context: HostVariables
}

const printed = nullable(Type.String())
const output = nullable(Type.Object({ subject: printed, html: printed, text: printed }), {
  description: 'With `only`: the whole output; null if it cannot be rendered.',
})

export const dependentShape = {
  id: Type.Integer(),
  name: Type.String(),
  isDirect: Type.Boolean({ description: 'False if it uses another template that does.' }),
}

/** A page of what a change of a template does to the templates and emails that use it. */
export const impactReport = Type.Object({
  total: Type.Integer({
    description: 'The number of dependents, with the template itself.',
    examples: [1],
  }),
  next: nullable(Type.Integer(), {
    description: 'The `start` of the next page; null after the last one.',
    examples: [null],
  }),
  impact: Type.Array(
    Type.Object(
      {
        kind: Type.Enum(['template', 'email']),
        ...dependentShape,
        changeKey: nullable(Type.String(), {
          description:
            'Entries with the same key change in the same way, or fail with the same error; null for what does not change.',
        }),
        diff: Type.String({
          description:
            'Unified; empty if nothing changes. Compares 200,000 characters; cut after 100,000.',
        }),
        errorBefore: nullable(Type.String()),
        errorAfter: nullable(Type.String()),
        before: Type.Optional(output),
        after: Type.Optional(output),
      },
      {
        examples: [
          {
            kind: 'email',
            id: 2,
            name: 'Invitation',
            isDirect: true,
            changeKey: 'mq1cQ9Zr0bXh4s7V',
            diff: '@@ -1,1 +1,1 @@\n-Hello there,\n+Dear reader,\n',
            errorBefore: null,
            errorAfter: null,
          },
        ],
      },
    ),
  ),
})
type ImpactReport = Static<typeof impactReport>
type Printed = NonNullable<Static<typeof output>>

/** Which dependents are asked for. */
export interface ImpactQuery {
  start: number
  /** One of them, with its whole output. */
  only?: Pick<Dependent, 'kind' | 'id'> | undefined
}

export interface MeasureImpactOptions {
  findDependents: FindDependents
  templates: Pick<Templates, 'findRow'>
  emails: Pick<Emails, 'findRow'>
  rendering: EmailRendererOptions
}

/** Rendering them takes some seconds at most. */
const pageSize = 50

/** Renders what uses a template, before and after a change of it: the template itself, then templates and emails. */
export type MeasureImpact = (change: TemplateChange, query: ImpactQuery) => Promise<ImpactReport>

export function createMeasureImpact(options: MeasureImpactOptions): MeasureImpact {
  const { findDependents, templates, emails, rendering } = options
  const { work, sources } = rendering
  return async ({ template, changed, caller, context }, { start, only }) => {
    const all: Dependent[] = [
      { kind: 'template', id: template.id, name: template.name, isDirect: true },
      ...(await findDependents(template.id, caller, changed)),
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
        load: (references, options) => sources.load(references, { ...options, pending: [changed] }),
      },
    }
    const impact: ImpactReport['impact'] = []
    for (const dependent of asked.slice(start, start + pageSize)) {
      const { kind, id } = dependent
      const record = await (kind === 'email' ? emails : templates).findRow(id)
      const before = await print(record, context, { rendering })
      const after = await print(record, context, { rendering: saved, changed })
      await work.turn()
      const whole = { before: before.printed, after: after.printed }
      const compared = compare(before, after)
      impact.push({ ...dependent, ...compared, ...(only === undefined ? {} : whole) })
    }
    const end = start + pageSize
    return { total: asked.length, impact, next: end < asked.length ? end : null }
  }
}

function notDependent({ kind, id }: Pick<Dependent, 'kind' | 'id'>, template: TemplateRow) {
  const message = `There is no ${kind} ${id} that uses template ${template.id}. GET /api/twigTemplates/${template.id}/dependents lists them.`
  return new AppError('not_found', 'dependent_not_found', message)
}

/** What was printed, or why nothing was. */
type PrintResult = { printed: Printed; error: null } | { printed: null; error: string }

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
  if (record === undefined) return { printed: null, error: 'It was deleted.' }
  try {
    const printed =
      'custom_html' in record
        ? await printEmail(record, context, options)
        : await printTemplate(record, context, options)
    return { printed, error: null }
  } catch (error) {
    if (!(error instanceof TwigError)) throw error
    return { printed: null, error: error.message }
  }
}

async function printTemplate(
  template: TemplateRow,
  context: HostVariables,
  { rendering, changed }: PrintOptions,
): Promise<Printed> {
  const { sources, engines, work } = rendering
  const { id, name, brand_id: brand } = template
  const { template: source } = changed?.id === id ? changed : template
  await work.turn()
  const references = sources.referencesOf(source)
  const { loader } = await sources.load(references, { brand })
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
  const { contact } = context as { contact?: unknown }
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

/** The text of an email is mostly that of its HTML, whose lines break elsewhere: what the HTML has is enough. */
function keyOfChange(before: PrintResult, after: PrintResult, diff: string): string {
  const ofHtml = changedWords(before.printed?.html ?? '', after.printed?.html ?? '')
  const change = after.error ?? (ofHtml || diff)
  return createHash('sha256').update(change).digest('base64url').slice(0, 16)
}

function textOf({ printed }: PrintResult): string {
  if (printed === null) return ''
  const { subject, html, text } = printed
  if (subject === null) return html ?? ''
  return [`Subject: ${subject}`, '', html ?? '', '', text ?? ''].join('\n')
}
