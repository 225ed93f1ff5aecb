import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addTransport } from '../callers.ts'
import { onEachDatabase } from '../on-each-database.ts'

const list = '/api/multipleTransports'
const where = (expr: string, value: string, col = 'id') =>
  `where[0][col]=${col}&where[0][expr]=${expr}&where[0][val]=${value}`

onEachDatabase('a list asked for with a very large query', (shared) => {
  test('is answered as far as every database can, and refused beyond', async () => {
    const { id } = await addTransport(shared.service)
    const some = `${'1,'.repeat(9_999)}${id}`
    const many = `${'1,'.repeat(10_000)}${id}`
    const cases: [query: string, status: number][] = [
      [`search=ids:${some}`, 200],
      [`search=ids:${many}`, 400],
      [where('in', some), 200],
      [where('in', many), 400],
      [where('notIn', some), 200],
      [`search=${'word+'.repeat(20)}`, 200],
      [`search=${'word+'.repeat(21)}`, 400],
      [`search=${'word+or+'.repeat(3_000)}`, 400],
      [`search=${'!'.repeat(120_000)}a`, 400],
      [`search=${'('.repeat(120_000)}a`, 400],
      [`search=${'a:'.repeat(60_000)}`, 400],
      [`search=${'"'.repeat(120_000)}`, 400],
      [`search=${'x'.repeat(200)}`, 200],
      [`search=${'x'.repeat(201)}`, 400],
      [where('like', '%25'.repeat(200), 'name'), 200],
      [where('like', '%25'.repeat(20_000), 'name'), 400],
      [where('like', `${'%5C'.repeat(60_000)}a`, 'name'), 400],
      [`orderBy=${'name,'.repeat(99)}id`, 200],
      [`orderBy=${'name,'.repeat(100)}id`, 400],
      [`orderBy=${'x,'.repeat(100_000)}`, 400],
    ]
    for (const [query, status] of cases) {
      const answer = await shared.ask('GET', `${list}?${query}`)
      assert.equal(answer.status, status, `${query.slice(0, 60)} ${answer.text.slice(0, 200)}`)
      if (status === 400) assert.match(answer.body.error, /more than [\d,]+ /)
    }
  })

  test('has no Link if that would be longer than clients and proxies accept', async () => {
    const { service } = shared
    for (let count = 0; count < 2; count += 1) await addTransport(service)
    const short = await service.ask('GET', `${list}?limit=1`)
    assert.match(String(short.headers['link']), /rel="next"/)
    const long = await service.ask('GET', `${list}?limit=1&search=ids:${'1,'.repeat(5_000)}1`)
    assert.equal(long.status, 200)
    assert.equal(long.headers['link'], undefined)
  })
})
