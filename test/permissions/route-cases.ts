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
    [`DELETE ${path}/batch/delete`]: { needs: needs('delete'), answers: 200 },
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
  'GET /api/openapi.json': open(200),
  'GET /api/docs': open(200),
  'GET /api/docs/json': open(200),
  'GET /api/docs/yaml': open(200),
  'GET /api/docs/static/index.html': open(302),
  'GET /api/docs/static/swagger-initializer.js': open(200),
  'GET /api/docs/static/*': open(200, { url: '/api/docs/static/swagger-ui.css' }),
  'GET /healthz': open(200),
  'GET /readyz': open(200),
  'POST /oauth/v2/token': open(400, { body: {} }),
  'GET /oauth/v2/authorize': open(400),
  'POST /oauth/v2/authorize': open(400, { body: {} }),
  'POST /oauth/v2/authorize_login': open(400, { body: {} }),
}
