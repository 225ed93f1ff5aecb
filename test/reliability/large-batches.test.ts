import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { uniqueName } from '../callers.ts'
import { onEachDatabase } from '../on-each-database.ts'

onEachDatabase('large batches', (shared) => {
  /** Asks, and says for how long at most nobody else was answered meanwhile. */
  const askWatched = async (method: 'POST' | 'PATCH', url: string, body: unknown) => {
    let longestMs = 0
    let last = performance.now()
    const timer = setInterval(() => {
      const now = performance.now()
      longestMs = Math.max(longestMs, now - last)
      last = now
    }, 5)
    const answer = await shared.yard.ask(method, url, body)
    clearInterval(timer)
    return { answer, longestMs }
  }
  const twig = '{{ a|upper }}'.repeat(3_000)

  for (const [url, values] of [
    ['/api/emails', { subject: 's', isTwig: true, customHtml: twig }],
    ['/api/twigTemplates', { template: twig }],
  ] as const) {
    test(`of Twig do not keep others from ${url}`, async () => {
      const items = Array.from({ length: 100 }, () => ({ name: uniqueName('t'), ...values }))
      const { answer, longestMs } = await askWatched('POST', `${url}/batch/new`, items)
      assert.equal(answer.status, 201)
      assert.ok(longestMs < 900, `${longestMs} ms`)
    })
  }

  for (const [url, values] of [
    ['/api/emails', { subject: 's', isTwig: true, customHtml: twig }],
    ['/api/twigTemplates', { template: twig }],
  ] as const) {
    test(`of Twig to ${url} let others save while they are linted`, async () => {
      const items = Array.from({ length: 50 }, () => ({ name: uniqueName('t'), ...values }))
      const answered: string[] = []
      const save = async (what: string, path: string, body: unknown) => {
        const { status } = await shared.yard.ask('POST', path, body)
        assert.equal(status, 201)
        answered.push(what)
      }
      const batch = save('batch', `${url}/batch/new?atomic=1`, items)
      await setTimeout(50)
      await Promise.all([batch, save('contact', '/api/contacts/new', { firstname: 'Ann' })])
      assert.deepEqual(answered, ['contact', 'batch'])
    })
  }

  test('of one contact do not write its segments again and again', async () => {
    const segments = Array.from({ length: 100 }, (_, index) => uniqueName(`s${index}`))
    const { body } = await shared.yard.ask('POST', '/api/contacts/new', { segments })
    const { id } = body.contact
    const startedAt = performance.now()
    const edits = Array.from({ length: 1_000 }, (_, points) => ({ id, points }))
    const answer = await shared.yard.ask('PATCH', '/api/contacts/batch/edit', edits)
    assert.equal(answer.body.contacts.at(-1).points, 999)
    assert.deepEqual(answer.body.contacts.at(-1).segments, segments)
    const takenMs = performance.now() - startedAt
    assert.ok(takenMs < 8_000, `${takenMs} ms`)
  })
})
