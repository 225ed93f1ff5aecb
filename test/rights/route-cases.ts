/** What a route asks of its caller, as its users are promised, and a request that changes nothing. */
export interface RouteCase {
  needs: 'public' | 'authenticated' | readonly string[]
  /** Default: the route's own URL, where each parameter is an unknown id. */
  url?: string
  body?: unknown
  /** Whether the route is public for requests from this machine; those of the tests are. */
  isPublicOnLoopback?: boolean
  /** The status for an allowed caller. A request that would change data has an unknown id or an invalid body. */
  answers: number
}

type RouteCases = Record<string, RouteCase>

const faulty = { isPublished: 'maybe' }

/** The routes that Mautic gives a resource. */
function resourceCases(path: string, area: string): RouteCases {
  const needs = (level: string) => [`${area}:${level}`]
  return {
    [`GET ${path}`]: { needs: needs('view'), answers: 200 },
    [`GET ${path}/:id`]: { needs: needs('view'), answers: 404 },
    [`POST ${path}/new`]: { needs: needs('create'), body: faulty, answers: 400 },
    [`PATCH ${path}/:id/edit`]: { needs: needs('edit'), answers: 404 },
    [`PUT ${path}/:id/edit`]: { needs: needs('edit'), body: faulty, answers: 400 },
    [`DELETE ${path}/:id/delete`]: { needs: needs('delete'), answers: 404 },
    [`POST ${path}/batch/new`]: { needs: needs('create'), body: [], answers: 201 },
    [`PATCH ${path}/batch/edit`]: { needs: needs('edit'), body: [], answers: 200 },
    [`PUT ${path}/batch/edit`]: { needs: needs('edit'), body: [], answers: 200 },
    // Without ids.
    [`DELETE ${path}/batch/delete`]: { needs: needs('delete'), answers: 400 },
  }
}

/** A resource whose deleted records can be restored. */
function restorableCases(path: string, area: string): RouteCases {
  const needs = [`${area}:delete`]
  return {
    ...resourceCases(path, area),
    [`POST ${path}/:id/restore`]: { needs, answers: 404 },
    // Without ids.
    [`POST ${path}/batch/restore`]: { needs, answers: 400 },
  }
}

/** Reading, creating and deleting an assignment: `edit` on transports, `view` on the email or user. */
function assignmentCases(name: string, parameter: string, area: string): RouteCases {
  const path = `/api/multipleTransport/${name}`
  const needs = (level: string) => [`multipleTransports:${level}`, `${area}:view`]
  return {
    [`GET ${path}`]: { needs: needs('view'), answers: 200 },
    [`POST ${path}/batch`]: { needs: needs('edit'), body: [], answers: 200 },
    [`GET ${path}/:${parameter}`]: { needs: needs('view'), answers: 404 },
    [`POST ${path}/:${parameter}`]: { needs: needs('edit'), body: {}, answers: 400 },
    [`DELETE ${path}/:${parameter}`]: { needs: needs('edit'), answers: 404 },
  }
}

/** The queue: to see it and to change it. */
function queueCases(): RouteCases {
  const path = '/api/queue'
  const view = ['queue:view']
  const edit = ['queue:view', 'queue:edit']
  const actions = ['retry', 'hold', 'release', 'cancel', 'sendUnanswered'].flatMap(
    (action): [string, RouteCase][] => [
      [`POST ${path}/messages/:id/${action}`, { needs: edit, answers: 404 }],
      [`POST ${path}/${action}`, { needs: edit, body: {}, answers: 400 }],
    ],
  )
  return {
    [`GET ${path}`]: { needs: view, answers: 200 },
    [`GET ${path}/brakes`]: { needs: view, answers: 200 },
    [`POST ${path}/brakes/:id/try`]: { needs: edit, answers: 404 },
    [`POST ${path}/brakes/:id/continue`]: { needs: edit, answers: 404 },
    [`POST ${path}/brakes/:id/cancel`]: { needs: edit, answers: 404 },
    [`GET ${path}/messages`]: { needs: view, answers: 200 },
    [`GET ${path}/messages/:id`]: { needs: view, answers: 404 },
    ...Object.fromEntries(actions),
  }
}

