import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { GoogleServer } from '../google-server.ts'
import { type OpenApiDocument, type Operation, readOperations } from '../http/api-description.ts'
import { type MauticDouble, startMauticDouble } from '../mautic-double/mautic-double.ts'
import { openTestApp, type TestAnswer, type TestApp } from '../test-app.ts'
import { inOrder, prepareOperation, prepareStory } from './example-story.ts'

const publicUrl = 'http://localhost:8080'
const redirectUri = `${publicUrl}/oauth/google/callback`

describe('the description of the API', () => {
  let service: TestApp
  let operations: Operation[]
  let mautic: MauticDouble
  let google: GoogleServer

  before(async () => {
    mautic = await startMauticDouble()
    google = await GoogleServer.start([redirectUri])
    service = await openTestApp({
      // No example may ask a real DNS server.
      config: { publicUrl, dnsServers: ['127.0.0.1:1'] },
      googleEndpoints: google.endpoints,
      providerFetch: async () => Response.json({}),
    })
    await prepareStory(service)
    const { body } = await service.ask('GET', '/api/openapi.json')
    operations = readOperations(body as OpenApiDocument)
  })
  after(async () => {
    await service.close()
    await mautic.close()
    await google.close()
  })

  test('is sent once to a client that keeps it', async () => {
    const ask = (tags?: string) =>
      service.ask('GET', '/api/openapi.json', undefined, {
        as: 'anonymous',
        headers: tags === undefined ? {} : { 'if-none-match': tags },
      })
    const { status, text, headers } = await ask()
    const tag = String(headers['etag'])
    assert.deepEqual([status, headers['cache-control']], [200, 'no-cache'])
    assert.match(String(headers['content-type']), /^application\/json/)
    for (const tags of [tag, `"other", W/${tag}`]) {
      const kept = await ask(tags)
      assert.deepEqual([kept.status, kept.text, kept.headers['etag']], [304, '', tag])
    }
    assert.equal((await ask('"other"')).text, text)
  })

  test('has an example of each body, each parameter that is needed, and each answer', () => {
    for (const operation of operations) {
      const name = nameOf(operation)
      if (operation.body !== undefined) {
        assert.ok(operation.bodyExample, `${name}: give the schema of its body "examples".`)
      }
      for (const each of operation.parameters) {
        const parameter = `${name}: give its parameter ${each.name}`
        assert.ok(each.description, `${parameter} a description.`)
        assert.ok(!each.required || each.example !== undefined, `${parameter} "examples".`)
      }
      for (const status of operation.statuses) {
        const answer = operation.answerFor(status)
        const isEmpty = answer?.mediaTypes.length === 0
        const sentence = `${name}: give the schema of its answer ${status} "examples".`
        assert.ok(isEmpty || answer?.example !== undefined, sentence)
      }
    }
  })

  test('has examples of answers that its schemas allow', () => {
    for (const operation of operations) {
      for (const status of operation.statuses) {
        const { example, findFault } = operation.answerFor(status) ?? {}
        const fault = example === undefined ? undefined : findFault?.(example)
        assert.equal(fault, undefined, `${nameOf(operation)}: the example of ${status}`)
      }
    }
  })

  test('has examples of requests that work, and describes their answers and headers', async () => {
    for (const operation of inOrder(operations)) {
      const prepared = await prepareOperation(service, operation, { mautic })
      assertDescribed(operation, await sendExample(service, prepared))
    }
  })
})

function nameOf({ method, path }: Operation): string {
  return `${method} ${path}`
}

function sendExample(service: TestApp, operation: Operation): Promise<TestAnswer> {
  const { method, path, parameters, bodyExample, bodyMediaType, isPublic } = operation
  const query = new URLSearchParams()
  const headers: Record<string, string> = {}
  let url = path
  for (const { name, in: place, example } of parameters) {
    if (example === undefined) continue
    if (place === 'path') url = url.replace(`{${name}}`, example)
    if (place === 'query') query.set(name, example)
    if (place === 'header') headers[name] = example
  }
  if (bodyMediaType !== undefined) headers['content-type'] = bodyMediaType
  const isForm = bodyMediaType === 'application/x-www-form-urlencoded'
  const form = () => new URLSearchParams(bodyExample as Record<string, string>).toString()
  const target = query.size === 0 ? url : `${url}?${query.toString()}`
  return service.ask(method, target, isForm ? form() : bodyExample, {
    ...(isPublic ? { as: 'anonymous' } : {}),
    headers,
  })
}

/** Headers that mean something to a client of the API. */
const meaningful = ['etag', 'link', 'location', 'retry-after', 'x-total-count', 'x-warnings']

function assertDescribed(operation: Operation, answer: TestAnswer): void {
  const name = `${nameOf(operation)}: its example`
  const { status, headers, text, body } = answer
  assert.ok(status < 400, `${name} was answered ${status}: ${text.slice(0, 500)}`)
  const described = operation.answerFor(status)
  assert.ok(described !== undefined, `${name} was answered ${status}, which is not described.`)
  const [type = ''] = String(headers['content-type']).split(';')
  if (text !== '') assert.ok(described.mediaTypes.includes(type), `${name} was answered ${type}.`)
  if (type === 'application/json') {
    assert.equal(described.findFault(body), undefined, `${name}: ${text.slice(0, 500)}`)
  }
  const sent = Object.keys(headers).filter((each) => meaningful.includes(each))
  const names = described.headers.map((each) => each.toLowerCase())
  const hidden = status === 303 ? [] : sent.filter((each) => !names.includes(each))
  assert.deepEqual(hidden, [], `${name} was answered headers that are not described.`)
}
