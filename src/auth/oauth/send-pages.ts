import type { FastifyReply } from 'fastify'
import { setPageSecurityHeaders } from '../../http/index.ts'
import type { ClientRow } from '../table.ts'
import { displayName } from '../users/users.ts'
import { consentPage, loginPage } from './pages.ts'
import type { Session } from './sessions.ts'

/** Which client asks, and where its answer goes. */
export interface AuthorizeRequest {
  client: ClientRow
  redirectUri: string
}

/** The consent page, with the request and the session's proof in its form. */
export function sendConsent(
  reply: FastifyReply,
  options: AuthorizeRequest & { query: Readonly<Record<string, unknown>>; session: Session },
): FastifyReply {
  const { client, redirectUri, query, session } = options
  const { allowed: _, ...asked } = query
  const texts = Object.entries(asked).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  )
  const fields = { ...Object.fromEntries(texts), csrf: session.csrfToken }
  const userName = displayName(session.account.user)
  const html = consentPage({ clientName: client.name, userName, redirectUri, fields })
  // To the application, which may send the user on.
  return sendPage(reply, 200, html, { formsLeadOn: true })
}

/** The log-in page; `returnTo` is the query that asked. */
export function sendLogin(
  reply: FastifyReply,
  client: ClientRow,
  returnTo: string,
  error?: string,
) {
  const html = loginPage({
    clientName: client.name,
    returnTo,
    ...(error === undefined ? {} : { error }),
  })
  return sendPage(reply, error === undefined ? 200 : 401, html)
}

/** A page under the policy of pages. */
export function sendPage(
  reply: FastifyReply,
  status: number,
  html: string,
  policy: { formsLeadOn?: boolean } = {},
): FastifyReply {
  setPageSecurityHeaders(reply, policy)
  return reply.code(status).type('text/html; charset=utf-8').send(html)
}
