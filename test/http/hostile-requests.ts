import fc, { type Arbitrary } from 'fast-check'
import qs from 'qs'
import type { Operation, Parameter } from './api-description.ts'
import { hostileText, hostileValue, nearlyProperValue, properValue } from './hostile-values.ts'

/** Who sends a request: a client with all permissions, one that may only view, or no credentials. */
export type HostileCaller = 'administrator' | 'viewer' | 'anonymous'

/** A request as it goes over the wire. */
export interface HostileRequest {
  caller: HostileCaller
  method: string
  /** With its query. */
  target: string
  headers: Record<string, string>
  body: Buffer | undefined
}

/** Requests to one operation of the API: proper ones, nearly proper ones, and hostile ones. */
export function requestsTo(operation: Operation): Arbitrary<HostileRequest> {
  return fc
    .record({
      caller: fc.oneof(
        { weight: 6, arbitrary: fc.constant('administrator' as const) },
        { weight: 3, arbitrary: fc.constant('viewer' as const) },
        { weight: 1, arbitrary: fc.constant('anonymous' as const) },
      ),
      method: fc.oneof(
        { weight: 30, arbitrary: fc.constant(operation.method) },
        { weight: 1, arbitrary: fc.constantFrom(...otherMethods) },
      ),
      path: pathsOf(operation),
      query: queriesOf(operation),
      headers: fc.oneof(
        { weight: 3, arbitrary: fc.constant({}) },
        { weight: 1, arbitrary: oddHeaders },
      ),
      sent: bodiesOf(operation),
    })
    .map(({ caller, method, path, query, headers, sent }) => {
      // Neither has a body that anybody reads.
      const { body, type } = method === 'GET' || method === 'HEAD' ? bodiless : sent
      return {
        caller,
        method,
        target: query === '' ? path : `${path}?${query}`,
        headers: { ...(type === undefined ? {} : { 'content-type': type }), ...headers },
        body,
      }
    })
}

interface SentBody {
  body: Buffer | undefined
  type: string | undefined
}

const bodiless: SentBody = { body: undefined, type: undefined }

const otherMethods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PURGE']

const oddParts = [
  '0',
  '-1',
  'self',
  '999999',
  '9007199254740993',
  '1'.repeat(400),
  '%00',
  '%2e%2e',
  '1%2Fedit',
  '..;',
  '%E0%A4%A',
  '%EF%BC%91',
  "1'or'1'='1",
  '$' + '{1}',
  '__proto__',
  'constructor',
  '*',
  ':id',
  '',
]

function pathsOf({ path, parameters }: Operation): Arbitrary<string> {
  const names = parameters.filter((each) => each.in === 'path').map(({ name }) => name)
  const part = fc.oneof(
    { weight: 8, arbitrary: fc.integer({ min: 1, max: 12 }).map(String) },
    { weight: 2, arbitrary: fc.constantFrom(...oddParts) },
  )
  const filled = fc
    .array(part, { minLength: names.length, maxLength: names.length })
    .map((parts) =>
      names.reduce((now, name, index) => now.replace(`{${name}}`, parts[index] ?? ''), path),
    )
  return fc.tuple(filled, fc.nat(60)).map(([text, kind]) => {
    switch (kind) {
      case 0:
        return `${text}/`
      case 1:
        return `${text}//`
      case 2:
        return text.replace('/api', '/%61pi')
      case 3:
        return text.replace('/api/', '/api/../api/./')
      case 4:
        return text.toUpperCase()
      case 5:
        return `${text}.json`
      case 6:
        return `${text}/${'x'.repeat(300)}`
      default:
        return text
    }
  })
}

const oddQueries = [
  'where[0][col]=name&where[0][expr]=like&where[0][val]=a%5C',
  'where[0][col]=id&where[0][expr]=between&where[0][val]=1',
  'where[0][col]=dateAdded&where[0][expr]=gt&where[0][val]=2026-02-31',
  'where[0][expr]=orX&where[0][val][0][col]=id&where[0][val][0][expr]=eq&where[0][val][0][val]=1',
  'where[a][b][c][d][e][f][g]=1',
  'where[]=',
  'orderBy=id;drop+table+users',
  'limit=0&start=99999999999999',
  'search=%ED%A0%80',
  `search=${'x'.repeat(70_000)}`,
  'ids=1,2,2,99999',
  'ids[]=1&ids[]=x',
  'ids[a]=3',
  'ids=-1',
  'atomic[]=1&ids=1',
  '__proto__[x]=1&constructor[prototype][x]=1',
  'a=1&a[b]=2&a[]=3',
  '[]=1',
  '&&&==&',
  '?',
  `${'a'.repeat(9_000)}=1`,
]

function queriesOf({ parameters }: Operation): Arbitrary<string> {
  const own = parameters.filter((each) => each.in === 'query')
  const chosen = fc
    .subarray([...own], { maxLength: Math.min(3, own.length) })
    .chain((some) => fc.tuple(...some.map((each) => parameterText(each))))
    .map((parts) => parts.join('&'))
  return fc.oneof(
    { weight: own.length === 0 ? 1 : 5, arbitrary: chosen },
    { weight: 1, arbitrary: fc.constantFrom(...oddQueries) },
    { weight: 4, arbitrary: fc.constant('') },
  )
}

