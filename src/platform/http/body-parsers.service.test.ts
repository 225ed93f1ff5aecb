import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onMailyard } from '../../../test/on-each-database.ts'

const json = { headers: { 'content-type': 'application/json' } }

onMailyard('a large request', (shared) => {
  /** Sends a request; returns the owner of the place that it took in the queue of work. */
  const findOwner = async (send: () => Promise<{ status: number }>, status: number) => {
    const { work } = shared.service.app
    const owners = new Set<string>()
    const open = work.open.bind(work)
    work.open = (owner, isAccepted) => {
      owners.add(owner)
      return open(owner, isAccepted)
    }
    assert.equal((await send()).status, status)
    work.open = open
    assert.equal(owners.size, 1)
    return [...owners][0] ?? ''
  }
  /** Takes all places of an owner; returns what releases them. */
  const takePlaces = async (owner: string) => {
    const { work } = shared.service.app
    const places = await Promise.all([work.open(owner), work.open(owner)])
    const waiting = Array.from({ length: 20 }, () => work.open(owner))
    return async () => {
      for (const place of places) place.release()
      for (const place of waiting) (await place).release()
    }
  }

  test('with more items than a batch may have is refused before it is parsed', async () => {
    for (const body of [`[${'1,'.repeat(10_000)}`, `{${'"a":1,'.repeat(10_000)}`])
      assert.equal((await shared.ask('POST', '/api/contacts/batch/new', body, json)).status, 413)
  })

  test('of an expensive route waits for its place before it is parsed, and keeps it until it is answered', async () => {
    const send = () => shared.ask('POST', '/api/contacts/batch/new', '[{', json)
    for (let each = 0; each < 5; each++) assert.equal((await send()).status, 400)
    const releasePlaces = await takePlaces(await findOwner(send, 400))
    assert.equal((await send()).status, 429)
    await releasePlaces()
    assert.equal((await send()).status, 400)
  })

  test('that is large and saved waits for a place, however many do; a small one does not', async () => {
    const save = (length: number) => {
      const customHtml = 'x'.repeat(length)
      return shared.ask('POST', '/api/emails/new', { name: 'n', subject: 's', customHtml })
    }
    const releasePlaces = await takePlaces(await findOwner(() => save(70_000), 201))
    const large = save(70_000)
    assert.equal((await save(60_000)).status, 201)
    await releasePlaces()
    assert.equal((await large).status, 201)
  })
})
