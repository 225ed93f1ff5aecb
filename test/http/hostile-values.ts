import fc, { type Arbitrary } from 'fast-check'
import type { JsonSchema } from './api-description.ts'

/** Every secret of every DSN of these tests holds it, and nothing else does. */
export const secretMark = 'S3cretOfADsn'

/** So does the user part of some, which belongs in no error and no log. */
export const userMark = 'userOfADsn'

/** Texts that have broken programs before. */
const nastyTexts = [
  '',
  'null',
  '\u0000',
  'a\u0000b',
  '\ud800',
  '\udfff\ud800',
  '\u202eabc',
  '\u0130\u0131\u00df',
  'e\u0301',
  '\r\nX-Injected: 1',
  "' OR '1'='1",
  '\\',
  '%_\\%',
  'file:///etc/passwd',
  '<script>alert(1)</script>',
  "{{ include('x') }}",
  '{% if %}',
  '{twigtemplate=1}',
  '{contactfield=email}',
  '$' + '{7*7}',
  '__proto__',
  '********',
  'admin@localhost',
  'a@b, c@d',
  '"a b"@example.com',
  'NaN',
  '9007199254740993',
  '2026-01-31T15:54:35+00:00',
  '(((((((((((((((((((((',
  'name:"two words" or (a b',
  'javascript:alert(1)',
  'https://user:pass@example.com/#x',
]

const longTexts = [256, 1_001, 20_000, 70_000].map((length) => 'x'.repeat(length))

/** Any text at all, the nasty ones among them. */
export const hostileText: Arbitrary<string> = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...nastyTexts) },
  { weight: 3, arbitrary: fc.string({ unit: 'binary', maxLength: 20 }) },
  { weight: 2, arbitrary: fc.string({ unit: 'grapheme', maxLength: 30 }) },
  { weight: 1, arbitrary: fc.constantFrom(...longTexts) },
)

const nastyNumbers = [
  0,
  -0,
  -1,
  1.5,
  1e21,
  -1e21,
  1e308,
  5e-324,
  2 ** 31,
  2 ** 53,
  -(2 ** 53),
  2 ** 63,
  2 ** 64,
]

/** Any JSON value, of any type. */
export const hostileValue: Arbitrary<unknown> = fc.oneof(
  { weight: 4, arbitrary: hostileText },
  { weight: 3, arbitrary: fc.constantFrom(...nastyNumbers) },
  { weight: 3, arbitrary: fc.constantFrom<unknown>(null, true, false, [], {}, [[]], [{}], [null]) },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
  { weight: 1, arbitrary: fc.constantFrom(60, 3_000).map(nested) },
  {
    weight: 1,
    arbitrary: fc.integer({ min: 1, max: 3_000 }).map((length) => Array(length).fill(1)),
  },
)

function nested(depth: number): unknown {
  let value: unknown = 1
  for (let level = 0; level < depth; level++) value = level % 2 === 0 ? [value] : { a: value }
  return value
}

/** Ids that are there, that were, and that will be. */
const smallId = fc.integer({ min: 1, max: 12 })

const hosts = [
  '127.0.0.1:1',
  'localhost:1',
  'default',
  'null',
  '[::1]:1',
  'h ost',
  '',
  '127.0.0.1:99999',
]
const passwords = [secretMark, `${secretMark}%`, `${secretMark}@x`, `${secretMark}/x`, '********']
const dsnEnds = [
  '',
  '',
  '?verify_peer=0',
  '?a[]=1',
  '#x',
  '?encryption=tls',
  '?restart_threshold=x',
]

/** A DSN, or nearly one, whose password bears the mark; so does the user where that is the key of an API. */
const dsn: Arbitrary<string> = fc
  .tuple(
    fc.constantFrom('smtp', 'smtps', 'null', 'ses+api', 'sendgrid+api', 'nope', ''),
    fc.constantFrom(userMark, '', `${userMark}%40b`, `${userMark}:y`),
    fc.constantFrom(...passwords),
    fc.constantFrom(...hosts),
    fc.constantFrom(...dsnEnds),
  )
  .map(([scheme, user, password, host, end]) => {
    const name = scheme === 'sendgrid+api' ? secretMark : user
    return `${scheme}://${name}:${password}@${host}${end}`
  })

const anyDsn = fc.oneof(
  { weight: 3, arbitrary: dsn },
  { weight: 2, arbitrary: fc.constant(`smtp://${userMark}:${secretMark}@127.0.0.1:1`) },
  { weight: 2, arbitrary: fc.constant('null://null') },
  { weight: 1, arbitrary: fc.tuple(dsn, dsn).map(([a, b]) => `failover(${a} ${b})`) },
  {
    weight: 1,
    arbitrary: fc.constant(`roundrobin(smtp://u:${secretMark}@127.0.0.1:1 null://null)`),
  },
  { weight: 1, arbitrary: fc.tuple(dsn, hostileText).map(([a, b]) => a + b) },
)