/** What transports have beside the routes of a resource. */
function transportCases(): RouteCases {
  const path = '/api/multipleTransports'
  const view = ['multipleTransports:view']
  const edit = ['multipleTransports:edit']
  return {
    ...restorableCases(path, 'multipleTransports'),
    ...assignmentCases('transportEmail', 'emailId', 'email'),
    ...assignmentCases('transportUser', 'userId', 'user'),
    [`POST ${path}/send/test/:id`]: { needs: edit, answers: 404 },
    [`POST ${path}/send/test`]: { needs: edit, body: {}, answers: 400 },
    [`GET ${path}/providers`]: { needs: view, answers: 200 },
    [`POST ${path}/dsn/inspect`]: { needs: view, body: {}, answers: 400 },
    [`POST ${path}/dsn/build`]: { needs: view, body: {}, answers: 400 },
    [`GET ${path}/oauth/google`]: { needs: edit, answers: 200 },
    [`POST ${path}/oauth/google`]: { needs: edit, body: {}, answers: 400 },
    [`POST ${path}/oauth/google/token`]: { needs: edit, body: {}, answers: 400 },
    'GET /oauth/google/callback': open(400),
    [`GET ${path}/:id/webhooks`]: { needs: view, answers: 404 },
    [`PUT ${path}/:id/webhook`]: { needs: edit, body: {}, answers: 404 },
    [`DELETE ${path}/:id/webhook`]: { needs: edit, answers: 404 },
    // With a secret that is unknown.
    'GET /webhooks/transports/:id/:secret': open(404),
    'POST /webhooks/transports/:id/:secret': open(404, { body: {} }),
    'POST /api/multipleTransport/drill': { needs: view, body: {}, answers: 400 },
    'GET /api/multipleTransport/resolve': {
      needs: ['multipleTransports:view', 'email:view', 'contact:view'],
      answers: 200,
    },
  }
}

/** What templates have beside the routes of a resource. */
function templateCases(): RouteCases {
  const path = '/api/twigTemplates'
  const view = ['twigtemplates:view']
  const used = ['twigtemplates:view', 'email:view']
  const test = ['twigtemplates:view', 'multipleTransports:edit']
  return {
    ...restorableCases(path, 'twigtemplates'),
    [`POST ${path}/render`]: { needs: view, body: {}, answers: 400 },
    [`POST ${path}/lint`]: { needs: view, body: {}, answers: 400 },
    [`POST ${path}/send/test`]: { needs: test, body: {}, answers: 400 },
    [`GET ${path}/language`]: { needs: view, answers: 200 },
    [`GET ${path}/:id/variables`]: { needs: view, answers: 404 },
    [`GET ${path}/:id/versions`]: { needs: view, answers: 404 },
    [`GET ${path}/:id/versions/:version`]: { needs: view, answers: 404 },
    [`POST ${path}/:id/versions/:version/restore`]: { needs: ['twigtemplates:edit'], answers: 404 },
    [`GET ${path}/:id/dependents`]: { needs: used, answers: 404 },
    [`POST ${path}/:id/impact`]: { needs: used, body: { template: 'x' }, answers: 404 },
  }
}

