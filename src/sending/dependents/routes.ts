import Type from 'typebox'
import { type HttpApp, idParameters, readId } from '../../http/index.ts'
import type { LintTemplate, Templates } from '../../templates/index.ts'
import { refuseFaults } from '../../templates/index.ts'
import type { HostVariables } from '../../twig/index.ts'
import type { FindDependents } from './find-dependents.ts'
import type { MeasureImpact } from './impact.ts'

/** What the routes of dependents are made of. */
export interface DependentRouteParts {
  templates: Templates
  lint: LintTemplate
  findDependents: FindDependents
  measureImpact: MeasureImpact
}

const tags = ['twigTemplates']
const config = { permission: ['twigtemplates:view', 'email:view'] as const }

const named = Type.Object(
  {
    id: Type.Integer(),
    name: Type.String(),
    isDirect: Type.Boolean({ description: 'Or by way of another template.' }),
  },
  { examples: [{ id: 2, name: 'Invitation', isDirect: true }] },
)

/** Adds `GET /api/twigTemplates/{id}/dependents` and `POST …/impact`. */
export function addDependentRoutes(app: HttpApp, parts: DependentRouteParts): void {
  const { templates, lint, findDependents, measureImpact } = parts
  const schema = {
    operationId: 'listTwigTemplateDependents',
    summary: 'List the templates and emails that use a template, directly or not',
    tags,
    params: idParameters,
    response: { 200: Type.Object({ templates: Type.Array(named), emails: Type.Array(named) }) },
  }
  app.get('/api/twigTemplates/:id/dependents', { schema, config }, async (request) => {
    const dependents = await findDependents(await templates.getRow(readId(request.params.id)))
    const ofKind = (kind: 'template' | 'email') =>
      dependents
        .filter((each) => each.kind === kind)
        .map(({ row, isDirect }) => ({ id: row.id, name: row.name, isDirect }))
    return { templates: ofKind('template'), emails: ofKind('email') }
  })
  app.post('/api/twigTemplates/:id/impact', { schema: impactSchema, config }, async (request) => {
    const template = await templates.getRow(readId(request.params.id))
    const { template: source, context = {} } = request.body
    refuseFaults(await lint({ source, name: template.name, id: template.id }))
    return measureImpact({ template, source, context })
  })
}

const impactExample = {
  kind: 'email',
  id: 2,
  name: 'Invitation',
  isDirect: true,
  isChanged: true,
  diff: '@@ -1,1 +1,1 @@\n-Hello there,\n+Dear reader,\n',
  errorBefore: null,
  errorAfter: null,
}

const impactSchema = {
  operationId: 'measureTwigTemplateImpact',
  summary: 'Show what a change does to everything that uses the template, before it is saved',
  tags,
  params: idParameters,
  body: Type.Object({
    template: Type.String({
      minLength: 1,
      maxLength: 1_000_000,
      description: 'The new code.',
      examples: ['Dear {{ contact.firstname|default("reader") }},'],
    }),
    context: Type.Optional(
      Type.Unsafe<HostVariables>({
        type: ['object', 'array'],
        description: 'The variables; `contact` is the contact of emails.',
      }),
    ),
  }),
  response: {
    200: Type.Object({
      isComplete: Type.Boolean({
        description: 'Whether all dependents were rendered.',
        examples: [true],
      }),
      impact: Type.Array(
        Type.Object(
          {
            kind: Type.Enum(['template', 'email']),
            ...named.properties,
            isChanged: Type.Boolean(),
            diff: Type.String({
              description:
                'Unified; empty where nothing changes. Of 200,000 characters, cut after 100,000.',
            }),
            errorBefore: Type.Unsafe<string | null>({ type: ['string', 'null'] }),
            errorAfter: Type.Unsafe<string | null>({ type: ['string', 'null'] }),
          },
          { examples: [impactExample] },
        ),
      ),
    }),
  },
}
