/** What a route asks of its caller, as its users are promised, and a request that changes nothing. */
export interface RouteCase {
  needs: 'public' | 'authenticated' | readonly string[]
  /** Where the route's own URL is a pattern. */
  url?: string
  body?: unknown
  /** Whether the route is public for requests from this machine; those of the tests are. */
  isPublicOnLoopback?: boolean
  /** The status for an allowed caller. A request that would change data has an unknown id or an invalid body. */
  answers: number
}

const missingId = '999999'
const faulty = { isPublished: 'maybe' }

/** The routes that Mautic gives a resource. */
function resourceCases(path: string, area: string): Record<string, RouteCase> {
  const needs = (level: string) => [`${area}:${level}`]
  const url = `${path}/${missingId}`
  return {
    [`GET ${path}`]: { needs: needs('view'), answers: 200 },
    [`GET ${path}/:id`]: { needs: needs('view'), url, answers: 404 },
    [`POST ${path}/new`]: { needs: needs('create'), body: faulty, answers: 400 },
    [`PATCH ${path}/:id/edit`]: { needs: needs('edit'), url: `${url}/edit`, answers: 404 },
    [`PUT ${path}/:id/edit`]: {
      needs: needs('edit'),
      url: `${url}/edit`,
      body: faulty,
      answers: 400,
    },
    [`DELETE ${path}/:id/delete`]: { needs: needs('delete'), url: `${url}/delete`, answers: 404 },
    [`POST ${path}/batch/new`]: { needs: needs('create'), body: [], answers: 201 },
    [`PATCH ${path}/batch/edit`]: { needs: needs('edit'), body: [], answers: 200 },
    [`PUT ${path}/batch/edit`]: { needs: needs('edit'), body: [], answers: 200 },
    // Without ids.
    [`DELETE ${path}/batch/delete`]: { needs: needs('delete'), answers: 400 },
  }
}

/** A resource whose deleted records can be restored. */
function restorableCases(path: string, area: string): Record<string, RouteCase> {
  const needs = [`${area}:delete`]
  return {
    ...resourceCases(path, area),
    [`POST ${path}/:id/restore`]: { needs, url: `${path}/${missingId}/restore`, answers: 404 },
    // Without ids.
    [`POST ${path}/batch/restore`]: { needs, answers: 400 },
  }
}

/** Reading, creating and deleting an assignment: `edit` on transports, `view` on the email or user. */
function assignmentCases(name: string, parameter: string, area: string): Record<string, RouteCase> {
  const path = `/api/multipleTransport/${name}`
  const url = `${path}/${missingId}`
  const needs = (level: string) => [`multipleTransports:${level}`, `${area}:view`]
  return {
    [`GET ${path}`]: { needs: needs('view'), answers: 200 },
    [`POST ${path}/batch`]: { needs: needs('edit'), body: [], answers: 200 },
    [`GET ${path}/:${parameter}`]: { needs: needs('view'), url, answers: 404 },
    [`POST ${path}/:${parameter}`]: { needs: needs('edit'), url, body: {}, answers: 400 },
    [`DELETE ${path}/:${parameter}`]: { needs: needs('edit'), url, answers: 404 },
  }
}

/** The queue: to see it and to change it. */
function queueCases(): Record<string, RouteCase> {
  const path = '/api/queue/messages'
  const actions = ['retry', 'hold', 'release', 'cancel'].flatMap(
    (action): [string, RouteCase][] => [
      [
        `POST ${path}/:id/${action}`,
        {
          needs: ['queue:view', 'queue:edit'],
          url: `${path}/${missingId}/${action}`,
          answers: 404,
        },
      ],
      [
        `POST /api/queue/${action}`,
        { needs: ['queue:view', 'queue:edit'], body: {}, answers: 400 },
      ],
    ],
  )
  return {
    'GET /api/queue/brakes': { needs: ['queue:view'], answers: 200 },
    'POST /api/queue/brakes/:id/continue': {
      needs: ['queue:view', 'queue:edit'],
      url: `/api/queue/brakes/${missingId}/continue`,
      answers: 404,
    },
    'POST /api/queue/brakes/:id/cancel': {
      needs: ['queue:view', 'queue:edit'],
      url: `/api/queue/brakes/${missingId}/cancel`,
      answers: 404,
    },
    'GET /api/queue': { needs: ['queue:view'], answers: 200 },
    [`GET ${path}`]: { needs: ['queue:view'], answers: 200 },
    [`GET ${path}/:id`]: { needs: ['queue:view'], url: `${path}/${missingId}`, answers: 404 },
    ...Object.fromEntries(actions),
  }
}

