import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FastifyReply } from 'fastify'
import Type from 'typebox'
import { AppError } from '../../kit/app-error.ts'
import type { HttpApp } from '../../platform/http/index.ts'
import { addApiDocs } from './api-docs.ts'

const yearMs = 31_536_000_000

/**
 * What a page of the console may load: files of this server. Styles may be inline, because previews of emails carry
 * their own; scripts may not.
 */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "frame-src 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join('; ')

/** The console: one page, whose address chooses the screen, and its files. */
export interface Console {
  /** Sends the page, for any address of a screen. */
  sendPage: (reply: FastifyReply) => FastifyReply
  addRoutes: (app: HttpApp) => Promise<void>
}

/** Opens the console that `npm run build:web` made in `folder`. */
export function openConsole({ folder }: { folder: string }): Console {
  const html = readPage(folder)
  const findParts = readParts(folder)
  const sendPage = (reply: FastifyReply) =>
    reply
      .code(200)
      .headers(findParts(reply.request.url))
      .header('content-security-policy', contentSecurityPolicy)
      .header('cache-control', 'no-cache')
      .type('text/html; charset=utf-8')
      .send(html)
  return {
    sendPage,
    async addRoutes(app) {
      const { default: fastifyStatic } = await import('@fastify/static')
      const root = join(folder, 'assets')
      const files = existsSync(root) ? readdirSync(root) : []
      const names = new Set(files.filter((name) => !name.endsWith('.gz')))
      if (names.size > 0)
        await app.register(fastifyStatic, { root, serve: false, preCompressed: true })
      const config = { permission: 'public' as const }
      app.get('/', { schema: { hide: true }, config }, (_request, reply) => sendPage(reply))
      const schema = { hide: true, params: Type.Object({ name: Type.String() }) }
      // Names contain a hash of the content, so that browsers keep files for ever; those of the help do not.
      app.get('/assets/:name', { schema, config }, (request, reply) => {
        const { name } = request.params
        const kept = name.startsWith('docs-') ? {} : { immutable: true, maxAge: yearMs }
        if (names.has(name)) return reply.sendFile(name, kept)
        throw new AppError('not_found', 'file_unknown', `There is nothing at /assets/${name}.`)
      })
      addApiDocs(app, { folder: join(folder, 'api-docs'), contentSecurityPolicy })
    },
  }
}

function readPage(folder: string): string {
  const path = join(folder, 'index.html')
  if (existsSync(path)) return readFileSync(path, 'utf8')
  return '<!doctype html><title>Mailyard</title><p>The console is not built. Run: npm run build:web</p>\n'
}

/**
 * Reads which files each screen needs.
 *
 * @returns A function that gives the header that names the files of the screen at an address. Without it, the browser
 *   asks for them only when it has read the first script.
 */
function readParts(folder: string): (url: string) => { link?: string } {
  const path = join(folder, 'screens.json')
  const text = existsSync(path) ? readFileSync(path, 'utf8') : '{}'
  const screens = Object.entries<string[]>(JSON.parse(text)).map(([pattern, parts]) => ({
    pattern: new RegExp(`^${pattern.replaceAll(/:\w+/g, '[^/]+')}$`),
    link: parts.map((part) => `<${part}>; rel=modulepreload`).join(', '),
  }))
  return (url) => {
    const [address = ''] = url.split('?')
    const screen = screens.find(({ pattern }) => pattern.test(address))
    return screen === undefined ? {} : { link: screen.link }
  }
}
