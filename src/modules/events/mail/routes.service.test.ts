import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { asAdmin } from '../../../../test/administrator.ts'
import { addUser } from '../../../../test/callers.ts'
import { onMailyard } from '../../../../test/on-each-database.ts'
import type { TestCaller } from '../../../../test/test-app.ts'
import type { ReceivedEventsTables } from '../events/table.ts'
import { readSample } from './report-samples.case.test.ts'

const url = '/api/events/message'
const options = { config: { smtpMessageSizeMegabytesMax: 2 } }

onMailyard('POST /api/events/message', options, (shared) => {
  let baseUrl = ''
  before(async () => {
    baseUrl = await shared.service.listen()
  })

  const post = async (message: string, type = 'message/rfc822') => {
    const headers = { authorization: asAdmin, 'content-type': type }
    const answer = await fetch(baseUrl + url, { method: 'POST', headers, body: message })
    return { status: answer.status, body: await answer.json() }
  }
  const countStored = async () => {
    const tables = shared.service.app.storage.tables<ReceivedEventsTables>()
    return (await tables.selectFrom('received_events').select('id').execute()).length
  }

  test('answers what a report says, and stores it', async () => {
    const { status, body } = await post(readSample('postfix'))
    assert.equal(status, 200)
    const [{ reason, ...event }, ...others] = body.events
    assert.deepEqual(event, {
      type: 'bounced',
      class: 'hard',
      recipient: 'jane@example.net',
      messageIds: ['<order-1@shop.example>'],
      date: '2026-11-26T10:47:08+00:00',
    })
    assert.match(reason, /^550 5\.1\.1 /)
    assert.deepEqual(others, [])
    assert.equal(await countStored(), 1)
    const [delayed] = (await post(readSample('gmail'))).body.events
    assert.deepEqual([delayed.type, delayed.class], ['deferred', null])
  })

  test('answers 400 with what to send for a message that is no report, and stores nothing', async () => {
    const before = await countStored()
    for (const message of ['Subject: Out of office\r\n\r\nI am on holiday.\r\n', ''])
      assert.equal((await post(message)).status, 400)
    assert.equal(await countStored(), before)
  })

  test('answers 415 for another content type, and 413 above the size limit of messages', async () => {
    for (const type of ['application/json', 'text/plain', 'application/x-www-form-urlencoded']) {
      assert.equal((await post('{}', type)).status, 415, type)
    }
    const large = readSample('exchange') + 'x'.repeat(2 * 1_048_576)
    assert.equal((await post(large)).status, 413)
  })

  test('needs the permissions to edit contacts and to send', async () => {
    for (const permissions of [{ email: ['send'] }, { contact: ['edit'] }]) {
      const { username, password } = await addUser(shared.service, permissions)
      const as: TestCaller = [username, password]
      const headers = { 'content-type': 'message/rfc822' }
      assert.equal((await shared.ask('POST', url, 'x', { as, headers })).status, 403)
    }
  })
})
