import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { useBrandUsers } from '../../../test/brand-callers.ts'
import { uniqueName } from '../../../test/callers.ts'
import { addBrand } from '../../../test/mautics.ts'
import { onMailyard } from '../../../test/on-each-database.ts'
import type { TestBody } from '../../../test/test-app.ts'
import { domainOf } from './scope.ts'

onMailyard('suppressions of a brand', (shared) => {
  const as = useBrandUsers(shared)
  const { ask } = shared
  let [shop, lab] = [0, 0]
  before(async () => {
    shop = await addBrand(shared.service)
    lab = await addBrand(shared.service)
  })
  const addressOf = (kind: string) => `${uniqueName(kind)}@rcpt.test`
  const listOf = async (address: string, options = {}): Promise<TestBody[]> => {
    const path = `/api/suppressions?address=${address}`
    const { body, text } = await ask('GET', path, undefined, options)
    assert.ok(body.suppressions, text)
    return body.suppressions
  }
  const brandsOf = async (address: string, options = {}) =>
    (await listOf(address, options)).map(({ brand }) => brand)
  const importOf = async (query: string, body: string | object, options: object) => {
    const headers = typeof body === 'string' ? { 'content-type': 'text/csv' } : {}
    const path = `/api/suppressions/import${query}`
    return (await ask('POST', path, body, { ...options, headers })).body
  }

  test('name no sender domain beside the brand: they stop its messages from any', async () => {
    const input = { address: addressOf('a'), brand: shop, senderDomain: 'shop.test' }
    const created = await ask('POST', '/api/suppressions/new', input)
    assert.equal(created.status, 400)
    assert.match(created.body.details.senderDomain[0], /must be null where .* has a brand/)
    const own = { address: input.address, senderDomain: 'shop.test' }
    assert.equal((await ask('POST', '/api/suppressions/new', own, await as(shop))).status, 400)
    const { id } = (await ask('POST', '/api/suppressions/new', own)).body.suppression
    const edited = await ask('PATCH', `/api/suppressions/${id}/edit`, { brand: shop })
    assert.equal(edited.status, 400)
    const imported = await importOf('', { suppressions: [input] }, {})
    assert.deepEqual([imported.failed, imported.created], [1, 0])
  })

  test('are what its callers import, whatever the file says; what is of all or of others stays as it is', async () => {
    const address = addressOf('b')
    const of = (values: object) => ({ suppressions: [{ address, reason: 'manual', ...values }] })
    await importOf('', of({ source: 'all' }), {})
    await importOf(`?brand=${lab}`, of({ source: 'lab' }), {})
    assert.equal((await importOf('', `address\r\n${address}\r\n`, await as(shop))).created, 1)
    assert.deepEqual((await brandsOf(address)).sort(), [shop, lab, undefined].sort())
    for (const brand of [lab, 999_999, null]) {
      const { failed, faults } = await importOf('', of({ brand }), await as(shop))
      assert.equal(failed, 1, String(brand))
      assert.ok(brand === null || faults[0].error === `Brand not found: ${brand}`)
    }
    assert.equal(
      (await importOf('', `address,brand\r\n${address},${lab}\r\n`, await as(shop))).failed,
      1,
    )
    assert.equal((await importOf('', of({}), await as(shop, lab))).failed, 1)
    assert.equal((await importOf(`?brand=${lab}`, of({}), await as(shop, lab))).updated, 1)
    const sources = (await listOf(address)).map(({ brand, source }) => [brand, source])
    assert.ok(sources.some(([brand, source]) => brand === undefined && source === 'all'))
  })

  test('are exported with their brand, and imported again as they were', async () => {
    const address = addressOf('c')
    await ask('POST', '/api/suppressions/new', { address, brand: lab })
    await ask('POST', '/api/suppressions/new', { address, brand: shop })
    const path = `/api/suppressions.csv?address=${address}`
    const { text } = await ask('GET', path, undefined, await as(shop))
    const [head, ...lines] = text.trim().split('\r\n')
    assert.deepEqual([lines.length, head?.split(',').at(-1)], [1, 'brand'])
    assert.equal(lines[0]?.split(',').at(-1), String(shop))
    const both = (await ask('GET', path)).text
    const { created, updated, failed } = await importOf('', both, {})
    assert.deepEqual([created, updated, failed], [0, 2, 0])
    assert.deepEqual(await brandsOf(address, await as(shop)), [shop])
  })

  test('stop no message of a sender whose domain reads like the brand', async () => {
    const address = addressOf('e')
    await ask('POST', '/api/suppressions/new', { address, brand: shop })
    for (const sender of [`a@#${shop}`, `a@@${shop}`]) {
      const scope = { brand: 0, senderDomain: domainOf(sender) }
      assert.equal(await shared.service.app.suppressions.reasonFor(address, scope), undefined)
    }
  })

  test('are all that its callers delete by a filter, and all that they count before', async () => {
    const source = uniqueName('file')
    const address = addressOf('d')
    for (const brand of [shop, lab, null])
      await ask('POST', '/api/suppressions/new', { address, brand, source })
    const remove = async (query: string) =>
      (await ask('POST', `/api/suppressions/delete${query}`, { source }, await as(shop))).body
    assert.deepEqual(await remove('?dryRun=1'), { suppressions: 1 })
    assert.deepEqual(await remove(''), { suppressions: 1 })
    assert.deepEqual((await brandsOf(address)).sort(), [lab, undefined].sort())
    assert.deepEqual(await brandsOf(address, await as(shop)), [undefined])
  })
})
