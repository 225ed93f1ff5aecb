import { h } from 'preact'
import Type from 'typebox'
import { secretMask } from '../../../libraries/mailer/index.ts'
import {
  type Callers,
  type HttpApp,
  type HttpReply,
  nullable,
  optionalEmailAddress,
  renderPage,
  sendPage,
  text,
  validationError,
} from '../../../platform/http/index.ts'
import { callbackPath, type GoogleSignIn } from './google-sign-in.ts'

export interface GoogleRouteParts {
  googleSignIn: GoogleSignIn
  callers: Callers
}

const path = '/api/multipleTransports/oauth/google'
const tags = ['multipleTransports']
const config = { permission: 'multipleTransports:edit' as const }
const exampleClientId = '407408718192-example.apps.googleusercontent.com'
const exampleRedirectUri = `https://mail.example.com${callbackPath}`

const clientId = Type.String({
  minLength: 1,
  maxLength: 500,
  description: 'The client id of a client of the type "Web application" at Google.',
})

/** Adds the sign-in with Google, which gets the refresh token of a DSN `gmail+oauth://`. */
export function addGoogleRoutes(app: HttpApp, parts: GoogleRouteParts): void {
  addRedirectUriRoute(app, parts)
  addStartRoute(app, parts)
  addCallbackRoute(app, parts)
  addTokenRoute(app, parts)
}

function addRedirectUriRoute(app: HttpApp, { googleSignIn }: GoogleRouteParts): void {
  const schema = {
    operationId: 'getGoogleRedirectUri',
    summary: 'Show the redirect URI to register at Google',
    tags,
    response: {
      200: Type.Object(
        {
          redirectUri: nullable(Type.String(), {
            description:
              'Null where Google could not send a browser back: `MAILYARD_PUBLIC_URL` is not set, or does not begin with https.',
          }),
        },
        { examples: [{ redirectUri: exampleRedirectUri }] },
      ),
    },
  }
  app.get(path, { schema, config }, () => ({ redirectUri: googleSignIn.redirectUri ?? null }))
}

function addStartRoute(app: HttpApp, { googleSignIn, callers }: GoogleRouteParts): void {
  const schema = {
    operationId: 'startGoogleSignIn',
    summary: 'Start a sign-in with Google',
    description:
      'Open `authorizationUrl` in a browser within 10 minutes. Google sends the browser back to the callback, whose query only you can ' +
      'exchange for a refresh token. Nothing is stored.',
    tags,
    body: Type.Object(
      { clientId, mailbox: optionalEmailAddress('The account that Google suggests.') },
      { examples: [{ clientId: exampleClientId, mailbox: 'shop@example.com' }] },
    ),
    response: {
      200: Type.Object(
        {
          authorizationUrl: Type.String({ description: 'The consent page of Google.' }),
        },
        {
          examples: [
            { authorizationUrl: 'https://accounts.google.com/o/oauth2/v2/auth?response_type=code' },
          ],
        },
      ),
    },
  }
  app.post(path, { schema, config }, async (request) => {
    const { clientId: id, mailbox } = request.body
    const caller = callers.of(request)
    return { authorizationUrl: await googleSignIn.start(id, caller, mailbox || undefined) }
  })
}