/** Sending, and what became of it. */
function sendingCases(): RouteCases {
  const path = '/api/deliveries'
  const send = ['email:send']
  const sendTo = ['email:send', 'contact:view']
  const view = ['email:view']
  const settled = { outcome: 'accepted' }
  return {
    'POST /api/emails/:id/contact/:contactId/send': { needs: sendTo, answers: 404 },
    'POST /api/emails/:id/send': { needs: send, answers: 404 },
    'GET /api/emails/:id/preview': { needs: view, answers: 404 },
    'POST /api/emails/preview': { needs: view, body: {}, answers: 400 },
    'POST /api/emails/send/test': {
      needs: sendTo,
      body: { id: 999_999, to: 'ann@example.com' },
      answers: 404,
    },
    [`GET ${path}`]: { needs: view, answers: 200 },
    [`GET ${path}.csv`]: { needs: view, answers: 200 },
    [`GET ${path}/stats`]: { needs: view, answers: 200 },
    [`GET ${path}/stats.csv`]: { needs: view, answers: 200 },
    [`GET ${path}/transports`]: { needs: [...view, 'multipleTransports:view'], answers: 200 },
    [`GET ${path}/:id`]: { needs: view, answers: 404 },
    [`POST ${path}/batch/settle`]: { needs: send, body: { ids: [], ...settled }, answers: 400 },
    [`POST ${path}/:id/settle`]: { needs: send, body: settled, answers: 404 },
    // No message.
    'POST /api/events/message': { needs: ['contact:edit', 'email:send'], body: {}, answers: 415 },
  }
}

/** The captured messages of `inbox://local`. */
function inboxCases(): RouteCases {
  const needs = ['email:view']
  return {
    'GET /api/inbox': { needs, answers: 200 },
    'GET /api/inbox/:id': { needs, answers: 404 },
    'GET /api/inbox/:id/source': { needs, answers: 404 },
    'GET /api/inbox/:id/html': { needs, answers: 404 },
    'DELETE /api/inbox': { needs: ['email:delete'], answers: 200 },
    'DELETE /api/inbox/:id': { needs: ['email:delete'], answers: 404 },
  }
}

function mauticCases(): RouteCases {
  const path = '/api/mautics'
  const administrator = ['administrator']
  const report = `${path}/:id/reports/:reportId`
  return {
    ...resourceCases(path, 'api'),
    [`POST ${path}/:id/check`]: { needs: ['api:edit'], answers: 404 },
    [`POST ${path}/:id/accept`]: { needs: administrator, answers: 404 },
    [`GET ${path}/:id/reports`]: { needs: ['api:view'], answers: 404 },
    [`POST ${report}/retry`]: { needs: ['api:edit'], answers: 404 },
    [`DELETE ${report}/delete`]: { needs: ['api:delete'], answers: 404 },
    [`POST ${path}/:id/webhook`]: { needs: administrator, body: {}, answers: 404 },
    [`DELETE ${path}/:id/webhook/delete`]: { needs: administrator, answers: 404 },
    // Without a challenge.
    'GET /webhooks/mautic/:id': open(400),
    // Not signed.
    'POST /webhooks/mautic/:id': open(401, { body: {} }),
    // Requests for a Mautic are led there; nothing is there for others.
    'GET /mautic': open(404),
    'POST /mautic': open(404, { body: {} }),
    'PUT /mautic': open(404, { body: {} }),
    'PATCH /mautic': open(404, { body: {} }),
    'DELETE /mautic': open(404),
    'OPTIONS /mautic': open(404),
  }
}

/** The webhooks of Mailyard, which tell others what happened. */
function webhookCases(): RouteCases {
  const path = '/api/webhooks'
  const message = `${path}/:id/messages/:messageId`
  return {
    ...resourceCases(path, 'api'),
    [`POST ${path}/:id/test`]: { needs: ['api:edit'], answers: 404 },
    [`POST ${path}/:id/rotateSecret`]: { needs: ['api:edit'], answers: 404 },
    [`GET ${path}/:id/messages`]: { needs: ['api:view'], answers: 404 },
    [`POST ${message}/retry`]: { needs: ['api:edit'], answers: 404 },
    [`DELETE ${message}/delete`]: { needs: ['api:delete'], answers: 404 },
  }
}

