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
} from '../http/index.ts'
import { templateItem } from './schema.ts'
import type { Versions } from './versions.ts'

/** What the routes of versions are made of. */
export interface VersionRouteParts {
  versions: Versions
  callers: Callers
}

const tags = ['twigTemplates']
const viewing = { permission: 'twigtemplates:view' as const }
const editing = { permission: 'twigtemplates:edit' as const }

const version = Type.Object({
  version: Type.Integer(),
  name: Type.String(),
  description: nullable<string>('string'),
  dateAdded: Type.String(),
  createdBy: Type.String(),
  note: nullable<string>('string'),
})
const params = Type.Object({ ...idParameters.properties, version: idParameter('The version.') })

/** Adds `GET /{id}/versions`, `GET /{id}/versions/{n}` and `POST …/restore`. */
export function addVersionRoutes(app: HttpApp, { versions, callers }: VersionRouteParts): void {
  const list = {
    summary: 'The versions of a template, the newest first',
    tags,
    params: idParameters,
    response: { 200: Type.Object({ total: Type.Integer(), versions: Type.Array(version) }) },
  }
  app.get('/api/twigTemplates/:id/versions', { schema: list, config: viewing }, async (request) => {
    const items = await versions.list(readId(request.params.id))
    return { total: items.length, versions: items }
  })

  const whole = Type.Object({ ...version.properties, template: Type.String() })
  const one = {
    summary: 'One version of a template, with its code',
    tags,
    params,
    response: { 200: Type.Object({ version: whole }) },
  }
  app.get(
    '/api/twigTemplates/:id/versions/:version',
    { schema: one, config: viewing },
    async (request) => {
      const { id, version: number } = request.params
      return { version: await versions.get(readId(id), readId(number)) }
    },
  )

  const restore = {
    summary: 'Save a template as it was; that is a version itself',
    tags,
    params,
    headers: ifMatchHeaders,
    body: Type.Object({ changeNote: optionalText('Why.', 1_000) }),
    response: { 200: Type.Object({ twigTemplate: templateItem }) },
  }
  const url = '/api/twigTemplates/:id/versions/:version/restore'
  app.post(url, { schema: restore, config: editing }, async (request, reply) => {
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
