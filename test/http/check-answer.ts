import assert from 'node:assert/strict'
import type { Operation } from './api-description.ts'
import type { HostileRequest } from './hostile-requests.ts'
import { secretMark, userMark } from './hostile-values.ts'
import type { RawAnswer } from './send-request.ts'

/** A request to an operation, and what came back. */
export interface Exchange {
  /** The operation of the path; undefined if no operation has this path. */
  operation: Operation | undefined
  request: HostileRequest
  answer: RawAnswer
}

/** Paths that check credentials of the body. */
const isLogin = /\/oauth\/|\/api\/session\b/

/** The router decodes paths: `/%61pi` is `/api`. */
function decodePath(target: string): string {
  return target.replace(/%[2-7][0-9a-f]/gi, (encoded) =>
    String.fromCharCode(Number.parseInt(encoded.slice(1), 16)),
  )
}

/** Asserts what every answer to every request must be. */
export function checkAnswer(exchange: Exchange): void {
  const { operation, request, answer } = exchange
  assert.ok(answer.status < 500, `a fault of ours: ${answer.status} ${answer.text}`)
  if (operation?.isPublic === false && request.caller === 'anonymous') {
    // Unless HTTP itself cannot make sense of the path or the head.
    const early = [400, 401, 414, 417]
    assert.ok(early.includes(answer.status), `an anonymous caller was answered ${answer.status}`)
  } else if (request.caller !== 'anonymous' && !isLogin.test(decodePath(request.target))) {
    assert.notEqual(answer.status, 401, 'a caller is not known any more')
  }
  checkSecrets(exchange)
  if (request.method === 'HEAD') assert.equal(answer.text, '')
  else if (answer.status >= 400) checkError(exchange)
  else checkSuccess(exchange)
}

function checkSecrets({ request, answer }: Exchange): void {
  const all = `${JSON.stringify(answer.headers)}${answer.text}`
  const mayRead = request.caller === 'administrator' && answer.status < 400
  if (!mayRead) assert.ok(!all.includes(secretMark), 'a secret of a DSN came out')
  if (answer.status >= 400) assert.ok(!all.includes(userMark), 'the user of a DSN is in an error')
}

/** RFC 9110, section 15.5, as far as the decisions go, with what the HTTP layer below refuses. */
const refusals = [400, 401, 403, 404, 405, 409, 413, 414, 415, 417, 429]

/** OAuth has a shape of its own (RFC 6749, section 5.2), and pages are for people. */
function checkError({ operation, request, answer }: Exchange): void {
  assert.ok(refusals.includes(answer.status), `${answer.status} is no refusal of ours`)
  const type = String(answer.headers['content-type'])
  const isPage = /\/oauth\/(v2\/authorize|google\/callback)/.test(request.target)
  if (isPage && type.startsWith('text/html')) return
  assert.match(type, /^application\/json/)
  const body = JSON.parse(answer.text) as Record<string, unknown>
  if (request.target.includes('/oauth/v2/token') && 'error_description' in body) {
    assert.deepEqual(Object.keys(body), ['error', 'error_description'])
  } else {
    assert.equal(body['success'], false)
    assert.ok(typeof body['error'] === 'string' && body['error'].length > 0)
    checkDetails(body['details'])
  }
  const fault = operation?.answerFor(answer.status)?.findFault(body)
  assert.equal(
    fault,
    undefined,
    `${answer.status} is not as described: ${answer.text.slice(0, 500)}`,
  )
}

function checkDetails(details: unknown): void {
  if (details === undefined) return
  assert.ok(typeof details === 'object' && details !== null)
  for (const reasons of Object.values(details)) {
    assert.ok(Array.isArray(reasons) && reasons.length > 0)
    for (const reason of reasons) assert.equal(typeof reason, 'string')
  }
}

function checkSuccess({ operation, answer }: Exchange): void {
  if (operation === undefined) return
  const described = operation.answerFor(answer.status)
  assert.ok(described !== undefined, `${answer.status} is not described`)
  const [type = ''] = String(answer.headers['content-type']).split(';')
  if (answer.status < 300)
    assert.ok(described.mediaTypes.includes(type), `${type} is not described`)
  if (type !== 'application/json') return
  const fault = described.findFault(JSON.parse(answer.text))
  assert.equal(fault, undefined, `not as described: ${answer.text.slice(0, 500)}`)
}
