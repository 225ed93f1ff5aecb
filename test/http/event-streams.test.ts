import assert from 'node:assert/strict'
import { test } from 'node:test'
import { basicHeader } from '../administrator.ts'
import { addUser } from '../callers.ts'
import { openTestApp } from '../test-app.ts'

test('a caller has 20 event streams at most, and others have their own', async () => {
  const service = await openTestApp()
  const contact = await service.ask('POST', '/api/contacts/new', { email: 'ann@example.com' })
  const target = { contactIds: [contact.body.contact.id] }
  const sent = await service.ask('POST', '/api/emails/1/send', target)
  const url = `${await service.listen()}/api/broadcasts/${sent.body.job.id}/events`
  const [one, other] = [
    await addUser(service, { email: ['view'] }),
    await addUser(service, { email: ['view'] }),
  ]
  const leaving = new AbortController()
  const listen = async ({ username, password }: typeof one) => {
    const headers = { authorization: basicHeader(username, password) }
    return (await fetch(url, { headers, signal: leaving.signal })).status
  }
  for (let count = 0; count < 20; count += 1) assert.equal(await listen(one), 200)
  assert.deepEqual([await listen(one), await listen(other)], [429, 200])
  leaving.abort()
  await service.close()
})
