import type { FastifyReply } from 'fastify'
import { type ComponentChildren, h } from 'preact'
import { render } from 'preact-render-to-string'
import { type PagePolicy, setPageSecurityHeaders } from './security-headers.ts'

const style = `
  :root { color-scheme: light dark }
  body { font: 16px/1.5 system-ui, sans-serif; margin: 0; background: #f3f4f6; color: #111827 }
  main { max-width: 24rem; margin: 10vh auto; padding: 2rem; background: #fff; border-radius: .5rem; box-shadow: 0 1px 4px #0002 }
  h1 { font-size: 1.25rem; margin: 0 0 1rem }
  p { overflow-wrap: anywhere }
  label { display: block; margin: 0 0 1rem }
  input { display: block; box-sizing: border-box; width: 100%; padding: .5rem; font: inherit; border: 1px solid #9ca3af; border-radius: .25rem }
  button { padding: .5rem 1rem; font: inherit; border: 1px solid #1d4ed8; border-radius: .25rem; background: #1d4ed8; color: #fff; cursor: pointer; margin-right: .5rem }
  button.quiet { background: #fff; color: #1d4ed8 }
  .error { color: #b91c1c }
  @media (max-width: 30rem) { main { margin: 0; max-width: none; min-height: 100vh; box-sizing: border-box; border-radius: 0 } }
  @media (prefers-color-scheme: dark) {
    body { background: #111827; color: #f3f4f6 } main { background: #1f2937 } input { background: #111827; color: inherit }
    button.quiet { background: #1f2937; color: #93c5fd } .error { color: #fca5a5 }
  }`

/** Renders a small page: a heading and what is below it. */
export function renderPage(
  title: string,
  content: ComponentChildren,
  { site = ' · Mailyard' }: { site?: string } = {},
): string {
  const html = h('html', { lang: 'en' }, [
    h('head', null, [
      h('meta', { charset: 'utf-8' }),
      h('meta', { name: 'viewport', content: 'width=device-width, initial-scale=1' }),
      h('title', null, `${title}${site}`),
      h('style', { dangerouslySetInnerHTML: { __html: style } }),
    ]),
    h('body', null, h('main', null, [h('h1', null, title), content])),
  ])
  return `<!doctype html>${render(html)}`
}

/** Sends a page with the security headers of pages. */
export function sendPage(
  reply: FastifyReply,
  status: number,
  html: string,
  policy: PagePolicy = {},
): FastifyReply {
  setPageSecurityHeaders(reply, policy)
  return reply.code(status).type('text/html; charset=utf-8').send(html)
}