/** What templates have beside the routes of a resource. */
function templateCases(): Record<string, RouteCase> {
  const path = '/api/twigTemplates'
  const url = `${path}/${missingId}`
  const view = ['twigtemplates:view']
  const used = ['twigtemplates:view', 'email:view']
  return {
    [`POST ${path}/render`]: { needs: view, body: {}, answers: 400 },
    [`POST ${path}/lint`]: { needs: view, body: {}, answers: 400 },
    [`POST ${path}/send/test`]: {
      needs: ['twigtemplates:view', 'multipleTransports:edit'],
      body: {},
      answers: 400,
    },
    [`GET ${path}/language`]: { needs: view, answers: 200 },
    [`GET ${path}/:id/variables`]: { needs: view, url: `${url}/variables`, answers: 404 },
    [`GET ${path}/:id/versions`]: { needs: view, url: `${url}/versions`, answers: 404 },
    [`GET ${path}/:id/versions/:version`]: { needs: view, url: `${url}/versions/1`, answers: 404 },
    [`POST ${path}/:id/versions/:version/restore`]: {
      needs: ['twigtemplates:edit'],
      url: `${url}/versions/1/restore`,
      answers: 404,
    },
    [`GET ${path}/:id/dependents`]: { needs: used, url: `${url}/dependents`, answers: 404 },
    [`POST ${path}/:id/impact`]: {
      needs: used,
      url: `${url}/impact`,
      body: { template: 'x' },
      answers: 404,
    },
  }
}

/** Sending, and what became of it. */
function sendingCases(): Record<string, RouteCase> {
  const email = `/api/emails/${missingId}`
  const delivery = `/api/deliveries/${missingId}`
  const send = ['email:send']
  const sendTo = ['email:send', 'contact:view']
  const view = ['email:view']
  return {
    'POST /api/emails/:id/contact/:contactId/send': {
      needs: sendTo,
      url: `${email}/contact/1/send`,
      answers: 404,
    },
    'POST /api/emails/:id/send': { needs: send, url: `${email}/send`, answers: 404 },
    'GET /api/emails/:id/preview': { needs: view, url: `${email}/preview`, answers: 404 },
    'POST /api/emails/preview': { needs: view, body: {}, answers: 400 },
    'POST /api/emails/send/test': {
      needs: sendTo,
      body: { id: 999_999, to: 'ann@example.com' },
      answers: 404,
    },
    'GET /api/deliveries': { needs: view, answers: 200 },
    ...queueCases(),
    'GET /api/deliveries.csv': { needs: view, answers: 200 },
    'GET /api/deliveries/stats': { needs: view, answers: 200 },
    'GET /api/deliveries/transports': {
      needs: ['email:view', 'multipleTransports:view'],
      answers: 200,
    },
    'GET /api/deliveries/:id': { needs: view, url: delivery, answers: 404 },
    // No message.
    'POST /api/events/message': { needs: ['contact:edit', 'email:send'], body: {}, answers: 415 },
    'POST /api/deliveries/batch/settle': {
      needs: send,
      body: { ids: [], outcome: 'accepted' },
      answers: 400,
    },
    'POST /api/deliveries/:id/settle': {
      needs: send,
      url: `${delivery}/settle`,
      body: { outcome: 'accepted' },
      answers: 404,
    },
  }
}

/** The captured messages of `inbox://local`. */
function inboxCases(): Record<string, RouteCase> {
  const url = `/api/inbox/${missingId}`
  const needs = ['email:view']
  return {
    'GET /api/inbox': { needs, answers: 200 },
    'GET /api/inbox/:id': { needs, url, answers: 404 },
    'GET /api/inbox/:id/source': { needs, url: `${url}/source`, answers: 404 },
    'GET /api/inbox/:id/html': { needs, url: `${url}/html`, answers: 404 },
    'DELETE /api/inbox': { needs: ['email:delete'], answers: 200 },
    'DELETE /api/inbox/:id': { needs: ['email:delete'], url, answers: 404 },
  }
}

