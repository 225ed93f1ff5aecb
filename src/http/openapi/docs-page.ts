import type { FastifySwaggerUiOptions } from '@fastify/swagger-ui'

/** Scripts, styles and the OpenAPI document come from this server only. Swagger UI sets styles on elements. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "connect-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join('; ')

const icon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">
<rect x="2" y="6" width="28" height="20" rx="3" fill="#1d4ed8"/>
<path d="m5 10 11 8 11-8" fill="none" stroke="#fff" stroke-width="2.5" stroke-linecap="round" stroke-linejoin="round"/>
</svg>`

/** Sets the colour scheme of the reader, and fits the page to narrow screens. */
const script = `const viewport = document.createElement('meta')
viewport.name = 'viewport'
viewport.content = 'width=device-width, initial-scale=1'
document.head.append(viewport)
const dark = matchMedia('(prefers-color-scheme: dark)')
const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches)
dark.addEventListener('change', follow)
follow()
`

const style = `:root { color-scheme: light dark }
body { background: light-dark(#fafafa, #1c2022) }
.swagger-ui .response-col_links { display: none }
@media (max-width: 40rem) {
  .swagger-ui .opblock-tag { flex-wrap: wrap }
  .swagger-ui .opblock-tag small { flex: 1 0 75%; order: 1; padding: .25rem 0 0 }
}
`

/** The options of Swagger UI: its pages have no bar with Swagger's name. */
export const docsPage: FastifySwaggerUiOptions = {
  staticCSP: policy,
  theme: {
    title: 'Mailyard API',
    favicon: [
      {
        filename: 'icon.svg',
        rel: 'icon',
        type: 'image/svg+xml',
        sizes: 'any',
        content: Buffer.from(icon),
      },
    ],
    css: [{ filename: 'mailyard.css', content: style }],
    js: [{ filename: 'mailyard.js', content: script }],
  },
  uiConfig: {
    layout: 'BaseLayout',
    validatorUrl: null,
    displayRequestDuration: true,
    docExpansion: 'none',
    tryItOutEnabled: true,
  },
}
