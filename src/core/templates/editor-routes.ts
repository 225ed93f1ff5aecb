import Type from 'typebox'
import { type Twig, TwigError, type VariableRead } from '../../libraries/twig/index.ts'
import {
  type Callers,
  type HttpApp,
  idParameters,
  optionalText,
  readId,
} from '../../platform/http/index.ts'
import { renderFailed } from './errors.ts'
import { type LintTemplate, remarkOf } from './lint-template.ts'
import { readSource, sourceBody } from './render-routes.ts'
import { remark } from './schema.ts'
import type { Templates } from './service.ts'

export interface EditorRouteParts {
  templates: Templates
  twig: Twig
  lint: LintTemplate
  callers: Callers
}

const tags = ['twigTemplates']
const config = { permission: 'twigtemplates:view' as const }
const expensive = { ...config, isExpensive: true }

const variable = Type.Object(
  {
    path: Type.String({
      description: '`contact.firstname`; `order.items[].price`: of any item.',
    }),
    hasDefault: Type.Boolean({ description: 'Whether the template runs without it.' }),
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

/** Adds `POST /lint`, `GET /language` and `GET /{id}/variables`. */
export function addEditorRoutes(app: HttpApp, parts: EditorRouteParts): void {
  addLintRoute(app, parts)
  addLanguageRoute(app, parts)
  addVariablesRoute(app, parts)
}

function addLintRoute(app: HttpApp, { templates, lint, callers }: EditorRouteParts): void {
  const schema = {
    operationId: 'lintTwigTemplate',
    summary: 'Find the faults of a template without rendering it',
    description: 'A template with faults is answered 200 as well, with `valid: false`.',
    tags,
    body: Type.Object(
      {
        ...sourceBody.properties,
        name: optionalText('The unsaved name of the template: others may have it.', 255),
      },
      { examples: [{ template: 'Hello {{ contact.firstname }}', name: 'Greeting' }] },
    ),
    response: {
      200: Type.Object({
        valid: Type.Boolean({ description: 'Whether it can be saved.', examples: [true] }),
        faults: Type.Array(remark, { description: 'In order, 200 at most.', examples: [[]] }),
        warnings: Type.Array(remark, { examples: [[]] }),
        variables: Type.Array(variable, { description: 'The variables that it reads.' }),
      }),
    },
  }
  app.post('/api/twigTemplates/lint', { schema, config: expensive }, async (request) => {
    const caller = callers.of(request)
    const saved = await readSource(request.body, { templates, caller })
    const name = request.body.name || saved.name
    const report = await lint(name === undefined ? saved : { ...saved, name })
    const { warnings, variables } = report
    const faults = report.faults.map(remarkOf)
    return { valid: faults.length === 0, faults, warnings, variables: [...variables] }
  })
}

function addLanguageRoute(app: HttpApp, { twig }: EditorRouteParts): void {
  const example = {
    kind: 'filter',
    name: 'join',
    signature: 'join(glue = "", and = null)',
    description: "Joins elements: join(', ', ' and ').",
    isDeprecated: false,
  }
  const entry = Type.Object(
    {
      kind: Type.Enum(['filter', 'function', 'test', 'tag']),
      name: Type.String(),
      signature: Type.String({ description: 'How it is written.' }),
      description: Type.String(),
      isDeprecated: Type.Boolean(),
    },
    { examples: [example] },
  )
  const schema = {
    operationId: 'listTwigLanguage',
    summary: 'List the filters, functions, tests and tags of templates',
    tags,
    response: { 200: Type.Object({ language: Type.Array(entry) }) },
  }
  const language = [...twig.catalogue()]
  app.get('/api/twigTemplates/language', { schema, config }, () => ({ language }))
}

function addVariablesRoute(app: HttpApp, { templates, twig, callers }: EditorRouteParts): void {
  const schema = {
    operationId: 'listTwigTemplateVariables',
    summary: 'List the variables that a template reads',
    tags,
    params: idParameters,
    response: { 200: Type.Object({ variables: Type.Array(variable) }) },
  }
  app.get('/api/twigTemplates/:id/variables', { schema, config: expensive }, async (request) => {
    const { id } = request.params
    const { template, name } = await templates.getRow(readId(id), callers.of(request))
    return { variables: readVariables(twig, template, name) }
  })
}

/** A saved template may exceed limits that were set later. */
function readVariables(twig: Twig, template: string, name: string): VariableRead[] {
  try {
    return [...twig.analyze(template, name).variables]
  } catch (error) {
    throw error instanceof TwigError ? renderFailed(error) : error
  }
}
