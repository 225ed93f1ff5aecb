import type OAuth2Server from '@node-oauth/oauth2-server'
import type { FastifyReply } from 'fastify'
import Type, { type Static } from 'typebox'
import type { HttpApp } from '../../http/index.ts'
import { answerTo, publicBodySizeBytesMax } from '../../http/index.ts'
import { exampleClientId, exampleClientSecret } from '../clients/client-schema.ts'
import { loadOAuthLibrary } from './oauth-library.ts'
import { createOAuthModel, type OAuthModelParts } from './oauth-model.ts'

/** How long tokens live, in seconds. */
export interface TokenLifetimes {
  accessSeconds: number
  refreshSeconds: number
}

const text = (description: string) => Type.Optional(Type.String({ description }))

const body = Type.Object(
  {
    grant_type: text('`authorization_code`, `refresh_token` or `client_credentials`.'),
    client_id: text('Or by HTTP Basic, with the secret.'),
    client_secret: text('The secret of the client.'),
    code: text('The authorization code.'),
    redirect_uri: text('The one that the code was sent to.'),
    code_verifier: text('PKCE (RFC 7636).'),
    refresh_token: text('The refresh token. Each works once; the answer has the next.'),
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
const refusal = Type.Object(
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
  response: { 200: tokens, 400: refusal, 401: refusal },
}

/** `POST /oauth/v2/token` (RFC 6749, section 3.2), with form and JSON bodies. */
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
      // What is wrong with the body is told in OAuth's own shape, too.
      validatorCompiler: () => () => true,
      errorHandler: (error, request, reply) => {
        const answer = answerTo(error, request.id)
        if (answer.status !== 400) throw error
        sendError(reply, 400, 'invalid_request', answer.body.error)
      },
    },
    async (request, reply) => {
      const server = createOAuthServer(parts)
      const response = new (loadOAuthLibrary().Response)({ headers: {} })
      try {
        await server.token(toOAuthRequest(request), response)
      } catch (error) {
        if (!isOAuthRefusal(error)) throw error
        for (const [name, value] of Object.entries(response.headers ?? {}))
          reply.header(name, value)
        return sendError(reply, error.code, error.name, error.message)
      }
      const { scope: _, ...given } = response.body as Static<typeof tokens> & { scope?: unknown }
      // The library has counted the time since it made them already, and rounds down.
      const answer = { ...given, expires_in: parts.lifetimes.accessSeconds }
      return reply.headers({ 'cache-control': 'no-store', pragma: 'no-cache' }).send(answer)
    },
  )
}

/** The library, for one request. */
export function createOAuthServer(
  parts: OAuthModelParts & { lifetimes: TokenLifetimes },
): OAuth2Server {
  const Library = loadOAuthLibrary()
  return new Library({
    model: createOAuthModel(parts),
    accessTokenLifetime: parts.lifetimes.accessSeconds,
    refreshTokenLifetime: parts.lifetimes.refreshSeconds,
    allowEmptyState: true,
  })
}

/** A request as the library reads it: one text per parameter, in a form. */
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
      // An expired bearer token beside the credentials, as Mautic's client sends it, is not looked at.
      ...(typeof authorization === 'string' && /^basic /i.test(authorization)
        ? { authorization }
        : {}),
    },
    // Nothing of OAuth is read from a query but the request for the consent page, which is ours.
    query: {},
    body: texts(request.body),
  })
}

/** Whether the library refused, and it is not a fault of ours. */
export function isOAuthRefusal(error: unknown): error is OAuth2Server.OAuthError {
  return error instanceof loadOAuthLibrary().OAuthError && error.code < 500
}

/** RFC 6749, section 5.2. */
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
