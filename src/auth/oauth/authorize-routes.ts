import type OAuth2Server from '@node-oauth/oauth2-server'
import type { FastifyReply, FastifyRequest } from 'fastify'
import Type from 'typebox'
import {
  type HttpApp,
  isFromOtherSite,
  otherSite,
  publicBodySizeBytesMax,
} from '../../http/index.ts'
import { AppError } from '../../kit/app-error.ts'
import { exampleClientId } from '../clients/client-schema.ts'
import type { PasswordCheck } from '../login/password-check.ts'
import { loadOAuthLibrary } from './oauth-library.ts'
import type { OAuthModelParts } from './oauth-model.ts'
import { errorPage } from './pages.ts'
import { type AuthorizeRequest, sendConsent, sendLogin, sendPage } from './send-pages.ts'
import { isCsrfToken, type Sessions } from './sessions.ts'
import {
  createOAuthServer,
  isOAuthRefusal,
  type TokenLifetimes,
  toOAuthRequest,
} from './token-route.ts'

/** What the log-in and consent pages are made of. */
export interface AuthorizeParts extends OAuthModelParts {
  sessions: Sessions
  passwords: PasswordCheck
  lifetimes: TokenLifetimes
}

const path = '/oauth/v2/authorize'
const config = { permission: 'public' as const }
/** People fill in the forms: errors are shown on a page. */
const validatorCompiler = () => () => true
const form = { config, bodyLimit: publicBodySizeBytesMax, validatorCompiler }
const page = (description: string) => ({
  description,
  content: {
    'text/html': { schema: Type.String(), example: '<!doctype html><title>Log in</title>' },
  },
})
const schema = {
  tags: ['oauth'],
  response: {
    200: page('The log-in page, or the page that asks for consent.'),
    303: Type.Null({ description: 'To the application, or to the next page.' }),
    400: page('A page that says what is wrong.'),
    401: page('The log-in page again.'),
  },
}

type Fields = Readonly<Record<string, unknown>>

const text = (description: string) => Type.Optional(Type.String({ description }))
/** RFC 6749, section 4.1.1, and RFC 7636, section 4.3. */
const authorizeQuery = Type.Object({
  response_type: Type.Literal('code', { description: '`code`.', examples: ['code'] }),
  client_id: Type.String({ description: 'The client.', examples: [exampleClientId] }),
  redirect_uri: text('Where the code goes; one of `redirectUris` of the client.'),
  state: text('Comes back with the code.'),
  code_challenge: text('PKCE (RFC 7636).'),
  code_challenge_method: text('`S256` or `plain`.'),
})

const loginForm = Type.Object(
  {
    username: text('User name or email address.'),
    password: text('The password.'),
    return: text('The query that the log-in page was asked with.'),
  },
  {
    examples: [
      {
        username: 'ann',
        password: 'correct horse battery staple',
        return: `response_type=code&client_id=${exampleClientId}`,
      },
    ],
  },
)
const consentForm = Type.Object(
  {
    ...Type.Partial(authorizeQuery).properties,
    csrf: text('What the page has it from.'),
    allowed: text('`true` or `false`.'),
    logout: text('Present: log in as another user instead.'),
  },
  { examples: [{ response_type: 'code', client_id: exampleClientId, allowed: 'true' }] },
)

/** Log-in and consent (RFC 6749, section 3.1): an application that asks, a user who decides. */
export function addAuthorizeRoutes(app: HttpApp, parts: AuthorizeParts): void {
  const asking = {
    ...schema,
    operationId: 'authorize',
    summary: 'Ask the user for consent',
    querystring: authorizeQuery,
  }
  const loggingIn = {
    ...schema,
    operationId: 'logIn',
    summary: 'Log in to the consent page',
    consumes: ['application/x-www-form-urlencoded'],
    body: loginForm,
  }
  const deciding = {
    ...schema,
    operationId: 'decideConsent',
    summary: 'Give or refuse consent',
    consumes: ['application/x-www-form-urlencoded'],
    body: consentForm,
  }
  app.get(path, { config, schema: asking }, async (request, reply) => {
    const query = request.query as Fields
    const asked = await readRequest(query, parts)
    if (typeof asked === 'string') return sendPage(reply, 400, errorPage(asked))
    const session = await parts.sessions.find(request)
    if (session === undefined) return sendLogin(reply, asked.client, searchOf(request))
    return sendConsent(reply, { ...asked, query, session })
  })
  app.post(`${path}_login`, { ...form, schema: loggingIn }, (request, reply) =>
    logIn(request, reply, parts),
  )
  app.post(path, { ...form, schema: deciding }, (request, reply) => decide(request, reply, parts))
}

