import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { itemsPerTransaction } from '../../src/platform/resource/definition.ts'
import { addTransport, uniqueName } from '../callers.ts'
import { onMailyard } from '../on-each-database.ts'
import { volume } from '../volume.ts'

onMailyard('large batches', (shared) => {
  const twig = '{{ a|upper }}'.repeat(3_000)

  for (const [url, values] of [
    ['/api/emails', { subject: 's', isTwig: true, customHtml: twig }],
    ['/api/twigTemplates', { template: twig }],
  ] as const) {
    test(`of Twig to ${url} do not block other writes while they are linted`, async () => {
      const items = Array.from({ length: 30 }, () => ({ name: uniqueName('t'), ...values }))
      const answered: string[] = []
      const save = async (what: string, path: string, body: unknown) => {
        await shared.askFor('POST', path, body)
        answered.push(what)
      }
      const batch = save('batch', `${url}/batch/new?atomic=1`, items)
      await setTimeout(50)
      await Promise.all([batch, save('contact', '/api/contacts/new', { firstname: 'Ann' })])
      assert.deepEqual(answered, ['contact', 'batch'])
    })
  }

  test('of thousands do not block a single write between two of their transactions', async () => {
    const url = '/api/multipleTransports'
    const mailerDsn = 'null://null'
    const length = volume({ short: 1_500, full: 10_000 })
    const items = Array.from({ length }, (_, index) => ({ name: `batch ${index}`, mailerDsn }))
    const readLastId = async () => {
      const { body } = await shared.ask('GET', `${url}?orderBy=id&orderByDir=desc&limit=1`)
      return body[0]?.id ?? 0
    }
    let isRunning = true
    const batch = shared.ask('POST', `${url}/batch/new?fields=id`, items).finally(() => {
      isRunning = false
    })
    const empty = await readLastId()
    while ((await readLastId()) === empty) await setTimeout(1)
    const overtaken: number[] = []
    for (let count = 0; count < 3; count += 1) {
      const before = await readLastId()
      const { id } = await addTransport(shared.service)
      assert.ok(isRunning, 'the batch has ended before the save')
      overtaken.push(id - before)
    }
    assert.equal((await batch).status, 201)
    // One transaction of the batch may run, and others may end before the save is prepared.
    const itemsMax = 3 * itemsPerTransaction + 1
    assert.ok(
      Math.max(...overtaken) <= itemsMax,
      `items written before the save: ${overtaken.join()}`,
    )
  })
})
