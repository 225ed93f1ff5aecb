import assert from 'node:assert/strict'
import { test } from 'node:test'
import { uniqueName } from '../callers.ts'
import { onMailyard } from '../on-each-database.ts'

const path = '/api/contacts/batch/new'

onMailyard('a dry run', (shared) => {
  const { ask, askFor } = shared
  const create = async (values: object) =>
    (await ask('POST', '/api/contacts/new', values)).body.contact
  const address = () => `${uniqueName('ann').replaceAll(' ', '-')}@example.com`

  test('that is misspelled, or that a request does not have, is refused, and nothing is done', async () => {
    const { id } = await create({ email: address() })
    const misspelled = /is unknown; write dryRun/
    const missing = /is not available here/
    for (const [method, url, fault, body] of [
      ['POST', '/api/queue/cancel?dry_run=1', misspelled, { all: true }],
      ['POST', '/api/suppressions/delete?dryRum=1', misspelled, { transportId: 1 }],
      ['DELETE', `/api/contacts/${id}/delete?dry-run=1`, misspelled, undefined],
      ['POST', '/api/queue/messages/1/cancel?dryRun=1', missing, undefined],
      ['POST', `${path}?dryRun=1`, missing, [{ email: address() }]],
      ['PATCH', '/api/contacts/batch/edit?dryrun=1', missing, [{ id, city: 'Bern' }]],
      ['PATCH', `/api/contacts/${id}/edit?dryRun=1`, missing, { city: 'Bern' }],
      ['PUT', `/api/contacts/${id}/edit?dry_run=1`, missing, { city: 'Bern' }],
      ['POST', `/api/contacts/${id}/restore?dryRun=1`, missing, undefined],
      ['DELETE', '/api/multipleTransport/transportEmail/1?dryRun=1', missing, undefined],
    ] as const) {
      const refused = await ask(method, url, body)
      assert.equal(refused.status, 400, `${url}: ${refused.text}`)
      assert.match(refused.text, fault)
    }
    const kept = (await ask('GET', `/api/contacts/${id}`)).body.contact
    assert.equal(kept.fields.all.city, null)
    await askFor('PATCH', `/api/contacts/${id}/edit?dryRun=0`, { city: 'Bern' })
  })
})

onMailyard('a batch that merges contacts', (shared) => {
  test('is refused where the stored contacts hold more than 100 MB together', async () => {
    const email = `${uniqueName('large').replaceAll(' ', '-')}@example.com`
    const tags = Array.from({ length: 200 }, (_, index) => `${index}${'t'.repeat(250)}`)
    await shared.ask('POST', '/api/contacts/new', { email, tags })
    const items = Array.from({ length: 3_000 }, () => ({ email }))
    const answer = await shared.ask('POST', `${path}?fields=id`, items)
    assert.equal(answer.status, 413, answer.text.slice(0, 300))
    assert.match(answer.body.error, /Send it in parts/)
  })
})
