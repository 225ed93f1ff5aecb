import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addUser } from '../../../../test/callers.ts'
import { useMauticDouble } from '../../../../test/mautics.ts'
import { onMailyard } from '../../../../test/on-each-database.ts'

onMailyard('a Mautic that is saved only if its log-in works', (shared) => {
  const mautic = useMauticDouble()

  const ask = async (method: 'POST' | 'PATCH', path: string, values: object) =>
    shared.ask(method, `/api/mautics${path}?ifTestPasses=1`, values)
  const list = async () => (await shared.ask('GET', '/api/mautics')).body.mautics
  const named = (name: string, values: object = mautic.administrator) => ({
    name,
    url: mautic.url,
    ...values,
  })

  test('is not stored with a wrong secret, and the answer names the field', async () => {
    const before = await list()
    const user = { ...mautic.administrator, password: 'not this' }
    const wrong = await ask('POST', '/new', named('wrong', user))
    assert.equal(wrong.status, 400, wrong.text)
    assert.match(wrong.body.error, /^The Mautic "wrong" was not saved\. .*401/)
    assert.deepEqual(wrong.body.details, { password: ['was not accepted by this Mautic'] })
    const outcomes = wrong.body.test.stages.map(({ stage, outcome }: never) => [stage, outcome])
    assert.deepEqual(outcomes, [
      ['reach', 'ok'],
      ['authenticate', 'failed'],
    ])
    const client = { ...mautic.client, clientSecret: 'not this' }
    const refused = await ask('POST', '/new', named('wrong', client))
    assert.deepEqual(Object.keys(refused.body.details), ['clientSecret'])
    assert.doesNotMatch(wrong.text + refused.text, /not this/)
    assert.deepEqual(await list(), before)
  })

  test('is not stored where no Mautic answers, unless it is saved without the test', async () => {
    const closed = { ...named('closed'), url: 'http://127.0.0.1:1' }
    const tested = await ask('POST', '/new', closed)
    assert.deepEqual([tested.status, Object.keys(tested.body.details)], [400, ['url']])
    await shared.askFor('POST', '/api/mautics/new', closed)
  })

  test('is stored with a right one, and keeps it when an edit brings a wrong one', async () => {
    const stored = await ask('POST', '/new', named('right'))
    assert.equal(stored.status, 201, stored.text)
    const { id } = stored.body.mautic
    const wrong = await ask('PATCH', `/${id}/edit`, { password: 'not this' })
    assert.deepEqual([wrong.status, Object.keys(wrong.body.details)], [400, ['password']])
    const kept = await ask('PATCH', `/${id}/edit`, { hosts: ['api.right.test'] })
    assert.deepEqual(kept.body.mautic.hosts, ['api.right.test'])
  })

  test('is not even reached for those who may not connect one', async () => {
    const { username, password } = await addUser(shared.service, { api: ['full'] })
    const as = [username, password] as const
    mautic.requests.length = 0
    const path = '/api/mautics/new?ifTestPasses=1'
    const refused = await shared.ask('POST', path, named('other'), { as })
    assert.equal(refused.status, 403)
    // What was connected before is read meanwhile.
    assert.ok(mautic.requests.every(({ path }) => path !== '/api/users/self'))
  })
})
