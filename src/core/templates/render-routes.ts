import Type, { type Static } from 'typebox'
import { type Caller, noBrand } from '../../kit/caller.ts'
import type { WorkQueue } from '../../kit/work-queue.ts'
import type { HostVariables } from '../../libraries/twig/index.ts'
import {
  type Callers,
  type HttpApp,
  recordId,
  text,
  validationError,
} from '../../platform/http/index.ts'
import { defaultBrand } from '../../platform/resource/index.ts'
import { sourceMissing } from './errors.ts'
import type { RenderTemplate } from './render-template.ts'
import type { Templates } from './service.ts'

/** Reads the variable `contact` of templates. Throws an AppError (`not_found`, `forbidden`). */
export type ReadContactData = (id: number, caller: Caller) => Promise<Record<string, unknown>>

export interface RenderRouteParts {
  templates: Templates
  render: RenderTemplate
  /** Converts HTML to plain text, as for emails without a text of their own. */
  textOfHtml: (html: string) => string
  readContactData: ReadContactData
  callers: Callers
  work: WorkQueue
}

const tags = ['twigTemplates']
const config = { permission: 'twigtemplates:view' as const, isExpensive: true }

/** The code that a request is about. */
export const sourceBody = Type.Object(
  {
    template: text('The code itself.', { maxLength: 1_000_000 }),
    id: Type.Optional(
      recordId('A saved template. With `template`, that code is taken as its new code.'),
    ),
  },
  { examples: [{ template: 'Hello {{ contact.firstname }}' }] },
)

/** The variables of a request; see `readVariables`. */
export const variableMembers = (description: string) => ({
  context: Type.Optional(
    Type.Unsafe<HostVariables>({
      // PHP's empty array is [].
      type: ['object', 'array'],
      additionalProperties: true,
      description,
    }),
  ),
  contactId: Type.Optional(
    recordId('The contact that `contact` stands for; needs `contact: view`.'),
  ),
})

const renderBody = Type.Object(
  {
    ...sourceBody.properties,
    ...variableMembers('The variables.'),
    locale: Type.Optional(
      Type.String({ pattern: '^[A-Za-z0-9_-]{1,64}$', fault: 'must be a locale, such as de-AT' }),
    ),
    timezone: text('Such as Europe/Vienna.', { maxLength: 64 }),
    withText: Type.Optional(Type.Boolean({ description: 'Whether to answer `text` too.' })),
  },
  {
    examples: [
      { template: 'Hello {{ contact.firstname }}', context: { contact: { firstname: 'Carla' } } },
    ],
  },
)

/** How many characters are converted to text. A longer output is cut off there. */
const convertedMax = 1_000_000

/** Adds `POST /render`. */
export function addRenderRoute(app: HttpApp, parts: RenderRouteParts): void {
  const { templates, render, textOfHtml, readContactData, callers, work } = parts
  const schema = {
    operationId: 'renderTwigTemplate',
    summary: 'Render a template',
    tags,
    body: renderBody,
    response: {
      200: Type.Object(
        {
          output: Type.String(),
          durationMs: Type.Number(),
          text: text('The output as the plain text of an email.'),
        },
        { examples: [{ output: 'Hello Carla', durationMs: 0.4 }] },
      ),
    },
  }
  app.post('/api/twigTemplates/render', { schema, config }, async (request) => {
    const { locale, timezone, withText } = request.body
    checkTimezone(timezone)
    const caller = callers.of(request)
    const { source, name, brand } = await readSource(request.body, { templates, caller })
    const context = await readVariables(request.body, readContactData, caller)
    const localeName = locale?.replaceAll('_', '-')
    const place = { locale: localeName, timezone }
    const rendering = await render({ source, name, context, brand, ...place })
    if (!withText) return rendering
    await work.turn()
    return { ...rendering, text: textOfHtml(rendering.output.slice(0, convertedMax)) }
  })
}

/** Reads the variables of a request. Throws as `readContactData`. */
export async function readVariables(
  { context = {}, contactId }: { context?: HostVariables; contactId?: number },
  readContactData: ReadContactData,
  caller: Caller,
): Promise<HostVariables> {
  if (contactId === undefined) return context
  return { ...context, contact: await readContactData(contactId, caller) }
}

interface ReadSource {
  source: string
  name?: string
  id?: number
  isPublished?: boolean
  /** The brand whose templates it may use, besides those of all. */
  brand: number
}

/** Reads the code that a request is about. Throws an AppError (`invalid`, `not_found`). */
export async function readSource(
  { template, id }: Static<typeof sourceBody>,
  { templates, caller }: { templates: Pick<Templates, 'getRow'>; caller: Caller },
): Promise<ReadSource> {
  if (id === undefined) {
    if (template === undefined) throw sourceMissing()
    return { source: template, brand: defaultBrand(caller) ?? noBrand }
  }
  const row = await templates.getRow(id, caller)
  const { name, brand_id: brand } = row
  const isPublished = Boolean(row.is_published)
  return { source: template ?? row.template, name, id, isPublished, brand }
}

function checkTimezone(timezone: string | undefined): void {
  if (timezone === undefined) return
  try {
    new Intl.DateTimeFormat('en', { timeZone: timezone })
  } catch {
    throw validationError({ timezone: ['must be a time zone, such as Europe/Vienna'] })
  }
}