/** What is done with a Mautic besides changing its record. */
function mauticCases(): Record<string, RouteCase> {
  const path = '/api/mautics/:id'
  const url = `/api/mautics/${missingId}`
  const report = '/reports/:reportId'
  return {
    [`POST ${path}/check`]: { needs: ['api:edit'], url: `${url}/check`, answers: 404 },
    [`POST ${path}/accept`]: { needs: ['administrator'], url: `${url}/accept`, answers: 404 },
    [`GET ${path}/reports`]: { needs: ['api:view'], url: `${url}/reports`, answers: 404 },
    [`GET ${path}/refusals`]: { needs: ['api:view'], url: `${url}/refusals`, answers: 404 },
    [`POST ${path}${report}/retry`]: {
      needs: ['api:edit'],
      url: `${url}/reports/1/retry`,
      answers: 404,
    },
    [`DELETE ${path}${report}/delete`]: {
      needs: ['api:delete'],
      url: `${url}/reports/1/delete`,
      answers: 404,
    },
    [`POST ${path}/webhook`]: {
      needs: ['administrator'],
      url: `${url}/webhook`,
      body: {},
      answers: 404,
    },
    [`DELETE ${path}/webhook/delete`]: {
      needs: ['administrator'],
      url: `${url}/webhook/delete`,
      answers: 404,
    },
    // Without a challenge.
    'GET /webhooks/mautic/:id': open(400, { url: '/webhooks/mautic/1' }),
    // Not signed.
    'POST /webhooks/mautic/:id': open(401, { url: '/webhooks/mautic/1', body: {} }),
  }
}

/** The webhooks of Mailyard: those that tell others what happened, and those that providers call. */
function webhookCases(): Record<string, RouteCase> {
  const path = '/api/webhooks/:id'
  const url = `/api/webhooks/${missingId}`
  const message = '/messages/:messageId'
  const transport = '/api/multipleTransports/:id/webhook'
  const transportUrl = `/api/multipleTransports/${missingId}/webhook`
  const view = ['multipleTransports:view']
  const edit = ['multipleTransports:edit']
  return {
    ...resourceCases('/api/webhooks', 'api'),
    [`POST ${path}/test`]: { needs: ['api:edit'], url: `${url}/test`, answers: 404 },
    [`POST ${path}/rotateSecret`]: {
      needs: ['api:edit'],
      url: `${url}/rotateSecret`,
      answers: 404,
    },
    [`GET ${path}/messages`]: { needs: ['api:view'], url: `${url}/messages`, answers: 404 },
    [`POST ${path}${message}/retry`]: {
      needs: ['api:edit'],
      url: `${url}/messages/1/retry`,
      answers: 404,
    },
    [`DELETE ${path}${message}/delete`]: {
      needs: ['api:delete'],
      url: `${url}/messages/1/delete`,
      answers: 404,
    },
    [`GET ${transport}s`]: { needs: view, url: `${transportUrl}s`, answers: 404 },
    [`PUT ${transport}`]: { needs: edit, url: transportUrl, body: {}, answers: 404 },
    [`DELETE ${transport}`]: { needs: edit, url: transportUrl, answers: 404 },
    // With a secret that is unknown.
    'GET /webhooks/transports/:id/:secret': open(404, { url: '/webhooks/transports/1/unknown' }),
    'POST /webhooks/transports/:id/:secret': open(404, {
      url: '/webhooks/transports/1/unknown',
      body: {},
    }),
  }
}

const open = (answers: number, more: Partial<RouteCase> = {}): RouteCase => ({
  needs: 'public',
  answers,
  ...more,
})

/** From domains. DNS is not asked for a name that is no domain. */
function senderCases(): Record<string, RouteCase> {
  const path = '/api/senders'
  const view = ['multipleTransports:view']
  return {
    [`GET ${path}`]: { needs: view, answers: 200 },
    [`GET ${path}/:domain`]: { needs: view, url: `${path}/no%20domain`, answers: 400 },
    [`POST ${path}/:domain/check`]: {
      needs: view,
      url: `${path}/no%20domain/check`,
      answers: 400,
    },
  }
}

function dkimCases(): Record<string, RouteCase> {
  const path = '/api/dkimKeys'
  return {
    ...resourceCases(path, 'multipleTransports'),
    [`POST ${path}/:id/check`]: {
      needs: ['multipleTransports:edit'],
      url: `${path}/${missingId}/check`,
      answers: 404,
    },
  }
}

