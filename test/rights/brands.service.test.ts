import assert from 'node:assert/strict'
import { AsyncLocalStorage } from 'node:async_hooks'
import { before, test } from 'node:test'
import { DefaultQueryExecutor } from 'kysely'
import {
  addClient,
  addEmail,
  addTemplate,
  addTransport,
  addUser,
  type TestUser,
} from '../callers.ts'
import { listenAsGateway } from '../gateway/open-gateway.ts'
import { addBrand, connectMautic, useMauticDouble } from '../mautics.ts'
import { clockAt } from '../movable-clock.ts'
import { onMailyard } from '../on-each-database.ts'
import type { TestAnswer, TestBody, TestRequest } from '../test-app.ts'
import { type RouteCase, routeCases } from './route-cases.ts'

/** Asks with the method, the path and the body. */
type AskAsReader = (method: Method, path: string, body?: unknown) => Promise<Answer>
type Method = Extract<TestRequest[0], string>

/** The ids of what a brand has, by the first part of the path. */
type BrandRecords = Record<string, number>

/** A brand with one record of each kind and a message of each state; `number` makes its names and addresses. */
interface TestBrand {
  id: number
  user: TestUser
  records: BrandRecords
}

const unknownId = 999_999_999
const otherId = 888_888_888

/** What lists are asked for; all else ignores it, or refuses it. */
const queries = [
  '',
  '?search=second',
  '?search=ann%40example.net',
  '?orderBy=id&orderByDir=DESC&limit=2',
  '?where%5B0%5D%5Bcol%5D=name&where%5B0%5D%5Bexpr%5D=like&where%5B0%5D%5Bval%5D=%25e%25',
]

