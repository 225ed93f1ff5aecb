import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addTemplate, addTransport, uniqueName } from '../callers.ts'
import { onEachDatabase } from '../on-each-database.ts'

/** Several times as many as there are connections to PostgreSQL. */
const atOnce = 40

/** What is looked up while something is saved is looked up on the connection that saves. */
onEachDatabase('many saves at once', (shared) => {
  const saveAll = async (
    method: 'POST' | 'PATCH',
    request: (index: number) => [string, object],
  ) => {
    const saves = Array.from({ length: atOnce }, (_, index) =>
      shared.ask(method, ...request(index)),
    )
    const expected = method === 'POST' ? 201 : 200
    for (const answer of await Promise.all(saves))
      assert.equal(answer.status, expected, answer.text)
  }

  test('of contacts that name their owner', async () => {
    await saveAll('POST', () => ['/api/contacts/new', { owner: 1 }])
    await saveAll('PATCH', (index) => [`/api/contacts/${index + 1}/edit`, { owner: null }])
    await saveAll('PATCH', (index) => [`/api/contacts/${index + 1}/edit`, { owner: 1 }])
  })

  test('of templates that include another', async () => {
    const name = uniqueName('included')
    const template = `{{ include("${name}") }}`
    const { id } = await addTemplate(shared.service, { name, template: 'x' })
    await saveAll('POST', () => ['/api/twigTemplates/new', { name: uniqueName('t'), template }])
    await saveAll('PATCH', (index) => [
      `/api/twigTemplates/${id + 1 + index}/edit`,
      { template: `${template} again` },
    ])
  })

  test('of transports', async () => {
    const { id } = await addTransport(shared.service, { mailerDsn: 'smtp://u:p@mail.example.com' })
    await saveAll('PATCH', (index) => [
      `/api/multipleTransports/${id}/edit`,
      { mailerDsn: `smtp://u:********@mail${index}.example.com` },
    ])
  })
})
