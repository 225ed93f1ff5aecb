import Type from 'typebox'
import {
  type Callers,
  type HttpApp,
  idParameters,
  nameText,
  readId,
  recordId,
} from '../../../platform/http/index.ts'
import type { LintTemplate, ReadContactData, Templates } from '../../templates/index.ts'
import { readVariables, refuseFaults, variableMembers } from '../../templates/index.ts'
import { dependentShape, impactReport, type MeasureImpact } from './impact.ts'
import type { FindDependents } from './template-graph.ts'

export interface DependentRouteParts {
  templates: Pick<Templates, 'getRow'>
  lint: LintTemplate
  findDependents: FindDependents
  measureImpact: MeasureImpact
  readContactData: ReadContactData
  callers: Callers
}

const tags = ['twigTemplates']
const config = { permission: ['twigtemplates:view', 'email:view'] as const, isExpensive: true }

const named = Type.Object(dependentShape, {
  examples: [{ id: 2, name: 'Invitation', isDirect: true }],
})

/** Adds `GET /api/twigTemplates/{id}/dependents` and `POST …/impact`. */
export function addDependentRoutes(app: HttpApp, parts: DependentRouteParts): void {
  const { templates, lint, findDependents, measureImpact, readContactData, callers } = parts
  const schema = {
    operationId: 'listTwigTemplateDependents',
    summary: 'List the templates and emails that use a template, directly or not',
    tags,
    params: idParameters,
    response: { 200: Type.Object({ templates: Type.Array(named), emails: Type.Array(named) }) },
  }
  app.get('/api/twigTemplates/:id/dependents', { schema, config }, async (request) => {
    const caller = callers.of(request)
    const { id } = await templates.getRow(readId(request.params.id), caller)
    const dependents = await findDependents(id, caller)
    const ofKind = (kind: 'template' | 'email') =>
      dependents
        .filter((each) => each.kind === kind)
        .map(({ id, name, isDirect }) => ({ id, name, isDirect }))
    return { templates: ofKind('template'), emails: ofKind('email') }
  })
  app.post('/api/twigTemplates/:id/impact', { schema: impactSchema, config }, async (request) => {
    const caller = callers.of(request)
    const template = await templates.getRow(readId(request.params.id), caller)
    const { only, start = 0 } = request.body
    const { id, brand_id: brand } = template
    const {
      template: source = template.template,
      name = template.name,
      isPublished = Boolean(template.is_published),
    } = request.body
    refuseFaults(await lint({ source, name, id, isPublished, brand }))
    const context = await readVariables(request.body, readContactData, caller)
    const changed = { id, name, template: source, is_published: isPublished, brand_id: brand }
    return measureImpact({ template, changed, caller, context }, { start, only })
  })
}

const impactSchema = {
  operationId: 'measureTwigTemplateImpact',
  summary: 'Show what a change does to everything that uses the template, before it is saved',
  tags,
  params: idParameters,
  description:
    'What is left out stays as it is. A deletion changes what `isPublished: false` changes.',
  body: Type.Object({
    template: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 1_000_000,
        description: 'The new code.',
        examples: ['Dear {{ contact.firstname|default("reader") }},'],
      }),
    ),
    name: Type.Optional(
      nameText('The new name. It may mean another template in emails that include it.'),
    ),
    isPublished: Type.Optional(
      Type.Boolean({ description: 'Whether it will be published; see `name`.' }),
    ),
    ...variableMembers('The variables; `contact` is the contact of emails.'),
    start: Type.Optional(Type.Integer({ minimum: 0, description: 'How many to skip. Default 0.' })),
    only: Type.Optional(
      Type.Object(
        { kind: Type.Enum(['template', 'email']), id: recordId('Its id.') },
        { description: 'One of them, with its whole output before and after.' },
      ),
    ),
  }),
  response: { 200: impactReport },
}