/** What reads the rows of all brands: they are for Mailyard itself, or those of others are left out afterwards. */
const ofAllBrands = [
  // What a name means to a brand, and which emails it is included by.
  /from "twig_templates" where ("name_key" in|"id" >)/,
  /from "emails" where "id" >/,
  /from "queue_brakes" where "braked_at"/,
  // The other recipients of a message.
  /where \("r"\."message_id" =/,
  /from "inbox_messages" order by "id" desc limit \?$/,
  // What sends, calls and publishes.
  /from "(limits|mautics|webhooks)" .*"is_published" = \?/,
  /from "webhook_messages" where "webhook_id" in/,
]

/** Returns the statements that this work makes, each on one line; what other services of the process do meanwhile is not among them. */
async function noteQueries(work: () => Promise<void>): Promise<string[]> {
  const { prototype } = DefaultQueryExecutor
  const compileQuery = Reflect.get(prototype, 'compileQuery')
  const found = new Set<string>()
  const noting = new AsyncLocalStorage<Set<string>>()
  prototype.compileQuery = function noted(...asked) {
    const query = compileQuery.apply(this, asked)
    noting.getStore()?.add(query.sql.replaceAll(/\s+/g, ' ').replaceAll(/\$\d+/g, '?').trim())
    return query
  }
  try {
    await noting.run(found, work)
    return [...found]
  } finally {
    prototype.compileQuery = compileQuery
  }
}

/** The kind of record that a parameter of a path names. */
const kinds: readonly [pattern: RegExp, kind: string][] = [
  [/transportEmail/, 'emails'],
  [/transportUser/, 'users'],
  [
    /^\/api\/(multipleTransports|twigTemplates|emails|contacts|limits|dkimKeys|webhooks|suppressions|oauthClients|users|deliveries|inbox|brands)\//,
    '',
  ],
  [/^\/api\/queue\/messages\//, 'queue'],
]

function kindOf(path: string): string | undefined {
  for (const [pattern, kind] of kinds) {
    const match = pattern.exec(path)
    if (match !== null) return kind === '' ? match[1] : kind
  }
  return undefined
}

/** The URL of a route with an id in place of its first parameter, and unknown ids in place of the others. */
function urlOf(name: string, id: number, { url }: RouteCase): { method: Method; path: string } {
  const [method, route = ''] = name.split(' ') as [Method, string]
  if (url !== undefined) return { method, path: url }
  let isFirst = true
  const path = route.replaceAll(/:\w+/g, () => {
    const value = isFirst ? id : otherId
    isFirst = false
    return String(value)
  })
  return { method, path }
}

type Answer = Pick<TestAnswer, 'status' | 'text'>

/** An answer without what differs from one request to the next. */
function comparable({ status, text }: Answer, id: number): { status: number; text: string } {
  return { status, text: text.replaceAll(new RegExp(`(?<!\\d)${id}(?!\\d)`, 'g'), '{id}') }
}

// It is not started, and its clock stands still: nothing else happens while answers are compared.
const still = { clock: clockAt(Date.now()), isStarted: false }

onMailyard('a caller with brands', still, (shared) => {
  const brands: TestBrand[] = []
  const double = useMauticDouble()
  /** What they ask for, and the answer. By name; the first is a user of the first brand only. */
  const readers = new Map<string, AskAsReader>()
  let shared0: BrandRecords

  const askFor = (path: string, body: unknown): Promise<TestBody> =>
    shared.service.askFor('POST', path, body)

  /** Makes one record of each kind, by this caller; those of the second brand have the same names and addresses. */
  async function addRecords(brand: number | null, names: string): Promise<BrandRecords> {
    const { service } = shared
    const transport = await addTransport(service, {
      name: 'Main',
      brand,
      mailerDsn: 'inbox://local',
    })
    const template = await addTemplate(service, {
      name: 'Header',
      brand,
      template: `Hello ${names}`,
    })
    const email = await addEmail(service, {
      name: 'Newsletter',
      brand,
      plainText: `{twigtemplate=${template.id}}`,
      fromAddress: `news@${names}.example`,
    })
    const { contact } = await askFor('/api/contacts/new', { email: 'ann@example.net', brand })
    const { limit } = await askFor('/api/limits/new', {
      name: 'Budget',
      brand,
      transports: [transport.id],
      perDay: 1_000,
    })
    const { dkimKey } = await askFor('/api/dkimKeys/new', {
      domain: `${names}.example`,
      algorithm: 'ed25519',
      brand,
    })
    const { webhook } = await askFor('/api/webhooks/new', {
      name: 'Hook',
      brand,
      events: ['delivery.refused'],
      url: 'https://hooks.example.com/x',
    })
    const { suppression } = await askFor('/api/suppressions/new', {
      address: 'left@example.net',
      reason: 'bounced',
      brand,
    })
    const client = await addClient(service, {
      grantTypes: ['client_credentials'],
      role: 1,
      brand,
    })
    return {
      multipleTransports: transport.id,
      twigTemplates: template.id,
      emails: email.id,
      contacts: contact.id,
      limits: limit.id,
      dkimKeys: dkimKey.id,
      webhooks: webhook.id,
      suppressions: suppression.id,
      oauthClients: client.id,
    }
  }

  /** Sends a message that is captured, one that is refused, and one that waits. */
  async function addMessages({ user, records }: TestBrand): Promise<BrandRecords> {
    const { ask, service } = shared
    const as = user.as
    const assigned = { transportId: records['multipleTransports'] }
    await askFor(`/api/multipleTransport/transportEmail/${records['emails']}`, assigned)
    const sent = await ask(
      'POST',
      `/api/emails/${records['emails']}/contact/${records['contacts']}/send`,
      {},
      { as },
    )
    assert.equal(sent.status, 200, sent.text)
    const unreachable = await addTransport(service, {
      name: 'Down',
      brand: (await ask('GET', `/api/emails/${records['emails']}`)).body.email.brand,
      mailerDsn: 'smtp://127.0.0.1:9',
    })
    await askFor(`/api/multipleTransport/transportEmail/${records['emails']}`, {
      transportId: unreachable.id,
    })
    const waiting = await ask(
      'POST',
      `/api/emails/${records['emails']}/contact/${records['contacts']}/send`,
      {},
      { as },
    )
    assert.ok(waiting.body.queued, waiting.text)
    const { deliveries } = (await ask('GET', '/api/deliveries', undefined, { as })).body
    const { messages } = (await ask('GET', '/api/inbox', undefined, { as })).body
    return {
      deliveries: deliveries[0].id,
      inbox: messages[0].id,
      queue: waiting.body.queued.id,
    }
  }

  async function addTestBrand(names: string): Promise<TestBrand> {
    const { service } = shared
    const id = await addBrand(service, { name: names, domains: [`${names}.example`] })
    const user = await addUser(service, 1, [id])
    const brand = {
      id,
      user,
      records: { brands: id, users: user.id, ...(await addRecords(id, names)) },
    }
    Object.assign(brand.records, await addMessages(brand))
    return brand
  }

  /** Users of the brand, of it and another, and of none that has anything; Mautics of the brand and of none. */
  async function addReaders(first: TestBrand): Promise<void> {
    const { service } = shared
    const other = await addBrand(service)
    const users = { 'of one': [first.id], 'of two': [first.id, other], 'of another': [other] }
    for (const [name, ids] of Object.entries(users)) {
      const { as } = name === 'of one' ? first.user : await addUser(service, 1, ids)
      readers.set(name, (method, path, body) => shared.ask(method, path, body, { as }))
    }
    const gateway = await listenAsGateway(service)
    // The ids of what Mautic has are others.
    for (const own of [double.data.emails, double.data.contacts, double.data.users])
      for (const id of own.keys()) if (id > 1) own.delete(id)
    double.data.emails.clear()
    for (const [name, brand] of Object.entries({ 'a Mautic of it': first.id, 'a Mautic': null })) {
      const mautic = { ...(await connectMautic(service, double, { brand })), double, brand: 0 }
      readers.set(name, (method, path, body) =>
        gateway.askAs(mautic, method, path.replace('/api/', ''), body),
      )
    }
  }

  /** Asks all that can be read, about the records of the first brand. */
  async function readAll({ records }: TestBrand, some = readers): Promise<Map<string, string>> {
    const answers = new Map<string, string>()
    for (const [reader, ask] of some)
      for (const [name, each] of Object.entries(routeCases)) {
        const [method, route = ''] = name.split(' ')
        if (method !== 'GET' || each.needs === 'public' || !route.startsWith('/api/')) continue
        const kind = kindOf(route.replaceAll(/:\w+/g, '1'))
        const id = kind === undefined ? unknownId : (records[kind] ?? unknownId)
        const { path } = urlOf(name, id, each)
        for (const query of /[:?]/.test(route + path) ? [''] : queries) {
          const { status, text } = await ask('GET', `${path}${query}`)
          answers.set(`${reader}: ${name}${query}`, `${status} ${text}`)
        }
      }
    return answers
  }

  let before1: Map<string, string>
  before(async () => {
    shared0 = await addRecords(null, 'shared')
    const first = await addTestBrand('first')
    brands.push(first)
    await addReaders(first)
    await shared.service.app.idle()
    before1 = await readAll(first)
    brands.push(await addTestBrand('second'))
    await shared.service.app.idle()
  })

  test('reads the same, byte for byte, after a brand of others was filled', async () => {
    const [first] = brands
    assert.ok(first)
    const after = await readAll(first)
    const changed = [...after].filter(([name, answer]) => before1.get(name) !== answer)
    assert.deepEqual(
      changed.map(([name, answer]) => [name, before1.get(name), answer]),
      [],
    )
  })

  test('gets for each record of others the answer for one that does not exist', async () => {
    const [, second] = brands
    assert.ok(second)
    const holes: unknown[] = []
    for (const [reader, ask] of readers)
      for (const [name, each] of Object.entries(routeCases)) {
        const [, route = ''] = name.split(' ')
        const kind = kindOf(route.replaceAll(/:\w+/g, '1'))
        const id = kind === undefined ? undefined : second.records[kind]
        if (each.needs === 'public' || id === undefined || !route.includes(':')) continue
        const answerTo = async (asked: number) => {
          const { method, path } = urlOf(name, asked, each)
          return comparable(await ask(method, path, each.body), asked)
        }
        const [foreign, missing] = [await answerTo(id), await answerTo(unknownId)]
        if (foreign.status !== missing.status || foreign.text !== missing.text)
          holes.push([reader, name, foreign, missing])
      }
    assert.deepEqual(holes, [])
  })

  test('changes no record without a brand, and none of another brand', async () => {
    const [first, second] = brands
    assert.ok(first && second)
    const as = first.user.as
    const holes: unknown[] = []
    for (const kind of Object.keys(shared0)) {
      for (const [owner, id] of [
        ['none', shared0[kind]],
        ['second', second.records[kind]],
      ] as const) {
        const path = `/api/${kind}`
        const attempts = [
          ['PATCH', `${path}/${id}/edit`, { description: 'taken', name: 'taken' }],
          ['PATCH', `${path}/batch/edit`, [{ id, name: 'taken' }]],
          ['DELETE', `${path}/${id}/delete?force=1`, undefined],
          ['DELETE', `${path}/batch/delete?ids=${id}&force=1`, undefined],
          ['PATCH', `${path}/${id}/edit`, { brand: first.id }],
        ] as const
        for (const [method, url, body] of attempts) {
          const { status, text } = await shared.ask(method, url, body, { as })
          const isRefused = status >= 400 || /"statusCodes?":.*(403|404)/.test(text)
          if (!isRefused) holes.push([owner, method, url, status, text])
        }
        const still = await shared.ask('GET', `${path}/${id}`)
        if (still.status !== 200 || still.text.includes('taken'))
          holes.push([owner, kind, still.text])
      }
    }
    const assign = `/api/multipleTransport/transportEmail/${shared0['emails']}`
    const { status } = await shared.ask('POST', assign, { transportId: null }, { as })
    assert.equal(status, 403)
    assert.deepEqual(holes, [])
  })

  test('learns nothing of an address and a user of another brand', async () => {
    const [first, second] = brands
    assert.ok(first && second)
    const create = async (values: object) => {
      const { as } = first.user
      const { status, text } = await shared.ask('POST', '/api/contacts/new', values, { as })
      return { status, text }
    }
    const email = 'ann@example.net'
    const [taken, free] = [
      await create({ email, brand: second.id }),
      await create({ email: 'unknown@example.net', brand: second.id }),
    ]
    assert.deepEqual(taken, free)
    const own = await create({ firstname: 'Own', owner: first.user.id })
    assert.deepEqual([taken.status, own.status], [404, 201], own.text)
    for (const values of [{ firstname: 'Ann' }, { email: 'faulty' }]) {
      const foreign = await create({ ...values, owner: second.user.id })
      const missing = await create({ ...values, owner: unknownId })
      assert.equal(foreign.text.replaceAll(String(second.user.id), String(unknownId)), missing.text)
      assert.match(missing.text, /names no user/)
      assert.deepEqual([foreign.status, missing.status], [400, 400])
    }
    const given = { brand: first.id, owner: second.user.id }
    const { contact } = await askFor('/api/contacts/new', given)
    const { as } = first.user
    const shown = await shared.ask('GET', `/api/contacts/${contact.id}`, undefined, { as })
    assert.deepEqual([contact.owner.id, shown.body.contact.owner], [given.owner, null])
  })

  test('is answered by queries that ask for the brand, or for records by their ids', async () => {
    const [first] = brands
    const ofOne = [...readers].slice(0, 1)
    assert.ok(first)
    const tables = await shared.service.app.storage.tables().introspection.getTables()
    const ofBrands = tables.filter(({ columns }) => columns.some(({ name }) => name === 'brand_id'))
    const names = ofBrands.map(({ name }) => name)
    assert.ok(names.includes('deliveries') && names.includes('transports'), names.join())
    const queries = await noteQueries(async () => {
      await readAll(first, new Map(ofOne))
      for (const [name, each] of Object.entries(routeCases)) {
        const { method, path } = urlOf(name, unknownId, each)
        if (method !== 'GET' && each.needs !== 'public')
          await ofOne[0]?.[1](method, path, each.body)
      }
    })
    const holes = queries.filter((query) => {
      const [, table = '', condition = ''] = /^select .*? from "(\w+)"(.*)/.exec(query) ?? []
      const isScoped = /where.*(brand_id|\bid"? (=|in) )/.test(condition)
      return names.includes(table) && !isScoped && !ofAllBrands.some((each) => each.test(query))
    })
    assert.deepEqual(holes, [])
  })
})