function open(answers: number, more: Partial<RouteCase> = {}): RouteCase {
  return { needs: 'public', answers, ...more }
}

/** From domains and their keys. DNS is not asked for a name that is no domain. */
function senderCases(): RouteCases {
  const path = '/api/senders'
  const needs = ['multipleTransports:view']
  const url = `${path}/no%20domain`
  return {
    [`GET ${path}`]: { needs, answers: 200 },
    [`GET ${path}/:domain`]: { needs, url, answers: 400 },
    [`POST ${path}/:domain/check`]: { needs, url: `${url}/check`, answers: 400 },
    ...resourceCases('/api/dkimKeys', 'multipleTransports'),
    'POST /api/dkimKeys/:id/check': { needs: ['multipleTransports:edit'], answers: 404 },
  }
}

function suppressionCases(): RouteCases {
  const path = '/api/suppressions'
  const remove = ['contact:view', 'contact:delete']
  return {
    ...resourceCases(path, 'contact'),
    [`GET ${path}.csv`]: { needs: ['contact:view'], answers: 200 },
    [`POST ${path}/delete`]: { needs: remove, body: {}, answers: 400 },
    [`POST ${path}/import`]: { needs: ['contact:create', 'contact:edit'], body: {}, answers: 400 },
  }
}

/** Users, and how they log in. */
function userCases(): RouteCases {
  return {
    ...resourceCases('/api/users', 'user'),
    ...resourceCases('/api/roles', 'user'),
    ...resourceCases('/api/oauthClients', 'api'),
    'GET /api/users/:id/sessions': { needs: ['user:edit'], answers: 404 },
    'DELETE /api/users/:id/sessions': { needs: ['user:edit'], answers: 404 },
    'GET /api/users/self': { needs: 'authenticated', answers: 200 },
    'POST /api/session': open(400, { body: {} }),
    'POST /api/session/password': open(400, { body: {} }),
    'POST /api/session/password/check': open(400, { body: {} }),
    'GET /api/session': open(200),
    'DELETE /api/session': { needs: 'authenticated', answers: 200 },
    'GET /api/sessions': { needs: 'authenticated', answers: 200 },
    'DELETE /api/sessions/:id': { needs: 'authenticated', answers: 404 },
    'POST /oauth/v2/token': open(400, { body: {} }),
    'GET /oauth/v2/authorize': open(400),
    'POST /oauth/v2/authorize': open(400, { body: {} }),
    'POST /oauth/v2/authorize_login': open(400, { body: {} }),
  }
}

/** Every route of Mailyard. A route that is not here fails the suite, and so does one that is gone. */
export const routeCases: RouteCases = {
  ...transportCases(),
  ...templateCases(),
  ...restorableCases('/api/emails', 'email'),
  ...restorableCases('/api/contacts', 'contact'),
  'GET /api/contacts/list/fields': { needs: ['contact:view'], answers: 200 },
  ...sendingCases(),
  ...queueCases(),
  ...inboxCases(),
  ...suppressionCases(),
  ...resourceCases('/api/brands', 'brand'),
  ...resourceCases('/api/limits', 'multipleTransports'),
  ...senderCases(),
  ...mauticCases(),
  ...webhookCases(),
  ...userCases(),
  'GET /api/openapi.json': open(200),
  'GET /api/docs': open(200),
  'GET /api/docs/:name': open(200, { url: '/api/docs/emails' }),
  'GET /assets/:name': open(404),
  'GET /': open(200),
  'POST /api/installation/confirm': { needs: ['administrator'], answers: 200 },
  'GET /api/health/findings': { needs: ['administrator'], answers: 200 },
  'GET /metrics': { needs: ['api:view'], answers: 200, isPublicOnLoopback: true },
  'GET /unsubscribe/*': open(404),
  'POST /unsubscribe/*': open(404, { body: {} }),
  'GET /webview/*': open(404),
  'GET /healthz': open(200),
  'GET /readyz': open(200),
}