/**
 * Which client asks, and where its answer goes; a sentence where that is not sure. Nothing may be sent
 * to an address that is not the client's own.
 */
async function readRequest(
  fields: Fields,
  { grants }: OAuthModelParts,
): Promise<AuthorizeRequest | string> {
  const { client_id: clientId, redirect_uri: redirectUri } = fields
  const client =
    typeof clientId === 'string' ? await grants.findClient(clientId, undefined) : undefined
  if (client === undefined) return 'The application that sent you here is not known (client_id).'
  if (!(JSON.parse(client.grant_types) as string[]).includes('authorization_code')) {
    return 'The application that sent you here may not ask users for consent (grantTypes).'
  }
  const known = JSON.parse(client.redirect_uris) as string[]
  if (redirectUri === undefined && known[0] !== undefined && known.length === 1) {
    return { client, redirectUri: known[0] }
  }
  const found = known.find((uri) => uri === redirectUri)
  if (found === undefined)
    return 'The address to go back to is not one of the application (redirect_uri).'
  return { client, redirectUri: found }
}

async function logIn(request: FastifyRequest, reply: FastifyReply, parts: AuthorizeParts) {
  refuseOtherSites(request)
  const { username, password, return: returnTo } = request.body as Fields
  const search = typeof returnTo === 'string' ? returnTo : ''
  const asked = await readRequest(Object.fromEntries(new URLSearchParams(search)), parts)
  if (typeof asked === 'string') return sendPage(reply, 400, errorPage(asked))
  const attempt = { login: String(username), password: String(password), address: request.ip }
  try {
    const account = await parts.passwords.check(attempt)
    if (account === undefined || !(await parts.sessions.start(reply, account))) {
      return await sendLogin(reply, asked.client, search, 'User name or password is not right.')
    }
  } catch (error) {
    if (!(error instanceof AppError) || error.kind !== 'rate_limited') throw error
    return sendLogin(reply, asked.client, search, error.message)
  }
  return reply.redirect(`${path}?${new URLSearchParams(search).toString()}`, 303)
}

async function decide(request: FastifyRequest, reply: FastifyReply, parts: AuthorizeParts) {
  refuseOtherSites(request)
  const body = request.body as Fields
  const asked = await readRequest(body, parts)
  if (typeof asked === 'string') return sendPage(reply, 400, errorPage(asked))
  const session = await parts.sessions.find(request)
  const { csrf, logout, ...query } = body
  const search = new URLSearchParams(query as Record<string, string>).toString()
  if (session === undefined) return sendLogin(reply, asked.client, search)
  if (!isCsrfToken(session, csrf)) return sendConsent(reply, { ...asked, query, session })
  if (logout !== undefined) {
    await parts.sessions.end(request, reply)
    return sendLogin(reply, asked.client, search)
  }
  // Only a button is an answer.
  if (body['allowed'] !== 'true' && body['allowed'] !== 'false') {
    return sendConsent(reply, { ...asked, query, session })
  }
  const response = new (loadOAuthLibrary().Response)({ headers: {} })
  const user = { userId: session.account.user.id }
  try {
    const options = { authenticateHandler: { handle: () => user } }
    await createOAuthServer(parts).authorize(toOAuthRequest(request), response, options)
  } catch (error) {
    if (!isOAuthRefusal(error)) throw error
    // Where the library does not redirect, the application should not hear of it.
    if (response.get('location') === undefined) {
      return sendPage(reply, 400, errorPage(error.message))
    }
    return goBack(reply, refusalUri(asked.redirectUri, error, body['state']))
  }
  return goBack(reply, String(response.get('location')))
}

/** A header carries the characters of a URI only; the application may have written others. */
function goBack(reply: FastifyReply, uri: string): FastifyReply {
  return reply.redirect(new URL(uri).href, 303)
}

/** RFC 6749, section 4.1.2.1. The library's own redirect loses the error where the URI has a query. */
function refusalUri(redirectUri: string, error: OAuth2Server.OAuthError, state: unknown): string {
  const parameters = new URLSearchParams({ error: error.name, error_description: error.message })
  if (typeof state === 'string' && /^[ -~]+$/.test(state)) parameters.set('state', state)
  return `${redirectUri}${redirectUri.includes('?') ? '&' : '?'}${parameters.toString()}`
}

/** A form on another site must not act in the name of who is logged in here, nor log anybody in. */
function refuseOtherSites(request: FastifyRequest): void {
  if (isFromOtherSite(request)) throw otherSite()
}

function searchOf(request: FastifyRequest): string {
  const at = request.url.indexOf('?')
  return at === -1 ? '' : request.url.slice(at + 1)
}
