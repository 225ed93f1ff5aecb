import assert from 'node:assert/strict'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { before, test } from 'node:test'
import { basicHeader } from '../../../test/administrator.ts'
import { addEmail, addRole, addTemplate } from '../../../test/callers.ts'
import { listenAsGateway, type OpenGateway } from '../../../test/gateway/open-gateway.ts'
import { sendJson, useUpstream } from '../../../test/gateway/upstream.ts'
import { addBrand } from '../../../test/mautics.ts'
import { onEachDatabase } from '../../../test/on-each-database.ts'
import type { TestBody } from '../../../test/test-app.ts'
import { until } from '../../../test/until.ts'

const administrator = { id: 1, name: 'Administrator', isAdmin: true }

/** What a Mautic says of a user whose role has these rights on emails. */
function marketer(rights: string[], name = 'Marketers') {
  const rawPermissions = rights.length === 0 ? [] : { 'email:emails': rights }
  return { id: 2, username: 'max', role: { id: 2, name, isAdmin: false, rawPermissions } }
}

const ada = {
  ...{ id: '1', username: 'ada', firstName: 'Ada', lastName: 'Admin', email: 'ada@example.com' },
  role: administrator,
}

onEachDatabase('callers of a Mautic', { isOwn: true }, (shared) => {
  let gateway: OpenGateway
  /** Who the upstream knows, by Authorization. */
  const accounts = new Map<string, unknown>()
  let selfRequests = 0
  let count = 0
  const answerAsMautic = (request: IncomingMessage, response: ServerResponse) => {
    const account = accounts.get(request.headers.authorization ?? '')
    if (request.url === '/api/users/self') selfRequests += 1
    if (request.url?.startsWith('/oauth/v2/token') === true) {
      const error = {
        message: 'The client credentials are invalid',
        code: 400,
        type: 'invalid_client',
      }
      sendJson(response, 400, { errors: [error] })
    } else if (account === undefined) {
      sendJson(response, 401, { errors: [{ message: 'Authorization denied.', code: 401 }] })
    } else sendJson(response, 200, request.url === '/api/users/self' ? account : {})
  }
  const upstream = useUpstream(answerAsMautic)
  const other = useUpstream((_request, response) => sendJson(response, 401, {}))
  before(async () => {
    gateway = await listenAsGateway(shared.service)
    await gateway.connect({ name: 'acme', url: upstream.url, hosts: ['m.example.com'] })
    await gateway.connect({ name: 'other', url: other.url })
  })

  /** Adds an account to the upstream; returns its header. */
  const add = (account: unknown = ada, scheme = 'Bearer') => {
    count += 1
    const header = scheme === 'Bearer' ? `Bearer token-${count}` : basicHeader(`u${count}`, 'right')
    accounts.set(header, account)
    return header
  }
  const ask = (
    authorization: string | undefined,
    path = '/api/multipleTransports',
    options: { method?: string; body?: unknown; name?: string; headers?: object } = {},
  ) => {
    const { method = 'GET', body, name = 'acme', headers = {} } = options
    return gateway.ask({
      method,
      path: `/mautic/${name}${path}`,
      headers: { ...headers, ...(authorization === undefined ? {} : { authorization }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
  }
  const countSelf = async (work: () => Promise<unknown>) => {
    const before = selfRequests
    await work()
    return selfRequests - before
  }

  test('Basic and Bearer credentials of the Mautic open the contract, and no other', async () => {
    for (const scheme of ['Basic', 'Bearer']) {
      const header = add(ada, scheme)
      assert.equal((await ask(header)).status, 200)
      assert.equal((await ask(header, undefined, { name: 'other' })).status, 401)
      const own = await gateway.ask({
        path: '/api/multipleTransports',
        headers: { authorization: header },
      })
      assert.equal(own.status, 401)
    }
    const ofMailyard = await ask(basicHeader('admin', 'wrong'))
    assert.equal(ofMailyard.status, 401)
    assert.match(ofMailyard.text, /Mautic \\"acme\\" refused the log-in: Authorization denied/)
    for (const header of [undefined, 'Digest x', 'Basic', ''])
      assert.equal((await ask(header)).status, 401)
    assert.equal((await ask('Bearer unknown', '/api/twigTemplates/unknown/path')).status, 401)
  })

  test('Mautic is asked once a minute, and once by many requests at a time', async () => {
    const header = add()
    const first = await countSelf(() => Promise.all(Array.from({ length: 20 }, () => ask(header))))
    assert.equal(first, 1)
    shared.clock.advance(59_000)
    assert.equal(await countSelf(() => ask(header)), 0)
    shared.clock.advance(2_000)
    assert.equal(await countSelf(() => ask(header)), 1)
  })

  test('a refusal ends what is remembered: of the log-in itself, or of a forwarded request', async () => {
    const header = add()
    assert.equal((await ask(header)).status, 200)
    accounts.delete(header)
    assert.equal((await ask(header)).status, 200)
    assert.equal((await ask(header, '/api/%65mails')).status, 401)
    assert.equal((await ask(header)).status, 401)

    const disabled = add()
    assert.equal((await ask(disabled)).status, 200)
    shared.clock.advance(61_000)
    upstream.answer = (_request, response) =>
      sendJson(response, 403, { errors: [{ message: 'API disabled.' }] })
    const refused = await ask(disabled)
    assert.deepEqual([refused.status, /API disabled/.test(refused.text)], [403, true])
    await upstream.stop()
    assert.equal((await ask(disabled)).status, 502)
    await upstream.start()
  })

  test('while Mautic cannot be reached, its last answer counts for ten minutes', async () => {
    const header = add()
    assert.equal((await ask(header)).status, 200)
    await upstream.stop()
    shared.clock.advance(61_000)
    assert.equal((await ask(header)).status, 200)
    const unknown = await ask('Bearer not-seen-before')
    assert.deepEqual(
      [unknown.status, JSON.parse(unknown.text)],
      [502, { success: false, error: 'Mautic "acme" cannot be reached. Try again later.' }],
    )
    shared.clock.advance(600_000)
    assert.equal((await ask(header)).status, 502)
    await upstream.start()
    assert.equal((await ask(header)).status, 200)
    shared.clock.advance(61_000)
    upstream.answer = (_request, response) => response.writeHead(500).end()
    assert.equal((await ask(header)).status, 200)
    upstream.answer = (_request, response) => response.writeHead(200).end('<h1>Maintenance</h1>')
    assert.equal((await ask('Bearer other')).status, 502)
  })

  test('rights on emails are rights on transports and templates', async () => {
    const cases: [rights: string[], view: number, create: number, edit: number, remove: number][] =
      [
        [[], 403, 403, 403, 403],
        [['viewown'], 200, 403, 403, 403],
        [['viewown', 'viewother', 'editown', 'create'], 200, 400, 404, 403],
        [['create'], 403, 400, 403, 403],
        [['editother'], 403, 403, 404, 403],
        [['deleteown'], 403, 403, 403, 404],
        [['full'], 200, 400, 404, 404],
      ]
    for (const [rights, view, create, edit, remove] of cases)
      for (const path of ['/api/multipleTransports', '/api/twigTemplates']) {
        const header = add(marketer(rights))
        const statuses = await Promise.all([
          ask(header, path),
          ask(header, `${path}/new`, { method: 'POST', body: {} }),
          ask(header, `${path}/999999/edit`, { method: 'PATCH', body: {} }),
          ask(header, `${path}/999999/delete`, { method: 'DELETE' }),
        ])
        const expected = [view, create, edit, remove]
        assert.deepEqual(
          statuses.map(({ status }) => status),
          expected,
          `${rights.join()} ${path}`,
        )
      }
    const assignments = '/api/multipleTransport/transportUser/999999'
    // Permitted: it asks this Mautic, which has no answer about users.
    assert.equal((await ask(add(marketer(['viewown'])), assignments)).status, 503)
    assert.equal((await ask(add(marketer([])), assignments)).status, 403)
  })

  test('what uses a template is shown to a Mautic only where its brand may see it, also to administrators', async () => {
    const { service } = shared
    const header = add()
    const { id } = await addTemplate(service)
    const customHtml = `{twigtemplate=${id}}`
    const template = `{{ include("id:${id}") }}`
    const common = await addEmail(service, { customHtml })
    const foreign = { brand: await addBrand(service) }
    await addEmail(service, { customHtml, ...foreign })
    const using = await addTemplate(service, { template, ...foreign })
    const path = `/api/twigTemplates/${id}`
    const dependents = JSON.parse((await ask(header, `${path}/dependents`)).text)
    const emails = [{ id: common.id, name: common.name, isDirect: true }]
    assert.deepEqual(dependents, { templates: [], emails })
    const asked = { method: 'POST', body: { template: 'y' } }
    const impact = JSON.parse((await ask(header, `${path}/impact`, asked)).text)
    assert.equal(impact.total, 2)
    assert.deepEqual(
      impact.impact.map((each: TestBody) => each.id),
      [id, common.id],
    )
    const ids = `${id},${using.id}`
    await shared.ask('DELETE', `/api/twigTemplates/batch/delete?ids=${ids}&force=1`)
  })

  test('a mapped role decides instead, and gives nothing outside the contract', async () => {
    const roleId = await addRole(shared.service, { twigtemplates: ['full'], contact: ['full'] })
    const { id } = await gateway.connect({
      ...{ name: 'mapped', url: upstream.url },
      roleMap: { Marketers: roleId, Administrator: roleId },
    })
    const name = 'mapped'
    for (const header of [add(marketer(['full'])), add(ada)]) {
      assert.equal((await ask(header, '/api/twigTemplates', { name })).status, 200)
      assert.equal((await ask(header, '/api/multipleTransports', { name })).status, 403)
      const rendered = await ask(header, '/api/twigTemplates/render', {
        ...{ name, method: 'POST', body: { template: 'x', contactId: 1 } },
      })
      assert.equal(rendered.status, 403)
    }
    const unmapped = add(marketer(['full'], 'Others'))
    assert.equal((await ask(unmapped, '/api/multipleTransports', { name })).status, 200)
    await shared.ask('PATCH', `/api/roles/${roleId}/edit`, { isPublished: false })
    assert.equal((await ask(add(), '/api/twigTemplates', { name })).status, 403)
    await shared.ask('DELETE', `/api/mautics/${id}/delete`)
  })

  test('records name their author and the Mautic, and belong to no user of Mailyard', async () => {
    const client = {
      username: 'Lab App [1]',
      firstName: 'Lab App',
      lastName: '[1]',
      role: administrator,
    }
    for (const [account, author] of [
      [client, 'Lab App [1] (acme)'],
      [ada, 'Ada Admin (acme)'],
      [{ ...ada, firstName: '', lastName: undefined }, 'ada (acme)'],
    ] as const) {
      const body = { name: 'x', template: 'x' }
      const created = await ask(add(account), '/api/twigTemplates/new', { method: 'POST', body })
      assert.equal(JSON.parse(created.text).twigTemplate.createdBy, author)
    }
    const mine = await shared.ask('GET', '/api/twigTemplates?search=is:mine')
    assert.equal(mine.body.total, 0)
  })

  test('a page of another site cannot use stored Basic credentials', async () => {
    const header = add(ada, 'Basic')
    const headers = { origin: 'https://evil.example' }
    for (const path of ['/api/twigTemplates/new', '/api/emails/new'])
      assert.equal((await ask(header, path, { method: 'POST', body: {}, headers })).status, 403)
    const bearer = await ask(add(), '/api/emails/new', { method: 'POST', body: {}, headers })
    assert.equal(bearer.status, 200)
  })

  /** Sends wrong log-ins until they are throttled; returns how many were answered by Mautic. */
  const guess = async (send: () => Promise<{ status: number; headers: object }>) => {
    for (let tries = 0; tries < 20; tries += 1) {
      const { status, headers } = await send()
      if (status !== 429) continue
      assert.ok('retry-after' in headers)
      return tries
    }
    return 20
  }

  test('failed log-ins are throttled, whichever way they come', async () => {
    const login = basicHeader('victim', 'wrong')
    const ofContract = await guess(() => ask(login))
    assert.ok(ofContract >= 10 && ofContract < 20, `${ofContract} guesses`)
    assert.equal((await ask(login, '/api/emails')).status, 429)
    const byHost = { host: 'm.example.com', authorization: login }
    assert.equal((await gateway.ask({ path: '/api/emails', headers: byHost })).status, 429)

    const forwarded = await guess(() => ask(basicHeader('other', 'wrong'), '/api/emails'))
    assert.ok(forwarded >= 10 && forwarded < 20, `${forwarded} guesses`)
    for (const body of ['client_id=a&client_secret=x', '{"client_id":"b","client_secret":"x"}']) {
      const token = await guess(() =>
        gateway.ask({ method: 'POST', path: '/mautic/acme/oauth/v2/token', body }),
      )
      assert.ok(token >= 10 && token < 20, `${token} guesses`)
    }
    // The account of another Mautic, and one that logs in, are not throttled.
    assert.equal((await ask(login, '/api/emails', { name: 'other' })).status, 401)
    assert.equal((await ask(add(ada, 'Basic'), '/api/emails')).status, 200)
  })

  test('failed log-ins are throttled for every spelling of a path under a host name', async () => {
    const host = 'm.example.com'
    for (const path of ['/api/users/%73elf', '/api//%2573', '/oauth/v2/x']) {
      const authorization = basicHeader(`spelled ${path}`, 'wrong')
      const guesses = await guess(() =>
        gateway.ask({ path, headers: { host, authorization }, from: '127.0.0.2' }),
      )
      assert.ok(guesses >= 10 && guesses < 20, `${guesses} guesses at ${path}`)
    }
    for (const path of ['/oauth/v2/%74oken', '/oauth//v2/token', '/oauth/v2/token/']) {
      const body = `client_id=${encodeURIComponent(path)}&client_secret=x`
      upstream.answer = (_request, response) => sendJson(response, 400, {})
      const guesses = await guess(() =>
        gateway.ask({ method: 'POST', path, headers: { host }, body, from: '127.0.0.3' }),
      )
      assert.ok(guesses >= 10 && guesses < 20, `${guesses} guesses at ${path}`)
    }
  })

  test('a Mautic is served to its networks until its last day; from elsewhere a log-in fails as a wrong one does', async () => {
    const mautic = await gateway.connect({
      name: 'restricted',
      url: upstream.url,
      networks: ['127.0.0.8/31'],
    })
    const authorization = add(ada, 'Basic')
    const statusFrom = async (from: string, path: string, headers: object = { authorization }) =>
      (await gateway.ask({ path: `/mautic/restricted${path}`, headers: { ...headers }, from }))
        .status
    const paths = ['/api/multipleTransports', '/api/emails', '/api/emails?access_token=x']
    for (const path of paths) {
      assert.equal(await statusFrom('127.0.0.9', path), 200, path)
      const asked = await countSelf(async () => {
        assert.equal(await statusFrom('127.0.0.10', path), 401, path)
        assert.equal(await statusFrom('127.0.0.10', path, {}), 401, path)
      })
      assert.equal(asked, 0)
    }
    assert.equal(await statusFrom('127.0.0.10', '/oauth/v2/token', {}), 401)
    const guesses = await guess(() =>
      gateway.ask({
        path: '/mautic/restricted/api/emails',
        headers: { authorization },
        from: '127.0.0.10',
      }),
    )
    assert.ok(guesses < 20, `${guesses} guesses`)
    const rules = { validUntil: '2026-01-31' }
    await shared.askFor('PATCH', `/api/mautics/${mautic.id}/edit`, rules)
    for (const path of paths) assert.equal(await statusFrom('127.0.0.9', path), 401, path)
  })

  test('a public answer is no successful log-in', async () => {
    const login = basicHeader('public', 'wrong')
    const from = '127.0.0.4'
    upstream.answer = (request, response) => {
      const isOverridden = request.headers['x-http-method-override'] === 'OPTIONS'
      const isPublic = request.headers.authorization === undefined || isOverridden
      if (isPublic || request.url === '/oauth/v2/public') sendJson(response, 200, {})
      else answerAsMautic(request, response)
    }
    const tricks = [
      { path: '/oauth/v2/public' },
      { path: '/api/emails', method: 'POST', headers: { 'x-http-method-override': 'OPTIONS' } },
      { path: '/api/emails', headers: { connection: 'authorization' } },
    ]
    let tries = 0
    const guesses = await guess(() => {
      const { path, headers = {}, ...trick } = tricks[tries % tricks.length] ?? { path: '/' }
      const isTrick = tries % 2 === 1
      tries += 1
      const all = { host: 'm.example.com', authorization: login }
      if (isTrick) return gateway.ask({ path, headers: { ...all, ...headers }, ...trick, from })
      return gateway.ask({ path: '/api/emails', headers: all, from })
    })
    assert.ok(guesses >= 10 && guesses < 20, `${guesses} guesses`)
  })

  test('Basic credentials of forwarded requests are checked once a minute', async () => {
    const header = add(ada, 'Basic')
    const all = () => Promise.all(Array.from({ length: 20 }, () => ask(header, '/api/emails')))
    assert.equal(await countSelf(all), 1)
    assert.equal(await countSelf(all), 0)
    const bearer = add()
    assert.equal(await countSelf(() => ask(bearer, '/api/emails')), 0)
  })

  test('a bearer token is not throttled, and neither is a log-in that was just right', async () => {
    for (let tries = 0; tries < 15; tries += 1)
      assert.equal((await ask('Bearer wrong', '/api/emails')).status, 401)
    const header = add(ada, 'Basic')
    assert.equal((await ask(header, '/api/emails')).status, 200)
    const user = Buffer.from(header.slice(6), 'base64').toString().split(':')[0] ?? ''
    await guess(() => ask(basicHeader(user, 'wrong'), '/api/emails'))
    assert.equal((await ask(header, '/api/emails')).status, 200)
  })

  test('all processes of a database count failed log-ins together', async (context) => {
    if (!shared.service.app.storage.isShared) return context.skip('one process')
    const second = await listenAsGateway(await shared.openAnother())
    const login = basicHeader('shared', 'wrong')
    await guess(() => ask(login, '/api/emails'))
    await until(async () => {
      const headers = { authorization: login }
      const answer = await second.ask({ path: '/mautic/acme/api/multipleTransports', headers })
      return answer.status === 429
    }, 'the other process throttles it too')
  })
})
