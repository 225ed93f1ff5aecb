import type OAuth2Server from '@node-oauth/oauth2-server'
import type { FastifyReply, FastifyRequest } from 'fastify'
import Type from 'typebox'
import { AppError } from '../../../kit/app-error.ts'
import {
  type HttpApp,
  isFromOtherSite,
  otherSite,
  publicBodySizeBytesMax,
  text,
} from '../../http/index.ts'
import { exampleClientId } from '../clients/client-schema.ts'
import type { PasswordCheck } from '../login/logins.ts'
import { loadOAuthLibrary, type OAuthModelParts } from './oauth-model.ts'
import { type AuthorizeRequest, sendConsent, sendError, sendLogin } from './pages.ts'
import { isCsrfToken, type Sessions } from './sessions.ts'
import {
  createOAuthServer,
  isOAuthError,
  type TokenLifetimes,
  toOAuthRequest,
} from './token-route.ts'

export interface AuthorizeParts extends OAuthModelParts {
  sessions: Sessions
  passwords: PasswordCheck
  lifetimes: TokenLifetimes
}

const path = '/oauth/v2/authorize'
const config = { permission: 'public' as const }
/** The handlers show errors of the forms as pages. */
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
    200: page('The log-in page or the consent page.'),
    303: Type.Null({ description: 'To the application, or to the next page.' }),
    400: page('A page with the error.'),
    401: page('The log-in page again.'),
  },
}

type Fields = Readonly<Record<string, unknown>>

/** RFC 6749, section 4.1.1, and RFC 7636, section 4.3. */
const authorizeQuery = Type.Object({
  response_type: Type.Literal('code', { description: '`code`.', examples: ['code'] }),
  client_id: Type.String({ description: 'The client.', examples: [exampleClientId] }),
  redirect_uri: text('Where the code is sent; one of `redirectUris` of the client.'),
  state: text('Returned with the code.'),
  code_challenge: text('PKCE (RFC 7636).'),
  code_challenge_method: text('`S256` or `plain`.'),
})

const loginForm = Type.Object(
  {
    username: text('User name or email address.'),
    password: text('The password.'),
    return: text('The query of the log-in page.'),
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
    csrf: text('The token of the page.'),
    allowed: text('`true` or `false`.'),
    logout: text('If present, the user logs in as another user.'),
  },
  { examples: [{ response_type: 'code', client_id: exampleClientId, allowed: 'true' }] },
)

/** Adds the log-in page and the consent page (RFC 6749, section 3.1). */
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
    summary: 'Give or deny consent',
    consumes: ['application/x-www-form-urlencoded'],
    body: consentForm,
  }
  app.get(path, { config, schema: asking }, async (request, reply) => {
    const query = request.query as Fields
    const asked = await readRequest(query, parts)
    if (typeof asked === 'string') return sendError(reply, asked)
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
 * Returns the client and the redirect URI of a request, or an error message when either is invalid. Nothing is ever sent to
 * a URI that the client has not registered.
 */
async function readRequest(
  fields: Fields,
  { grants }: OAuthModelParts,
): Promise<AuthorizeRequest | string> {
  const { client_id: clientId, redirect_uri: redirectUri } = fields
  const client =
    typeof clientId === 'string' ? await grants.findClient(clientId, undefined) : undefined
  if (client === undefined) return 'The application that sent you here is unknown (client_id).'
  if (!(JSON.parse(client.grant_types) as string[]).includes('authorization_code')) {
    return 'The application that sent you here is not allowed to ask users for consent (grantTypes).'
  }
  const uris = JSON.parse(client.redirect_uris) as string[]
  if (redirectUri === undefined && uris[0] !== undefined && uris.length === 1) {
    return { client, redirectUri: uris[0] }
  }
  const match = uris.find((uri) => uri === redirectUri)
  if (match === undefined)
    return 'The address to return to is not registered for the application (redirect_uri).'
  return { client, redirectUri: match }
}

async function logIn(request: FastifyRequest, reply: FastifyReply, parts: AuthorizeParts) {
  checkSameSite(request)
  const { username, password, return: returnTo } = request.body as Fields
  const search = typeof returnTo === 'string' ? returnTo : ''
  const asked = await readRequest(Object.fromEntries(new URLSearchParams(search)), parts)
  if (typeof asked === 'string') return sendError(reply, asked)
  const attempt = { login: String(username), password: String(password), address: request.ip }
  try {
    const account = await parts.passwords.check(attempt)
    if (account === undefined || !(await parts.sessions.start(reply, account))) {
      return await sendLogin(reply, asked.client, search, 'User name or password is wrong.')
    }
  } catch (error) {
    if (!(error instanceof AppError) || error.kind !== 'rate_limited') throw error
    return sendLogin(reply, asked.client, search, error.message)
  }
  return reply.redirect(`${path}?${new URLSearchParams(search).toString()}`, 303)
}

async function decide(request: FastifyRequest, reply: FastifyReply, parts: AuthorizeParts) {
  checkSameSite(request)
  const body = request.body as Fields
  const asked = await readRequest(body, parts)
  if (typeof asked === 'string') return sendError(reply, asked)
  const session = await parts.sessions.find(request)
  const { csrf, logout, ...query } = body
  const search = new URLSearchParams(query as Record<string, string>).toString()
  if (session === undefined) return sendLogin(reply, asked.client, search)
  if (!isCsrfToken(session, csrf)) return sendConsent(reply, { ...asked, query, session })
  if (logout !== undefined) {
    await parts.sessions.end(request, reply)
    return sendLogin(reply, asked.client, search)
  }
  // Neither button was clicked.
  if (body['allowed'] !== 'true' && body['allowed'] !== 'false') {
    return sendConsent(reply, { ...asked, query, session })
  }
  const response = new (loadOAuthLibrary().Response)({ headers: {} })
  const user = { userId: session.account.user.id }
  try {
    const options = { authenticateHandler: { handle: () => user } }
    await createOAuthServer(parts, request.ip).authorize(toOAuthRequest(request), response, options)
  } catch (error) {
    if (!isOAuthError(error)) throw error
    // The library does not redirect errors that the application must not see.
    if (response.get('location') === undefined) return sendError(reply, error.message)
    return goBack(reply, errorUri(asked.redirectUri, error, body['state']))
  }
  return goBack(reply, String(response.get('location')))
}

/** Encodes characters that the application has left in its URI and no header may have. */
function goBack(reply: FastifyReply, uri: string): FastifyReply {
  return reply.redirect(new URL(uri).href, 303)
}

/** Returns the URI for an error (RFC 6749, section 4.1.2.1). The library's own redirect loses the error when the URI has a query. */
function errorUri(redirectUri: string, error: OAuth2Server.OAuthError, state: unknown): string {
  const parameters = new URLSearchParams({ error: error.name, error_description: error.message })
  if (typeof state === 'string' && /^[ -~]+$/.test(state)) parameters.set('state', state)
  return `${redirectUri}${redirectUri.includes('?') ? '&' : '?'}${parameters.toString()}`
}

/** Throws for a form of another site: it must not act for the user, nor log in another one. */
function checkSameSite(request: FastifyRequest): void {
  if (isFromOtherSite(request)) throw otherSite()
}

function searchOf(request: FastifyRequest): string {
  const at = request.url.indexOf('?')
  return at === -1 ? '' : request.url.slice(at + 1)
}
