import Type from 'typebox'
import {
  type Callers,
  entityTag,
  type HttpApp,
  idParameter,
  idParameters,
  ifMatchHeaders,
  nullable,
  optionalText,
  readId,
  readIfMatch,
  withHeaders,
} from '../../platform/http/index.ts'
import { addResourceRoutes, type ListExtra } from '../../platform/resource/index.ts'
import { addEditorRoutes, type EditorRouteParts } from './editor-routes.ts'
import { addRenderRoute, type RenderRouteParts } from './render-routes.ts'
import { templateItem, templateShape } from './schema.ts'
import type { Versions } from './versions.ts'

export type TemplateRouteParts = RenderRouteParts &
  EditorRouteParts &
  VersionRouteParts & {
    /** What uses them, for `?with=usage`. */
    usage: ListExtra
  }

/** Adds `/api/twigTemplates`, rendering, linting, variables and versions. */
export function addTemplateRoutes(app: HttpApp, parts: TemplateRouteParts): void {
  addRenderRoute(app, parts)
  addEditorRoutes(app, parts)
  addVersionRoutes(app, parts)
  const { templates: service, callers, usage } = parts
  addResourceRoutes(app, templateShape, { service, callers, extras: { usage } })
}

export interface VersionRouteParts {
  versions: Versions
  callers: Callers
}

const tags = ['twigTemplates']
const viewing = { permission: 'twigtemplates:view' as const }
/** The template is linted again. */
const restoring = { permission: 'twigtemplates:edit' as const, isExpensive: true }

const versionExample = {
  version: 1,
  name: 'Greeting',
  description: 'The first line of every letter.',
  dateAdded: '2026-01-31T15:54:35+00:00',
  createdBy: 'admin',
  note: null,
}
const version = Type.Object(
  {
    version: Type.Integer(),
    name: Type.String(),
    description: nullable(Type.String()),
    dateAdded: Type.String(),
    createdBy: Type.String(),
    note: nullable(Type.String()),
  },
  { examples: [versionExample] },
)
const listedVersion = Type.Object(
  {
    ...version.properties,
    changedLines: Type.Union(
      [Type.Object({ added: Type.Integer(), removed: Type.Integer() }), Type.Null()],
      {
        description:
          'How many lines of code it adds and removes. Null for the oldest version, and where the codes are too long or too different to compare.',
      },
    ),
  },
  { examples: [{ ...versionExample, changedLines: null }] },
)
const params = Type.Object({ ...idParameters.properties, version: idParameter('The version.') })

const listSchema = {
  operationId: 'listTwigTemplateVersions',
  summary: 'List the versions of a template, the newest first',
  tags,
  params: idParameters,
  response: {
    200: Type.Object({
      total: Type.Integer({ examples: [1] }),
      versions: Type.Array(listedVersion),
    }),
  },
}
const whole = Type.Object(
  { ...version.properties, template: Type.String() },
  { examples: [{ ...versionExample, template: 'Hello,' }] },
)
const oneSchema = {
  operationId: 'getTwigTemplateVersion',
  summary: 'Get one version of a template, with its code',
  tags,
  params,
  response: { 200: Type.Object({ version: whole }) },
}
const restoreSchema = {
  operationId: 'restoreTwigTemplateVersion',
  summary: 'Restore a version; that is a new version itself',
  tags,
  params,
  headers: ifMatchHeaders,
  body: Type.Object(
    { changeNote: optionalText('Why.', 1_000) },
    { examples: [{ changeNote: 'Back to the first version.' }] },
  ),
  response: { 200: withHeaders(Type.Object({ twigTemplate: templateItem }), 'ETag') },
}
/** Adds `GET /{id}/versions`, `GET /{id}/versions/{n}` and `POST …/restore`. */
export function addVersionRoutes(app: HttpApp, { versions, callers }: VersionRouteParts): void {
  app.get(
    '/api/twigTemplates/:id/versions',
    { schema: listSchema, config: viewing },
    async (request) => {
      const items = await versions.list(readId(request.params.id), callers.of(request))
      return { total: items.length, versions: items }
    },
  )

  app.get(
    '/api/twigTemplates/:id/versions/:version',
    { schema: oneSchema, config: viewing },
    async (request) => {
      const { id, version: number } = request.params
      const caller = callers.of(request)
      const key = { templateId: readId(id), version: readId(number), caller }
      return { version: await versions.get(key) }
    },
  )

  const url = '/api/twigTemplates/:id/versions/:version/restore'
  app.post(url, { schema: restoreSchema, config: restoring }, async (request, reply) => {
    const { id, version: number } = request.params
    const { item, revision } = await versions.restore({
      templateId: readId(id),
      version: readId(number),
      seen: readIfMatch(request),
      note: request.body.changeNote ?? undefined,
      caller: callers.of(request),
    })
    reply.header('etag', entityTag(revision))
    return { twigTemplate: item }
  })
}
