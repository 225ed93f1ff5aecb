import type { FastifyReply, FastifyRequest } from 'fastify'

/** What every answer of the API carries: nobody keeps it, frames it, or takes it for a page. */
const apiHeaders = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
}

/** Sets the headers that every answer has, with the id that finds its request in the log. */
export function setSecurityHeaders(request: FastifyRequest, reply: FastifyReply): void {
  reply.headers(apiHeaders).header('x-request-id', request.id)
}

/**
 * For a page of our own: its own styles, and nothing from anywhere else. Its forms lead to ourselves; where
 * they lead on, browsers hold every redirect after them to the policy, so it cannot say where to.
 */
export function setPageSecurityHeaders(
  reply: FastifyReply,
  { formsLeadOn = false }: { formsLeadOn?: boolean } = {},
): void {
  const policy = [
    "default-src 'none'",
    "style-src 'unsafe-inline'",
    ...(formsLeadOn ? [] : ["form-action 'self'"]),
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ]
  reply.header('content-security-policy', policy.join('; '))
  // Under `no-referrer` browsers would send the page's own forms with an `Origin` of `null`.
  reply.header('referrer-policy', 'same-origin')
}
