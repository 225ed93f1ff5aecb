import type { FastifyReply } from 'fastify'
import { type ComponentChildren, h } from 'preact'
import { renderPage, sendPage } from '../../http/index.ts'
import type { ClientRow } from '../table.ts'
import { displayName } from '../users/users.ts'
import type { Session } from './sessions.ts'

/** The client and the redirect URI of a request for authorization. */
export interface AuthorizeRequest {
  client: ClientRow
  redirectUri: string
}

/** Sends the log-in page. `returnTo` is the query of the request for authorization. */
export function sendLogin(
  reply: FastifyReply,
  { name }: ClientRow,
  returnTo: string,
  error?: string,
) {
  const html = renderPage('Log in', [
    h('p', null, `to let ${name} use Mailyard in your name.`),
    error === undefined ? null : alert(error),
    h('form', { method: 'post', action: '/oauth/v2/authorize_login' }, [
      hidden({ return: returnTo }),
      h('label', null, [
        'User name or email',
        h('input', { name: 'username', autocomplete: 'username', required: true, autofocus: true }),
      ]),
      h('label', null, [
        'Password',
        h('input', {
          name: 'password',
          type: 'password',
          autocomplete: 'current-password',
          required: true,
        }),
      ]),
      h('button', { type: 'submit' }, 'Log in'),
    ]),
  ])
  return sendPage(reply, error === undefined ? 200 : 401, html)
}

/** Sends the consent page. Its form has the parameters of the request and the CSRF token of the session. */
export function sendConsent(
  reply: FastifyReply,
  options: AuthorizeRequest & { query: Readonly<Record<string, unknown>>; session: Session },
): FastifyReply {
  const { client, redirectUri, query, session } = options
  const { allowed: _, ...asked } = query
  const texts = Object.entries(asked).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  )
  const userName = displayName(session.account.user)
  const target = describeTarget(redirectUri)
  const html = renderPage(`Let ${client.name} use Mailyard?`, [
    h('p', null, `It gets all your permissions, as ${userName}. You will return to ${target}.`),
    h('form', { method: 'post', action: '/oauth/v2/authorize' }, [
      hidden({ ...Object.fromEntries(texts), csrf: session.csrfToken }),
      h('button', { type: 'submit', name: 'allowed', value: 'true' }, 'Allow'),
      h('button', { type: 'submit', name: 'allowed', value: 'false', class: 'quiet' }, 'Deny'),
      h('button', { type: 'submit', name: 'logout', value: '1', class: 'quiet' }, 'Not you?'),
    ]),
  ])
  // The form redirects to the application, which may redirect again.
  return sendPage(reply, 200, html, { formsLeadOn: true })
}

/** Sends an error that cannot be sent to the application. */
export function sendError(reply: FastifyReply, message: string): FastifyReply {
  return sendPage(reply, 400, renderPage('Access not possible', [alert(message)]))
}

function alert(message: string): ComponentChildren {
  return h('p', { class: 'error', role: 'alert' }, message)
}

/** The hidden values of a form. */
function hidden(fields: Readonly<Record<string, string>>): ComponentChildren {
  return Object.entries(fields).map(([name, value]) => h('input', { type: 'hidden', name, value }))
}

function describeTarget(redirectUri: string): string {
  const { protocol, host } = new URL(redirectUri)
  return host === '' ? `the application (${protocol})` : host
}
