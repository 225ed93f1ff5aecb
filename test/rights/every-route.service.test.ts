import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { ByteBudget } from '../../src/kit/byte-budget.ts'
import { createLog } from '../../src/kit/log.ts'
import { WorkQueue } from '../../src/kit/work-queue.ts'
import { areas, levels } from '../../src/platform/auth/roles/role-schema.ts'
import { Callers, createHttpServer } from '../../src/platform/http/index.ts'
import { addClientCaller, addUser, type TestPermissions, type TestUser } from '../callers.ts'
import { onMailyard } from '../on-each-database.ts'
import type { TestCaller } from '../test-app.ts'
import { type RouteCase, routeCases } from './route-cases.ts'

interface NamedCase extends RouteCase {
  name: string
}

const cases: NamedCase[] = Object.entries(routeCases).map(([name, each]) => ({ name, ...each }))

/** The routes that need a log-in. */
const guarded = cases.filter(({ needs }) => needs !== 'public')

/** What each area has without one level, which `full` would give back. */
function allBut(area: string, level: string): TestPermissions {
  const everything = Object.entries(levels).map(([each, granted]) => [
    each,
    each === area ? granted.filter((one) => one !== level && one !== 'full') : ['full'],
  ])
  return Object.fromEntries(everything)
}

interface PermissionSet {
  permissions: TestPermissions
  cases: NamedCase[]
}

/** Every set of permissions that routes are tried with, each with the routes that it says something of. */
function permissionSets(): PermissionSet[] {
  const ofArea = (area: string) =>
    cases.filter(
      ({ needs }) => Array.isArray(needs) && needs.some((need) => need.startsWith(`${area}:`)),
    )
  const single = areas.flatMap((area) =>
    levels[area].map((level) => ({ permissions: { [area]: [level] }, cases: ofArea(area) })),
  )
  const missing = areas.flatMap((area) =>
    levels[area].map((level) => ({ permissions: allBut(area, level), cases: ofArea(area) })),
  )
  const exact = cases.flatMap((each) =>
    Array.isArray(each.needs) && each.needs.length > 1
      ? [{ permissions: toPermissions(each.needs), cases: [each] }]
      : [],
  )
  const full: TestPermissions = Object.fromEntries(areas.map((area) => [area, ['full']]))
  const extremes = [{}, full].map((permissions) => ({ permissions, cases: guarded }))
  return [...extremes, ...single, ...missing, ...exact]
}

function toPermissions(needs: readonly string[]): TestPermissions {
  const permissions: Record<string, string[]> = {}
  for (const need of needs) {
    const [area = '', level = ''] = need.split(':')
    permissions[area] = [...(permissions[area] ?? []), level]
  }
  return permissions
}

function isAllowed({ needs }: RouteCase, permissions: TestPermissions): boolean {
  if (typeof needs === 'string') return true
  return needs.every((need) => {
    const [area = '', level = ''] = need.split(':')
    const granted = permissions[area] ?? []
    return granted.includes(level) || granted.includes('full')
  })
}

onMailyard('every route', { isOwn: true }, (shared) => {
  const assertStatus = async (each: NamedCase, as: TestCaller, status: number, who: string) => {
    const [method = 'GET', pattern = ''] = each.name.split(' ')
    const url = each.url ?? pattern.replaceAll(/:\w+|\*/g, '999999')
    const answer = await shared.ask(method, url, each.body, { as })
    assert.equal(answer.status, status, `${each.name} as ${who}: ${answer.text.slice(0, 200)}`)
    if (method !== 'GET') return
    const head = await shared.ask('HEAD', url, undefined, { as })
    assert.equal(head.status, status, `HEAD ${url} as ${who}`)
  }

  test('has a case, and declares what the case says', () => {
    const declared = shared.service.routes
      .filter(({ method }) => method !== 'HEAD')
      .map(({ method, url, permissions }) => [`${method} ${url}`, permissions.join(' and ')])
    const expected = cases.map(({ name, needs }) => [name, [needs].flat().join(' and ')])
    assert.deepEqual(Object.fromEntries(declared), Object.fromEntries(expected))
  })

  test('that answers HEAD asks for the same as with GET', () => {
    for (const { method, url, permissions } of shared.service.routes) {
      if (method !== 'HEAD') continue
      const get = shared.service.routes.find((each) => each.method === 'GET' && each.url === url)
      assert.deepEqual(get?.permissions, permissions, url)
    }
  })

  test('answers 401 to unknown callers, unless it is public', async () => {
    for (const each of cases) {
      const status = each.needs === 'public' ? each.answers : 401
      const anonymous = each.isPublicOnLoopback === true ? each.answers : status
      await assertStatus(each, 'anonymous', anonymous, 'an anonymous caller')
      await assertStatus(each, { token: 'unknown' }, status, 'an unknown token')
    }
  })

  test('answers an administrator, a user and a client alike', async () => {
    const { as } = await addClientCaller(shared.service, 'administrator')
    const administrator = await addUser(shared.service, 'administrator')
    for (const each of guarded) {
      await assertStatus(each, administrator.as, each.answers, 'an administrator')
      await assertStatus(each, as, each.answers, 'an administrating client')
    }
  })

  test('refuses a client whose role has no permissions', async () => {
    const { as } = await addClientCaller(shared.service, {})
    for (const each of guarded) {
      await assertStatus(each, as, isAllowed(each, {}) ? each.answers : 403, 'a client')
    }
  })

  describe('with the permissions', () => {
    let user: TestUser
    before(async () => {
      user = await addUser(shared.service, {})
    })
    for (const { permissions, cases: concerned } of permissionSets()) {
      const name = JSON.stringify(permissions)
      test(name, async () => {
        const path = `/api/roles/${user.roleId}/edit`
        await shared.askFor('PATCH', path, { rawPermissions: permissions })
        for (const each of concerned) {
          await assertStatus(each, user.as, isAllowed(each, permissions) ? each.answers : 403, name)
        }
      })
    }
  })
})

test('a route without a declaration stops the start', () => {
  const server = createHttpServer({
    log: createLog('silent'),
    memory: new ByteBudget(1_000),
    createRequestId: () => 'id',
    work: new WorkQueue(),
    callers: new Callers(),
    trustedProxies: [],
    sendPage: (reply) => reply.send(),
  })
  assert.throws(() => server.get('/api/undeclared', async () => 'hello'), /declares no permission/)
})