/** What is proper for a field by its name alone. */
const byName: Record<string, Arbitrary<unknown>> = {
  mailerDsn: anyDsn,
  testedEmailFrom: fc.constantFrom('a@example.com', '', null),
  template: fc.constantFrom(
    'Hello {{ contact.firstname }}',
    "{% include 'x' %}",
    '{% for i in 1..3 %}{{ i }}{% endfor %}',
    '{{ unknown.deep.path|upper }}',
  ),
  redirectUris: fc.subarray(['https://example.com/back', 'https://example.com/b?x=1', 'app:/x']),
  rawPermissions: fc.constantFrom(
    { email: ['view', 'full'] },
    {},
    [],
    { user: ['nope'] },
    { x: 1 },
  ),
  plainPassword: fc.constantFrom(
    { password: 'long enough', confirm: 'long enough' },
    { password: 'long enough', confirm: 'other' },
  ),
  timezone: fc.constantFrom('Europe/Vienna', 'Nowhere/At-all', ''),
}

/** Values that a schema lets through. */
export function properValue(schema: JsonSchema, name = ''): Arbitrary<unknown> {
  const named = Object.hasOwn(byName, name) ? byName[name] : undefined
  if (named !== undefined) return named
  if (schema.const !== undefined) return fc.constant(schema.const)
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum)
  if (schema.anyOf !== undefined) {
    return fc.oneof(...schema.anyOf.map((each) => properValue(each, name)))
  }
  const types = [schema.type ?? []].flat()
  if (types.length === 0) return hostileValue
  return fc.oneof(...types.map((type) => properOfType(type, schema, name)))
}

function properOfType(type: string, schema: JsonSchema, name: string): Arbitrary<unknown> {
  switch (type) {
    case 'string':
      return properText(schema, name)
    case 'integer':
      return fc.oneof(
        { weight: 5, arbitrary: smallId },
        { weight: 1, arbitrary: fc.constantFrom(schema.minimum ?? 0, schema.maximum ?? 1e6) },
      )
    case 'number':
      return fc.double({ noNaN: true, min: 0, max: 1e6 })
    case 'boolean':
      return fc.boolean()
    case 'array':
      return fc.array(properValue(schema.items ?? {}), { maxLength: 3 })
    case 'object':
      return properObject(schema)
    default:
      return fc.constant(null)
  }
}

function properText({ pattern, maxLength = 255 }: JsonSchema, name: string): Arbitrary<string> {
  if (pattern?.includes('@')) {
    return fc.integer({ min: 1, max: 30 }).map((number) => `person${number}@example.com`)
  }
  if (pattern?.includes('0-9]+')) return smallId.map(String)
  if (pattern?.includes('!-9')) return fc.constantFrom('X-Name', 'X-Other')
  const word = fc.constantFrom(
    'One',
    'two words',
    'Größe',
    '日本',
    'x'.repeat(Math.min(maxLength, 255)),
  )
  if (name !== 'username') return word
  return fc.integer({ min: 1, max: 500 }).map((number) => `person ${number}`)
}

function properObject(schema: JsonSchema): Arbitrary<unknown> {
  const { properties = {}, required = [], additionalProperties } = schema
  if (Object.keys(properties).length === 0 && typeof additionalProperties === 'object') {
    return fc.dictionary(fc.constantFrom('X-A', 'b'), properValue(additionalProperties))
  }
  const members = Object.entries(properties).map(([name, each]) => [name, properValue(each, name)])
  return fc.record(Object.fromEntries(members) as Record<string, Arbitrary<unknown>>, {
    requiredKeys: required,
  })
}

/** Values that a schema lets through but for one or two places. */
export function nearlyProperValue(schema: JsonSchema): Arbitrary<unknown> {
  return fc
    .tuple(
      properValue(schema),
      fc.array(fc.tuple(fc.nat(), hostileValue, fc.nat(5)), { maxLength: 2 }),
    )
    .map(([value, changes]) =>
      changes.reduce<unknown>(
        (now, [place, other, kind]) => spoil(now, { place, other, kind }),
        value,
      ),
    )
}

interface Spoiling {
  place: number
  other: unknown
  kind: number
}

function spoil(value: unknown, { place, other, kind }: Spoiling): unknown {
  if (Array.isArray(value) && value.length > 0 && kind > 0) {
    const at = place % value.length
    return value.map((each, index) => (index === at ? spoil(each, { place, other, kind }) : each))
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return other
  const names = Object.keys(value)
  const name = names[place % Math.max(1, names.length)]
  if (kind === 0 || name === undefined) return { ...value, unknownField: other }
  if (kind === 1) {
    return Object.fromEntries(Object.entries(value).filter(([each]) => each !== name))
  }
  const inner = (value as Record<string, unknown>)[name]
  const next =
    kind === 2 && typeof inner === 'object' ? spoil(inner, { place, other, kind: 3 }) : other
  return { ...value, [name]: next }
}
