import type { FastifySwaggerUiOptions } from '@fastify/swagger-ui'

/** Nothing is fetched from anywhere else; the reader's own styles are inline. */
const docsPolicy = [
  "default-src 'self'",
  "img-src 'self' data:",
  "style-src 'self' 'unsafe-inline'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join('; ')

/** How the pages that show the description look. */
export const docsPage: FastifySwaggerUiOptions = {
  staticCSP: docsPolicy,
  uiConfig: { validatorUrl: null, displayRequestDuration: true, docExpansion: 'none' },
}
