/** What a route asks of its caller, as its users are promised, and a request that changes nothing. */
export interface RouteCase {
  needs: 'public' | 'authenticated' | readonly string[]
  /** Where the route's own URL is a pattern. */
  url?: string
  body?: unknown
  /** The status for who may; of an id that is not there, or of a body with faults, where it would change something. */
  answers: number
}

const nobody = '999999'
const faulty = { isPublished: 'maybe' }

/** The routes that Mautic gives a resource. */
function resourceCases(path: string, area: string): Record<string, RouteCase> {
  const needs = (level: string) => [`${area}:${level}`]
  const url = `${path}/${nobody}`
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

/** Reading, making and ending an assignment: `edit` on transports, `view` on what is assigned to. */
function assignmentCases(name: string, parameter: string, area: string): Record<string, RouteCase> {
  const path = `/api/multipleTransport/${name}`
  const url = `${path}/${nobody}`
  const needs = (level: string) => [`multipleTransports:${level}`, `${area}:view`]
  return {
    [`GET ${path}/:${parameter}`]: { needs: needs('view'), url, answers: 404 },
    [`POST ${path}/:${parameter}`]: { needs: needs('edit'), url, body: {}, answers: 400 },
    [`DELETE ${path}/:${parameter}`]: { needs: needs('edit'), url, answers: 404 },
  }
}

/** What templates have beside the routes of a resource. */
function templateCases(): Record<string, RouteCase> {
  const path = '/api/twigTemplates'
  const url = `${path}/${nobody}`
  const view = ['twigtemplates:view']
  const used = ['twigtemplates:view', 'email:view']
  return {
    [`POST ${path}/render`]: { needs: view, body: {}, answers: 400 },
    [`POST ${path}/lint`]: { needs: view, body: {}, answers: 400 },
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
  const email = `/api/emails/${nobody}`
  const sending = `/api/sendings/${nobody}`
  const delivery = `/api/deliveries/${nobody}`
  const send = ['email:send']
  const sendTo = ['email:send', 'contact:view']
  const view = ['email:view']
  return {
    'POST /api/emails/:id/contact/:contactId/send': {
      needs: sendTo,
      url: `${email}/contact/1/send`,
      answers: 404,
    },
    'POST /api/emails/:id/send': { needs: sendTo, url: `${email}/send`, answers: 404 },
    'GET /api/sendings': { needs: view, answers: 200 },
    'GET /api/sendings/:id': { needs: view, url: sending, answers: 404 },
    'GET /api/sendings/:id/events': { needs: view, url: `${sending}/events`, answers: 404 },
    'POST /api/sendings/:id/pause': { needs: send, url: `${sending}/pause`, answers: 404 },
    'POST /api/sendings/:id/resume': { needs: send, url: `${sending}/resume`, answers: 404 },
    'POST /api/sendings/:id/cancel': { needs: send, url: `${sending}/cancel`, answers: 404 },
    'GET /api/deliveries': { needs: view, answers: 200 },
    'GET /api/deliveries/:id': { needs: view, url: delivery, answers: 404 },
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
  const url = `/api/inbox/${nobody}`
  const needs = ['email:view']
  return {
    'GET /api/inbox': { needs, answers: 200 },
    'GET /api/inbox/:id': { needs, url, answers: 404 },
    'GET /api/inbox/:id/source': { needs, url: `${url}/source`, answers: 404 },
    'DELETE /api/inbox': { needs: ['email:delete'], answers: 200 },
    'DELETE /api/inbox/:id': { needs: ['email:delete'], url, answers: 404 },
  }
}

const open = (answers: number, more: Partial<RouteCase> = {}): RouteCase => ({
  needs: 'public',
  answers,
  ...more,
})

/** Every route of Mailyard. A route that is not here fails the suite, and so does one that is gone. */
export const routeCases: Record<string, RouteCase> = {
  ...resourceCases('/api/multipleTransports', 'multipleTransports'),
  ...resourceCases('/api/twigTemplates', 'twigtemplates'),
  ...resourceCases('/api/emails', 'email'),
  ...resourceCases('/api/contacts', 'contact'),
  ...resourceCases('/api/users', 'user'),
  ...resourceCases('/api/roles', 'user'),
  ...resourceCases('/api/oauthClients', 'api'),
  'GET /api/segments': { needs: ['contact:view'], answers: 200 },
  ...inboxCases(),
  ...assignmentCases('transportEmail', 'emailId', 'email'),
  ...assignmentCases('transportUser', 'userId', 'user'),
  'GET /api/users/self': { needs: 'authenticated', answers: 200 },
  'POST /api/multipleTransports/send/test/:id': {
    needs: ['multipleTransports:edit'],
    url: `/api/multipleTransports/send/test/${nobody}`,
    answers: 404,
  },
  'POST /api/multipleTransports/send/test': {
    needs: ['multipleTransports:edit'],
    body: {},
    answers: 400,
  },
  'POST /api/multipleTransports/dsn/inspect': {
    needs: ['multipleTransports:create'],
    body: {},
    answers: 400,
  },
  ...templateCases(),
  ...sendingCases(),
  'GET /api/multipleTransport/resolve': {
    needs: ['multipleTransports:view', 'email:view', 'contact:view'],
    answers: 200,
  },
  'GET /api/openapi.json': open(200),
  'GET /api/docs': open(200),
  'GET /api/docs/*': open(200, { url: '/api/docs/static/swagger-ui.css' }),
  'GET /': open(200),
  'GET /healthz': open(200),
  'GET /readyz': open(200),
  'POST /oauth/v2/token': open(400, { body: {} }),
  'GET /oauth/v2/authorize': open(400),
  'POST /oauth/v2/authorize': open(400, { body: {} }),
  'POST /oauth/v2/authorize_login': open(400, { body: {} }),
}
