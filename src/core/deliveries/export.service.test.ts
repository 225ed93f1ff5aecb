import assert from 'node:assert/strict'
import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { before, test } from 'node:test'
import { asAdmin } from '../../../test/administrator.ts'
import { addUser } from '../../../test/callers.ts'
import { logDeliveries } from '../../../test/log-deliveries.ts'
import { onMailyard } from '../../../test/on-each-database.ts'
import { until } from '../../../test/until.ts'
import type { DeliveryRow } from '../delivery/table.ts'

const noon = Date.parse('2026-03-01T12:00:00Z')
const rowCount = 1_203
/** So long that the sockets take only some of it. */
const largeRowCount = 8_000
const largeReply = 'x'.repeat(3_000)

function rowOf(index: number): Partial<DeliveryRow> {
  return {
    started_at: noon + index,
    sender: 'news@brand.test',
    recipient: `reader${index}@example.com`,
    recipient_key: `reader${index}@example.com`,
    outcome: index % 3 === 0 ? 'refused' : 'accepted',
    transport_id: 7,
    transport: 'Brand',
    message_id: `<m${index}@brand.test>`,
  }
}

onMailyard('the export of deliveries', { isOwn: true }, (shared) => {
  const addRows = (count: number, more: Partial<DeliveryRow> = {}) => {
    const rows = Array.from({ length: count }, (_, index) => ({ ...rowOf(index), ...more }))
    return logDeliveries(shared.service, rows)
  }
  before(() => addRows(rowCount))

  const ask = (query: string) => shared.ask('GET', `/api/deliveries.csv?${query}`)
  const linesOf = async (query: string) => {
    const { status, text } = await ask(query)
    assert.equal(status, 200, text)
    const lines = text.split('\r\n')
    assert.equal(lines.pop(), '')
    return lines
  }

  test('has a line of names and a line for each delivery, the newest first', async () => {
    const [names = '', ...lines] = await linesOf('')
    assert.match(names, /^id,date,durationMs,source,caller,/)
    assert.equal(lines.length, rowCount)
    const column = names.split(',').indexOf('recipient')
    const expected = Array.from({ length: rowCount }, (_, index) => `reader${index}@example.com`)
    const columnValues = lines.map((line) => line.split(',')[column])
    assert.deepEqual(columnValues, expected.reverse())
    const { headers } = await ask('limit=1')
    assert.match(String(headers['content-type']), /^text\/csv; charset=utf-8/)
    assert.match(String(headers['content-disposition']), /^attachment; filename="deliveries\.csv"$/)
  })

  test('has the filters of the list, and a limit', async () => {
    assert.equal((await linesOf('outcome=refused')).length, 1 + rowCount / 3)
    assert.equal((await linesOf('recipient=reader12*&outcome=refused&search=brand')).length, 1 + 6)
    assert.equal((await linesOf('limit=700')).length, 701)
    assert.equal((await linesOf('recipient=none@example.com')).length, 1)
    const { status, body } = await ask('outcome=lost&limit=x')
    assert.equal(status, 400)
    assert.deepEqual(Object.keys(body.details).sort(), ['limit', 'outcome'])
  })

  test('quotes text, and keeps a spreadsheet from running it', async () => {
    const reply = '550 "no", she said:\r\nno such user, sorry'
    for (const sender of ['=1+1', '+1', '-1', '@sum', '\tx', 'a=b', 'Zoë, ü'])
      await addRows(1, { sender, reply, contact_id: 99 })
    const { text } = await ask('contactId=99')
    for (const guarded of ["'=1+1", "'+1", "'-1", "'@sum", "'\tx", 'a=b', '"Zoë, ü"'])
      assert.ok(text.includes(`,99,${guarded},`), guarded)
    assert.ok(text.includes(',"550 ""no"", she said:\r\nno such user, sorry",'))
  })

  test('names unknown parameters, which filter nothing', async () => {
    const { headers } = await ask('contact=99')
    assert.match(String(headers['x-warnings']), /contact.*was ignored/)
  })

  test('needs email:view, and hides what the caller may not view', async () => {
    const path = '/api/deliveries.csv?limit=5'
    const stranger = await addUser(shared.service, { contact: ['full'] })
    const refused = await shared.ask('GET', path, undefined, { as: stranger.as })
    assert.equal(refused.status, 403)
    const { as } = await addUser(shared.service, { email: ['view'] })
    const { status, text } = await shared.ask('GET', path, undefined, { as })
    assert.equal(status, 200)
    assert.doesNotMatch(text, /Brand|reader/)
    const filtered = `${path}&recipient=reader1@example.com`
    assert.equal((await shared.ask('GET', filtered, undefined, { as })).status, 403)
  })

  test('ends when its client disconnects; a caller has three at a time', async () => {
    await addRows(largeRowCount, { contact_id: 100, reply: largeReply })
    const url = await shared.service.listen()
    const open = async (): Promise<IncomingMessage> => {
      const headers = { authorization: asAdmin }
      // The client reads nothing, so the export waits.
      const request = get(`${url}/api/deliveries.csv?contactId=100`, { headers, agent: false })
      const [response] = (await once(request, 'response')) as [IncomingMessage]
      return response
    }
    const [first, ...others] = [await open(), await open(), await open()]
    const fourth = await open()
    assert.equal(fourth.statusCode, 429)
    assert.equal(Number(fourth.headers['retry-after']) > 0, true)
    first?.destroy()
    let last = fourth
    await until(async () => {
      last.destroy()
      last = await open()
      return last.statusCode === 200
    }, 'the export of the first has ended')
    let lines = 0
    // A chunk may end between the two characters of a line end.
    for await (const chunk of last) lines += String(chunk).split('\n').length - 1
    assert.equal(lines, largeRowCount + 1)
    for (const each of others) each.destroy()
  })
})