const properParameters: Record<string, readonly string[]> = {
  start: ['0', '1', '5'],
  limit: ['1', '3', '0'],
  search: ['one', 'is:published', 'ids:1,2', 'name:"two words"', '!one or +two', 'is:mine'],
  orderBy: ['name', 'id', 'dateAdded,id'],
  orderByDir: ['ASC', 'desc'],
  published: ['1', '0'],
  ids: ['5,6', '7', '999'],
  from: ['a@example.com', '2026-01-01', 'x'],
}

function parameterText({ name }: Parameter): Arbitrary<string> {
  const proper = properParameters[name] ?? ['1', '2', 'one']
  return fc
    .oneof(
      { weight: 3, arbitrary: fc.constantFrom(...proper) },
      { weight: 1, arbitrary: hostileText },
    )
    .map((text) => `${name}=${encodeURIComponent(text.toWellFormed())}`)
}

const oddHeaders: Arbitrary<Record<string, string>> = fc.dictionary(
  fc.constantFrom(
    'content-encoding',
    'if-match',
    'if-none-match',
    'idempotency-key',
    'x-http-method-override',
    'x-forwarded-for',
    'cookie',
    'origin',
    'range',
    'sec-fetch-site',
    'expect',
    'last-event-id',
  ),
  fc.oneof(
    fc.constantFrom(
      '"1"',
      'W/"2"',
      '*',
      '"999999999999999999"',
      'application/xml',
      'gzip',
      'DELETE',
      'PATCH',
      'bytes=0-1',
      '100-continue',
      'x'.repeat(300),
      'mailyard_session=abc',
      '\u00ff\u0080',
    ),
    fc.string({ unit: 'grapheme-ascii', maxLength: 20 }),
  ),
  { maxKeys: 3 },
)

const types = [
  'application/json',
  'application/json; charset=utf-8',
  'application/json; charset=utf-16',
  'APPLICATION/JSON',
  'application/x-www-form-urlencoded',
  'text/plain',
  'multipart/form-data; boundary=x',
  'application/xml',
  'application/json;;;',
]

function bodiesOf(operation: Operation): Arbitrary<SentBody> {
  const { body: schema, method } = operation
  if (schema === undefined && method === 'GET') return fc.constant(bodiless)
  const asked = schema ?? {}
  const value = fc.oneof(
    { weight: 5, arbitrary: properValue(asked) },
    { weight: 5, arbitrary: nearlyProperValue(asked) },
    { weight: 1, arbitrary: hostileValue },
  )
  const json = value.map((each) => ({ body: jsonBytes(each), type: 'application/json' }))
  const broken = fc.tuple(value, fc.nat(11), fc.nat()).map(([each, kind, place]) => ({
    body: breakJson(jsonText(each), kind, place),
    type: 'application/json',
  }))
  const form = fc.tuple(value, fc.constantFrom(...oddForms)).map(([each, end]) => ({
    body: Buffer.from(qs.stringify(wellFormed(each)) + end),
    type: 'application/x-www-form-urlencoded',
  }))
  const oddType = fc
    .tuple(value, fc.constantFrom(undefined, ...types))
    .map(([each, type]) => ({ body: jsonBytes(each), type }))
  return fc.oneof(
    { weight: 10, arbitrary: json },
    { weight: 2, arbitrary: broken },
    { weight: 2, arbitrary: form },
    { weight: 1, arbitrary: oddType },
    { weight: 1, arbitrary: fc.constant(bodiless) },
  )
}

const oddForms = [
  '',
  '',
  '&a[b][c][d][e][f][g][h]=1',
  '&__proto__[x]=1',
  '&name[]=1&name[x]=2',
  '&%ZZ=%E0%A4',
]

function jsonText(value: unknown): string {
  return JSON.stringify(value) ?? ''
}

function jsonBytes(value: unknown): Buffer {
  return Buffer.from(jsonText(value))
}

/** Lone surrogates have no percent-encoding; and a value that is too deep no text that `qs` would write. */
function wellFormed(value: unknown): unknown {
  const text = jsonText(value)
  return text.length > 4_000 ? {} : JSON.parse(text.replace(/\\ud[89a-f][0-9a-f]{2}/gi, 'x'))
}

function breakJson(text: string, kind: number, place: number): Buffer {
  const at = place % Math.max(1, text.length)
  const inner = text.startsWith('{') && text.length > 2 ? text.slice(1) : '"a":1}'
  switch (kind) {
    case 0:
      return Buffer.from(text.slice(0, at))
    case 1:
      return Buffer.from(`{"name":"first",${inner}`)
    case 2:
      return Buffer.from(`{"__proto__":{"isAdmin":true},${inner}`)
    case 3:
      return Buffer.from(`{"constructor":{"prototype":{"x":1}},${inner}`)
    case 4:
      return Buffer.from(`\ufeff${text}`)
    case 5:
      return Buffer.concat([
        Buffer.from(text.slice(0, at)),
        Buffer.from([0xff, 0xfe, 0x80]),
        Buffer.from(text.slice(at)),
      ])
    case 6:
      return Buffer.from(text.replaceAll(/\d+/g, '1e400'))
    case 7:
      return Buffer.from(text.replaceAll(/\d+/g, '9'.repeat(400)))
    case 8:
      return Buffer.from(`${text.slice(0, at)}\u0000${text.slice(at)}`)
    case 9:
      return Buffer.from('['.repeat(100_000))
    case 10:
      return Buffer.from(`{"name":${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}}`)
    default:
      return Buffer.from(text, 'utf16le')
  }
}
