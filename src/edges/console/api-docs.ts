import { existsSync, readdirSync } from 'node:fs'
import type { FastifyReply } from 'fastify'
import Type from 'typebox'
import { AppError } from '../../kit/app-error.ts'
import type { HttpApp } from '../../platform/http/index.ts'

interface ApiDocsParts {
  /** Where `npm run build:web` puts the pages. */
  folder: string
  contentSecurityPolicy: string
}

/** Adds the pages of the API: `/api/docs`, and one for each group of operations. */
export function addApiDocs(app: HttpApp, { folder, contentSecurityPolicy }: ApiDocsParts): void {
  const files = new Set(existsSync(folder) ? readdirSync(folder) : [])
  const send = (reply: FastifyReply, name: string) => {
    const file = `${name}.html`
    if (!files.has(file)) throw pageUnknown(name, files.size > 0)
    reply.header('content-security-policy', contentSecurityPolicy)
    return reply.sendFile(file, folder, { cacheControl: false })
  }
  const config = { permission: 'public' as const }
  app.get('/api/docs', { schema: { hide: true }, config }, (_request, reply) =>
    send(reply.header('cache-control', 'no-cache'), 'index'),
  )
  const schema = { hide: true, params: Type.Object({ name: Type.String() }) }
  app.get('/api/docs/:name', { schema, config }, (request, reply) =>
    send(reply.header('cache-control', 'no-cache'), request.params.name),
  )
}

function pageUnknown(name: string, isBuilt: boolean): AppError {
  const message = isBuilt
    ? `There is no page ${name} of the API. The pages begin at /api/docs.`
    : 'The pages of the API are not built. Run: npm run build:web'
  return new AppError('not_found', 'api_page_unknown', message)
}