/** Every route of Mailyard. A route that is not here fails the suite, and so does one that is gone. */
export const routeCases: Record<string, RouteCase> = {
  ...restorableCases('/api/multipleTransports', 'multipleTransports'),
  ...resourceCases('/api/limits', 'multipleTransports'),
  ...dkimCases(),
  ...senderCases(),
  ...resourceCases('/api/mautics', 'api'),
  ...mauticCases(),
  ...webhookCases(),
  ...restorableCases('/api/twigTemplates', 'twigtemplates'),
  ...restorableCases('/api/emails', 'email'),
  ...restorableCases('/api/contacts', 'contact'),
  ...resourceCases('/api/suppressions', 'contact'),
  'GET /api/suppressions.csv': { needs: ['contact:view'], answers: 200 },
  'POST /api/suppressions/delete': {
    needs: ['contact:view', 'contact:delete'],
    body: {},
    answers: 400,
  },
  'POST /api/suppressions/import': {
    needs: ['contact:create', 'contact:edit'],
    body: {},
    answers: 400,
  },
  ...resourceCases('/api/users', 'user'),
  ...resourceCases('/api/roles', 'user'),
  ...resourceCases('/api/oauthClients', 'api'),
  'GET /api/contacts/list/fields': { needs: ['contact:view'], answers: 200 },
  ...inboxCases(),
  ...assignmentCases('transportEmail', 'emailId', 'email'),
  ...assignmentCases('transportUser', 'userId', 'user'),
  'GET /api/users/:id/sessions': {
    needs: ['user:edit'],
    url: `/api/users/${missingId}/sessions`,
    answers: 404,
  },
  'DELETE /api/users/:id/sessions': {
    needs: ['user:edit'],
    url: `/api/users/${missingId}/sessions`,
    answers: 404,
  },
  'GET /api/users/self': { needs: 'authenticated', answers: 200 },
  'POST /api/session': open(400, { body: {} }),
  'POST /api/session/password': open(400, { body: {} }),
  'POST /api/session/password/check': open(400, { body: {} }),
  'GET /api/session': open(200),
  'DELETE /api/session': { needs: 'authenticated', answers: 200 },
  'GET /api/sessions': { needs: 'authenticated', answers: 200 },
  'DELETE /api/sessions/:id': {
    needs: 'authenticated',
    url: `/api/sessions/${missingId}`,
    answers: 404,
  },
  'POST /api/multipleTransports/send/test/:id': {
    needs: ['multipleTransports:edit'],
    url: `/api/multipleTransports/send/test/${missingId}`,
    answers: 404,
  },
  'POST /api/multipleTransports/send/test': {
    needs: ['multipleTransports:edit'],
    body: {},
    answers: 400,
  },
  'GET /api/multipleTransports/providers': { needs: ['multipleTransports:view'], answers: 200 },
  'POST /api/multipleTransports/dsn/inspect': {
    needs: ['multipleTransports:view'],
    body: {},
    answers: 400,
  },
  'POST /api/multipleTransports/dsn/build': {
    needs: ['multipleTransports:view'],
    body: {},
    answers: 400,
  },
  'GET /api/multipleTransports/oauth/google': { needs: ['multipleTransports:edit'], answers: 200 },
  'POST /api/multipleTransports/oauth/google': {
    needs: ['multipleTransports:edit'],
    body: {},
    answers: 400,
  },
  'GET /oauth/google/callback': { needs: 'public', answers: 400 },
  'POST /api/multipleTransports/oauth/google/token': {
    needs: ['multipleTransports:edit'],
    body: {},
    answers: 400,
  },
  ...templateCases(),
  ...sendingCases(),
  'POST /api/multipleTransport/drill': {
    needs: ['multipleTransports:view'],
    body: {},
    answers: 400,
  },
  'GET /api/multipleTransport/resolve': {
    needs: ['multipleTransports:view', 'email:view', 'contact:view'],
    answers: 200,
  },
  'GET /api/openapi.json': open(200),
  'GET /api/docs': open(200),
  'GET /api/docs/:name': open(200, { url: '/api/docs/emails' }),
  'GET /assets/:name': open(404, { url: '/assets/missing.js' }),
  'GET /help/:name': open(404, { url: '/help/missing' }),
  'GET /': open(200),
  'GET /api/health/findings': { needs: ['administrator'], answers: 200 },
  'GET /metrics': { needs: ['api:view'], answers: 200, isPublicOnLoopback: true },
  'GET /unsubscribe/*': open(404, { url: '/unsubscribe/unknown' }),
  'POST /unsubscribe/*': open(404, { url: '/unsubscribe/unknown', body: {} }),
  'GET /webview/*': open(404, { url: '/webview/unknown' }),
  // Requests for a Mautic are led there; nothing is there for others.
  'GET /mautic': open(404),
  'POST /mautic': open(404, { body: {} }),
  'PUT /mautic': open(404, { body: {} }),
  'PATCH /mautic': open(404, { body: {} }),
  'DELETE /mautic': open(404),
  'OPTIONS /mautic': open(404),
  'GET /healthz': open(200),
  'GET /readyz': open(200),
  'POST /oauth/v2/token': open(400, { body: {} }),
  'GET /oauth/v2/authorize': open(400),
  'POST /oauth/v2/authorize': open(400, { body: {} }),
  'POST /oauth/v2/authorize_login': open(400, { body: {} }),
}