function addCallbackRoute(app: HttpApp, { googleSignIn }: GoogleRouteParts): void {
  const page = (description: string) => ({
    description,
    content: {
      'text/html': {
        schema: Type.String(),
        example: '<!doctype html><title>Back from Google</title>',
      },
    },
  })
  const schema = {
    operationId: 'returnFromGoogle',
    summary: 'Come back from the consent page of Google',
    description:
      'For browsers. The page hands its query to the page of the console that started the sign-in. It contains no token.',
    tags,
    querystring: Type.Object({
      state: text('The state of the sign-in.', { examples: ['c0ffee00.c2VhbGVk'] }),
      code: text('What `POST /api/multipleTransports/oauth/google/token` exchanges.', {
        examples: ['4/0Ab'],
      }),
      error: text('Why there is no code, such as `access_denied`.', {
        examples: ['access_denied'],
      }),
      iss: text('The issuer.', { examples: ['https://accounts.google.com'] }),
      scope: text('The scopes that were granted.', { examples: ['https://mail.google.com/'] }),
      authuser: text('Ignored.', { examples: ['0'] }),
      hd: text('Ignored.', { examples: ['example.com'] }),
      prompt: text('Ignored.', { examples: ['consent'] }),
    }),
    response: {
      200: page('The page.'),
      400: page('The page for a sign-in that is not known or has expired.'),
    },
  }
  const options = {
    schema,
    config: { permission: 'public' as const },
    // Faults are shown as a page.
    validatorCompiler: () => () => true,
  }
  app.get(callbackPath, options, async (request, reply) => {
    const { state } = request.query as { state?: unknown }
    const isStarted = typeof state === 'string' && (await googleSignIn.isStarted(state))
    return isStarted ? sendCallbackPage(reply) : sendUnknownPage(reply)
  })
}

function addTokenRoute(app: HttpApp, { googleSignIn, callers }: GoogleRouteParts): void {
  const schema = {
    operationId: 'finishGoogleSignIn',
    summary: 'Exchange the answer of Google for a refresh token',
    description:
      'For the caller who started the sign-in, with the same client. It works once: Google accepts each code once. Nothing is stored.',
    tags,
    body: Type.Object(
      {
        clientId,
        clientSecret: Type.String({
          minLength: 1,
          maxLength: 500,
          description: 'The secret of the client.',
        }),
        response: Type.String({
          maxLength: 8_000,
          description: 'The query of the callback.',
        }),
      },
      {
        examples: [
          {
            clientId: exampleClientId,
            clientSecret: 'GOCSPX-sample',
            response: 'state=c0ffee00.c2VhbGVk&code=4/0Ab',
          },
        ],
      },
    ),
    response: {
      200: Type.Object(
        {
          refreshToken: Type.String({ description: 'For `refreshToken` of the DSN.' }),
          warnings: Type.Array(Type.String(), {
            description: 'Such as that the token expires, because the app is in testing.',
          }),
        },
        { examples: [{ refreshToken: '1//0gSample', warnings: [] }] },
      ),
    },
  }
  app.post(`${path}/token`, { schema, config }, async (request) => {
    const { clientSecret, response, clientId: id } = request.body
    if (clientSecret === secretMask)
      throw validationError({ clientSecret: ['is masked. Enter the secret itself'] })
    const client = { clientId: id, clientSecret }
    return googleSignIn.finish(response, client, callers.of(request))
  })
}

/**
 * Hands the answer of Google to the page of the console that started the sign-in, and removes it from the history. Only that page
 * knows what to do with it. The console listens on this channel: web/screens/transports/google-sign-in.tsx.
 */
const script = `
new BroadcastChannel('mailyard google sign-in').postMessage(location.search)
history.replaceState(null, '', location.pathname)`

/** Sends the page that Google sends browsers to after the consent. */
function sendCallbackPage(reply: HttpReply): HttpReply {
  const html = renderPage('Back from Google', [
    h(
      'p',
      null,
      "Google's answer is in the tab of Mailyard where you started. You can close this window.",
    ),
    h('script', { dangerouslySetInnerHTML: { __html: script } }),
  ])
  return sendPage(reply, 200, html, { script })
}

/** Sends the page for a sign-in that was not started here, or has expired. */
function sendUnknownPage(reply: HttpReply): HttpReply {
  const message =
    'This sign-in with Google is not known, or was started more than 10 minutes ago. Start it again in Mailyard.'
  const html = renderPage('Sign-in not possible', [
    h('p', { class: 'error', role: 'alert' }, message),
  ])
  return sendPage(reply, 400, html)
}
