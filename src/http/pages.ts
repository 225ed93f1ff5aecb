import { createHash } from 'node:crypto'
import type { FastifyReply } from 'fastify'
import type { HttpApp } from './http-app.ts'

const style = `
:root { color-scheme: light dark; --text: light-dark(#111827, #f3f4f6); --quiet: light-dark(#4b5563, #9ca3af);
  --page: light-dark(#f3f4f6, #111827); --card: light-dark(#fff, #1f2937); --line: light-dark(#e5e7eb, #374151);
  --link: light-dark(#1d4ed8, #93c5fd) }
body { font: 16px/1.5 system-ui, sans-serif; margin: 0; background: var(--page); color: var(--text) }
main { max-width: 36rem; margin: 10vh auto; padding: 2rem; background: var(--card); border: 1px solid var(--line);
  border-radius: .5rem; box-sizing: border-box }
h1 { font-size: 1.5rem; line-height: 1.2; margin: 0 0 .5rem }
p { margin: 0 0 1.5rem }
ul { list-style: none; margin: 0; padding: 0 }
li { border-top: 1px solid var(--line); padding: .75rem 0 }
a { color: var(--link); font-weight: 600 }
a:focus-visible { outline: 2px solid var(--link); outline-offset: 3px }
li span, footer { display: block; color: var(--quiet); font-size: .875rem }
footer { border-top: 1px solid var(--line); padding-top: 1rem }
code { overflow-wrap: anywhere }
@media (max-width: 40rem) { main { margin: 0; min-height: 100vh; border: 0; border-radius: 0; padding: 1.5rem } }`

const styleHash = createHash('sha256').update(style).digest('base64')
/** Its own style, known by its hash, and nothing else from anywhere. */
const policy = [
  "default-src 'none'",
  `style-src 'sha256-${styleHash}'`,
  // For the empty icon, without which browsers ask for one.
  'img-src data:',
  "form-action 'none'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join('; ')

/** Adds the page at `/`: where to go from here. Links are relative, so that a proxy may add a prefix. */
export function addStartPage(app: HttpApp, { version }: { version: string }): void {
  const options = { schema: { hide: true }, config: { permission: 'public' as const } }
  const html = page('Mailyard', startContent(version))
  app.get('/', options, (_request, reply) => sendPage(reply, 200, html))
}

/** Answers a browser that asked for a path that does not exist. */
export function sendUnknownPath(reply: FastifyReply): FastifyReply {
  const content = `<h1>This page does not exist</h1>
<p>Mailyard has nothing at this address.</p>
<ul><li><a href="/">Start page</a></li><li><a href="/api/docs">API documentation</a></li></ul>`
  return sendPage(reply, 404, page('Not found · Mailyard', content))
}

function startContent(version: string): string {
  return `<h1>Mailyard</h1>
<p>Sends every email through the right mail transport.</p>
<ul>
<li><a href="api/docs">API documentation</a><span>Every endpoint, with its parameters and answers.</span></li>
<li><a href="api/openapi.json">OpenAPI document</a><span>The same for programs: OpenAPI 3.1.</span></li>
<li><a href="healthz">Health</a><span>Answers while the process is running.</span></li>
<li><a href="readyz">Readiness</a><span>Answers once Mailyard can serve; 503 while its database is gone.</span></li>
</ul>
<footer>Version ${version}. Programs use <code>/api</code>; log in with HTTP Basic or OAuth 2.0.</footer>`
}

function page(title: string, content: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="icon" href="data:,">
<style>${style}</style>
</head>
<body><main>
${content}
</main></body>
</html>
`
}

function sendPage(reply: FastifyReply, status: number, html: string): FastifyReply {
  return reply
    .code(status)
    .header('content-security-policy', policy)
    .type('text/html; charset=utf-8')
    .send(html)
}
