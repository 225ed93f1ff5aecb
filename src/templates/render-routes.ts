import Type, { type Static } from 'typebox'
import { type HttpApp, idParameters, readId, recordId, validationError } from '../http/index.ts'
import { type HostVariables, type Twig, TwigError, type VariableRead } from '../twig/index.ts'
import { refuseFaults, renderFailed, sourceMissing } from './errors.ts'
import type { LintTemplate } from './lint-template.ts'
import type { RenderTemplate } from './render-template.ts'
import { remark } from './schema.ts'
import type { Templates } from './service.ts'

/** What rendering and linting are made of. */
export interface RenderRouteParts {
  templates: Templates
  twig: Twig
  lint: LintTemplate
  render: RenderTemplate
}

const tags = ['twigTemplates']
const config = { permission: 'twigtemplates:view' as const }

const sourceBody = Type.Object(
  {
    template: Type.Optional(Type.String({ maxLength: 1_000_000, description: 'The code itself.' })),
    id: Type.Optional(recordId('Or a saved template.')),
  },
  { examples: [{ template: 'Hello {{ contact.firstname }}' }] },
)

const renderBody = Type.Object(
  {
    ...sourceBody.properties,
    context: Type.Optional(
      Type.Unsafe<HostVariables>({
        // PHP's empty array is [].
        type: ['object', 'array'],
        description: 'The variables.',
      }),
    ),
    locale: Type.Optional(
      Type.String({ pattern: '^[A-Za-z0-9_-]{1,64}$', fault: 'must be a locale, such as de-AT' }),
    ),
    timezone: Type.Optional(Type.String({ maxLength: 64, description: 'Such as Europe/Vienna.' })),
  },
  {
    examples: [
      { template: 'Hello {{ contact.firstname }}', context: { contact: { firstname: 'Carla' } } },
    ],
  },
)

/** Adds `POST /render`, `POST /lint` and `GET /{id}/variables`. */
export function addRenderRoutes(app: HttpApp, parts: RenderRouteParts): void {
  addRenderRoute(app, parts)
  addLintRoute(app, parts)
  addVariablesRoute(app, parts)
}

function addRenderRoute(app: HttpApp, { templates, render }: RenderRouteParts): void {
  const schema = {
    operationId: 'renderTwigTemplate',
    summary: 'Render a template',
    tags,
    body: renderBody,
    response: {
      200: Type.Object(
        { output: Type.String(), durationMs: Type.Number() },
        { examples: [{ output: 'Hello Carla', durationMs: 0.4 }] },
      ),
    },
  }
  app.post('/api/twigTemplates/render', { schema, config }, async (request) => {
    const { context = {}, locale, timezone } = request.body
    checkTimezone(timezone)
    const { source, name } = await readSource(request.body, templates)
    return render({ source, name, context, locale: locale?.replaceAll('_', '-'), timezone })
  })
}

function addLintRoute(app: HttpApp, { templates, lint }: RenderRouteParts): void {
  const schema = {
    operationId: 'lintTwigTemplate',
    summary: 'Say what is wrong with a template, without rendering it',
    tags,
    body: sourceBody,
    response: { 200: Type.Object({ valid: Type.Literal(true), warnings: Type.Array(remark) }) },
  }
  app.post('/api/twigTemplates/lint', { schema, config }, async (request) => {
    const { source, name, id } = await readSource(request.body, templates)
    const report = await lint({
      source,
      ...(name === undefined ? {} : { name }),
      ...(id === undefined ? {} : { id }),
    })
    refuseFaults(report)
    return { valid: true as const, warnings: report.warnings }
  })
}

function addVariablesRoute(app: HttpApp, { templates, twig }: RenderRouteParts): void {
  const variable = Type.Object(
    {
      path: Type.String({
        description: '`contact.firstname`; `order.items[].price`: of any item.',
      }),
      hasDefault: Type.Boolean({ description: 'The template does without it.' }),
      isInLoop: Type.Boolean(),
      line: Type.Integer(),
      column: Type.Integer(),
    },
    {
      examples: [
        { path: 'contact.firstname', hasDefault: true, isInLoop: false, line: 1, column: 10 },
      ],
    },
  )
  const schema = {
    operationId: 'listTwigTemplateVariables',
    summary: 'List the variables that a template reads',
    tags,
    params: idParameters,
    response: { 200: Type.Object({ variables: Type.Array(variable) }) },
  }
  app.get('/api/twigTemplates/:id/variables', { schema, config }, async (request) => {
    const { template, name } = await templates.getRow(readId(request.params.id))
    return { variables: readVariables(twig, template, name) }
  })
}

/** What was saved once need not run under the limits of today. */
function readVariables(twig: Twig, template: string, name: string): VariableRead[] {
  try {
    return [...twig.analyze(template, name).variables]
  } catch (error) {
    throw error instanceof TwigError ? renderFailed(error) : error
  }
}

async function readSource(
  { template, id }: Static<typeof sourceBody>,
  templates: Templates,
): Promise<{ source: string; name: string | undefined; id: number | undefined }> {
  if ((template === undefined) === (id === undefined)) throw sourceMissing()
  if (id === undefined) return { source: template ?? '', name: undefined, id: undefined }
  const row = await templates.getRow(id)
  return { source: row.template, name: row.name, id }
}

function checkTimezone(timezone: string | undefined): void {
  if (timezone === undefined) return
  try {
    new Intl.DateTimeFormat('en', { timeZone: timezone })
  } catch {
    throw validationError({ timezone: ['must be a time zone, such as Europe/Vienna'] })
  }
}
