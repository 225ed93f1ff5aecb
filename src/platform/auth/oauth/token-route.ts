import type OAuth2Server from '@node-oauth/oauth2-server'
import type { FastifyReply } from 'fastify'
import Type, { type Static } from 'typebox'
import type { HttpApp } from '../../http/index.ts'
import { answerTo, publicBodySizeBytesMax, text } from '../../http/index.ts'
import { exampleClientId, exampleClientSecret } from '../clients/client-schema.ts'
import { createOAuthModel, loadOAuthLibrary, type OAuthModelParts } from './oauth-model.ts'

/** How long tokens are valid, in seconds. */
export interface TokenLifetimes {
  accessSeconds: number
  refreshSeconds: number
}

const body = Type.Object(
  {
    grant_type: text('`authorization_code`, `refresh_token` or `client_credentials`.'),
    client_id: text('The client id. Or send id and secret by HTTP Basic.'),
    client_secret: text('The secret of the client.'),
    code: text('The authorization code.'),
    redirect_uri: text('The URI that the code was sent to.'),
    code_verifier: text('PKCE (RFC 7636).'),
    refresh_token: text('The refresh token. It works once; the response has the next one.'),
  },
  {
    examples: [
      {
        grant_type: 'client_credentials',
        client_id: exampleClientId,
        client_secret: exampleClientSecret,
      },
    ],
  },
)
const tokens = Type.Object(
  {
    access_token: Type.String(),
    token_type: Type.String(),
    expires_in: Type.Integer({ description: 'Seconds.' }),
    refresh_token: Type.Optional(Type.String()),
  },
  {
    examples: [
      {
        access_token: 'pVnGqkzW3yV1rZ5cK0mXo8bT2sLd9fHa4eJu6iQw7Yg',
        token_type: 'Bearer',
        expires_in: 3600,
      },
    ],
  },
)
const oauthError = Type.Object(
  { error: Type.String(), error_description: Type.String() },
  {
    title: 'OAuthError',
    description: 'RFC 6749, section 5.2.',
    examples: [{ error: 'invalid_grant', error_description: 'Invalid grant: code has expired' }],
  },
)
const schema = {
  operationId: 'getToken',
  summary: 'Get an access token',
  description: 'Grants: authorization_code, refresh_token, client_credentials.',
  tags: ['oauth'],
  consumes: ['application/json', 'application/x-www-form-urlencoded'],
  body,
  response: { 200: tokens, 400: oauthError, 401: oauthError },
}

/** Adds `POST /oauth/v2/token` (RFC 6749, section 3.2), for form and JSON bodies. */
export function addTokenRoute(
  app: HttpApp,
  parts: OAuthModelParts & { lifetimes: TokenLifetimes },
): void {
  app.post(
    '/oauth/v2/token',
    {
      schema,
      bodyLimit: publicBodySizeBytesMax,
      config: { permission: 'public' },
      // Errors of the body have the format of OAuth, too.
      validatorCompiler: () => () => true,
      errorHandler: (error, request, reply) => {
        const answer = answerTo(error, request.id)
        if (answer.status !== 400) throw error
        sendError(reply, 400, 'invalid_request', answer.body.error)
      },
    },
    async (request, reply) => {
      const server = createOAuthServer(parts, request.ip)
      const response = new (loadOAuthLibrary().Response)({ headers: {} })
      try {
        await server.token(toOAuthRequest(request), response)
      } catch (error) {
        if (!isOAuthError(error)) throw error
        for (const [name, value] of Object.entries(response.headers ?? {}))
          reply.header(name, value)
        return sendError(reply, error.code, error.name, error.message)
      }
      const { scope: _, ...fields } = response.body as Static<typeof tokens> & { scope?: unknown }
      // The library's own expires_in is a second less, because it rounds down.
      const answer = { ...fields, expires_in: parts.lifetimes.accessSeconds }
      return reply.headers({ 'cache-control': 'no-store', pragma: 'no-cache' }).send(answer)
    },
  )
}

/** Creates the library's server, for one request from this address. */
export function createOAuthServer(
  parts: OAuthModelParts & { lifetimes: TokenLifetimes },
  address: string,
): OAuth2Server {
  const Library = loadOAuthLibrary()
  return new Library({
    model: createOAuthModel(parts, address),
    accessTokenLifetime: parts.lifetimes.accessSeconds,
    refreshTokenLifetime: parts.lifetimes.refreshSeconds,
    allowEmptyState: true,
  })
}

/** Creates the library's request: a form with one text per parameter. */
export function toOAuthRequest(request: {
  method: string
  headers: Record<string, string | string[] | undefined>
  body: unknown
}) {
  const { authorization } = request.headers
  return new (loadOAuthLibrary().Request)({
    method: request.method,
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      'content-length': '1',
      // Mautic's client also sends an expired bearer token, which is ignored.
      ...(typeof authorization === 'string' && /^basic /i.test(authorization)
        ? { authorization }
        : {}),
    },
    // The query is read by the consent page only, which does not use the library.
    query: {},
    body: texts(request.body),
  })
}

/** Whether the error is one that OAuth clients get, and no internal one. */
export function isOAuthError(error: unknown): error is OAuth2Server.OAuthError {
  return error instanceof loadOAuthLibrary().OAuthError && error.code < 500
}

/** Sends an error of OAuth (RFC 6749, section 5.2). */
function sendError(
  reply: FastifyReply,
  status: number,
  error: string,
  description: string,
): FastifyReply {
  reply.headers({ 'cache-control': 'no-store', pragma: 'no-cache' })
  return reply.code(status).send({ error, error_description: description })
}

function texts(values: unknown): Record<string, string> {
  const entries = Object.entries(values ?? {})
  return Object.fromEntries(
    entries.filter(
      (entry): entry is [string, string] => typeof entry[1] === 'string' && entry[1] !== '',
    ),
  )
}
