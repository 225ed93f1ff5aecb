import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import fc from 'fast-check'
import { openTestApp, type TestAnswer, type TestApp } from '../test-app.ts'
import { volume } from '../volume.ts'

const numRuns = volume({ short: 400, full: 10_000 })
const concurrency = 20

interface Operation {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  path: string
  schema: Schema
}

interface Schema {
  type?: string
  properties?: Record<string, Schema>
  items?: Schema
  anyOf?: Schema[]
  $ref?: string
}

interface Attempt {
  operation: Operation
  method: Operation['method']
  ids: string[]
  query: string
  body: unknown
  headers: Record<string, string>
}

describe('random and hostile requests against the described API', () => {
  let yard: TestApp
  let operations: Operation[]
  let schemas: Record<string, Schema>

  before(async () => {
    yard = await openTestApp()
    const { body } = await yard.ask('GET', '/api/openapi.json')
    schemas = body.components.schemas
    operations = readOperations(body.paths)
  })

  after(() => yard.close())

  test(`${numRuns} of them find no fault of ours, and every error has the one shape`, async () => {
    assert.ok(operations.length > 50)
    const attempts = fc.sample(arbitraryAttempt(operations, schemas), numRuns)
    for (let start = 0; start < attempts.length; start += concurrency) {
      await Promise.all(attempts.slice(start, start + concurrency).map((each) => check(yard, each)))
    }
    assert.equal((await yard.ask('GET', '/readyz')).status, 200)
  })
})

async function check(yard: TestApp, attempt: Attempt): Promise<void> {
  const { operation, method, ids, query, body, headers } = attempt
  const left = [...ids]
  const path = operation.path.replaceAll(/\{\w+\}/g, () =>
    encodeURIComponent((left.pop() ?? '1').toWellFormed()),
  )
  // Whoever asks must be let in the next time, too.
  if (/^\/api\/(users|roles)/.test(path) && method !== 'GET' && method !== 'POST') return
  const answer = await yard.ask(method, `${path}${query}`, body, { headers })
  const told = () =>
    `${method} ${path}${query} ${JSON.stringify(body)}: ${answer.status} ${answer.text}`
  assert.ok(answer.status < 500 || isUpstream(path, answer), told())
  if (answer.status < 400) return
  if (path.startsWith('/oauth')) return
  assert.equal(answer.body?.success, false, told())
  assert.equal(typeof answer.body?.error, 'string', told())
}

/** Sending goes to a mail server, whose faults are told as such. */
function isUpstream(path: string, { status }: TestAnswer): boolean {
  return status === 502 && /send/.test(path)
}

function readOperations(paths: Record<string, Record<string, unknown>>): Operation[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]) => {
      const { requestBody } = described as {
        requestBody?: { content: Record<string, { schema: Schema }> }
      }
      const schema = Object.values(requestBody?.content ?? {})[0]?.schema ?? {}
      return { method: method.toUpperCase() as Operation['method'], path, schema }
    }),
  )
}

const nasty = fc.constantFrom(
  '',
  '0',
  '-1',
  '1e9',
  '9007199254740993',
  'null',
  '../../etc/passwd',
  "1' or '1'='1",
  '%00',
  '\u0000',
  '\ud800',
  '{{ 7*7 }}',
  '{% for a in b %}',
  '<script>',
  'smtp://user:pass@host:99999999',
  'a'.repeat(5_000),
  '__proto__',
  'İ\u202e',
)

const scalar = fc.oneof(
  nasty,
  fc.string(),
  fc.string({ unit: 'binary' }),
  fc.integer(),
  fc.double(),
  fc.boolean(),
  fc.constant(null),
)

/** Values that mostly fit the schema, so that they come further than its check. */
function arbitraryOf(
  schema: Schema,
  schemas: Record<string, Schema>,
  depth = 0,
): fc.Arbitrary<unknown> {
  if (schema.$ref !== undefined) {
    return arbitraryOf(schemas[schema.$ref.split('/').at(-1) ?? ''] ?? {}, schemas, depth)
  }
  const wrong = { weight: 1, arbitrary: fc.oneof(scalar, fc.jsonValue()) }
  const right = (arbitrary: fc.Arbitrary<unknown>) => fc.oneof({ weight: 9, arbitrary }, wrong)
  if (depth > 4) return scalar
  if (schema.anyOf !== undefined) {
    return right(fc.oneof(...schema.anyOf.map((each) => arbitraryOf(each, schemas, depth + 1))))
  }
  switch (schema.type) {
    case 'object': {
      const members = Object.entries(schema.properties ?? {}).map(([name, each]) => [
        name,
        arbitraryOf(each, schemas, depth + 1),
      ])
      return right(fc.record(Object.fromEntries(members), { requiredKeys: [] }))
    }
    case 'array':
      return right(fc.array(arbitraryOf(schema.items ?? {}, schemas, depth + 1), { maxLength: 5 }))
    case 'integer':
    case 'number':
      return right(fc.oneof(fc.integer({ min: 1, max: 5 }), fc.integer(), fc.double()))
    case 'boolean':
      return right(fc.boolean())
    case 'string':
      return right(
        fc.oneof(nasty, fc.string(), fc.constantFrom('smtp://u:p@127.0.0.1:1', 'a@example.com')),
      )
    default:
      return fc.oneof(scalar, fc.jsonValue())
  }
}

function arbitraryAttempt(
  operations: readonly Operation[],
  schemas: Record<string, Schema>,
): fc.Arbitrary<Attempt> {
  const id = fc.oneof(fc.constantFrom('1', '2', '999999'), nasty, fc.string())
  const name = fc.constantFrom(
    'limit',
    'start',
    'search',
    'orderBy',
    'where[0][col]',
    'ids',
    'atomic',
  )
  const query = fc.oneof(
    fc.constant(''),
    fc
      .array(fc.tuple(name, fc.oneof(nasty, fc.string())), { maxLength: 3 })
      .map((pairs) => `?${new URLSearchParams(pairs).toString()}`),
  )
  const headers = fc.constantFrom<Record<string, string>[]>(
    {},
    {},
    {},
    { 'content-type': 'text/plain' },
    { 'content-type': 'application/x-www-form-urlencoded' },
    { 'if-match': '"1"' },
    { 'if-match': 'W/nonsense' },
    { authorization: 'Basic %%%' },
    { accept: 'application/xml' },
  )
  return fc.constantFrom(...operations).chain((operation) =>
    fc.record({
      operation: fc.constant(operation),
      method: fc.oneof(
        { weight: 9, arbitrary: fc.constant(operation.method) },
        {
          weight: 1,
          arbitrary: fc.constantFrom<Operation['method'][]>(
            'GET',
            'POST',
            'PUT',
            'PATCH',
            'DELETE',
          ),
        },
      ),
      ids: fc.array(id, { minLength: 2, maxLength: 2 }),
      query,
      body:
        operation.method === 'GET'
          ? fc.constant(undefined)
          : fc.oneof({ weight: 6, arbitrary: arbitraryOf(operation.schema, schemas) }, nasty),
      headers,
    }),
  )
}
