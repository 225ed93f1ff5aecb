import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { openTestApp, type TestApp } from '../../test/test-app.ts'

const form = { 'content-type': 'application/x-www-form-urlencoded' }

describe('a large request', () => {
  let service: TestApp
  /** How many turns have been taken. */
  let turns = 0

  before(async () => {
    service = await openTestApp()
    const { work } = service.app
    const turn = work.turn.bind(work)
    work.turn = (owner) => {
      turns += 1
      return turn(owner)
    }
  })
  after(() => service.close())

  const turnsOf = async (ask: () => Promise<unknown>) => {
    const earlier = turns
    await ask()
    return turns - earlier
  }

  test('is parsed in turns of its sender, a small one at once', async () => {
    const text = 'x'.repeat(20_000)
    const path = '/api/contacts/new'
    const send = (body: unknown, headers = {}) =>
      turnsOf(() => service.ask('POST', path, body, { headers }))
    assert.equal(await send({ firstname: 'Ann' }), 0)
    assert.equal(await send('firstname=Ann', form), 0)
    assert.equal(await send({ firstname: text }), 3)
    assert.equal(await send(`firstname=${text}`, form), 2)
    assert.equal(await turnsOf(() => service.ask('GET', '/api/contacts?search=x')), 0)
    assert.equal(await turnsOf(() => service.ask('GET', `/api/contacts?search=${text}`)), 1)
  })

  test('with more items than a batch may have is refused before it is parsed', async () => {
    for (const body of [`[${'1,'.repeat(10_000)}`, `{${'"a":1,'.repeat(10_000)}`]) {
      const answer = await service.ask('POST', '/api/contacts/batch/new', body, {
        headers: { 'content-type': 'application/json' },
      })
      assert.equal(answer.status, 413)
      assert.match(answer.body.error, /more than 10000 items/)
    }
  })

  test('of an expensive route waits for its place before it is parsed, and keeps it until it is answered', async () => {
    const { work } = service.app
    const send = () =>
      service.ask('POST', '/api/contacts/batch/new', '[{', {
        headers: { 'content-type': 'application/json' },
      })
    const owners = new Set<string>()
    const open = work.open.bind(work)
    work.open = (owner, isAccepted) => {
      owners.add(owner)
      return open(owner, isAccepted)
    }
    for (let each = 0; each < 5; each++) assert.equal((await send()).status, 400)
    work.open = open
    const [owner = ''] = owners
    const places = await Promise.all([open(owner), open(owner)])
    const waiting = Array.from({ length: 20 }, () => open(owner))
    assert.equal((await send()).status, 429)
    for (const place of places) place.release()
    for (const place of waiting) (await place).release()
    assert.equal((await send()).status, 400)
  })

  test('that is large and saved waits for a place, however many do; a small one does not', async () => {
    const { work } = service.app
    const owners = new Set<string>()
    const open = work.open.bind(work)
    work.open = (owner, isAccepted) => {
      owners.add(owner)
      return open(owner, isAccepted)
    }
    const save = (length: number) =>
      service.ask('POST', '/api/emails/new', {
        name: 'n',
        subject: 's',
        customHtml: 'x'.repeat(length),
      })
    assert.equal((await save(70_000)).status, 201)
    work.open = open
    assert.equal(owners.size, 1)
    const [owner = ''] = owners
    const places = await Promise.all([open(owner), open(owner)])
    const waiting = Array.from({ length: 20 }, () => open(owner))
    const large = save(70_000)
    assert.equal((await save(60_000)).status, 201)
    for (const place of places) place.release()
    for (const place of waiting) (await place).release()
    assert.equal((await large).status, 201)
  })
})
