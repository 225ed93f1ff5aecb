import assert from 'node:assert/strict'
import { addEmail, addTransport, addUser } from '../callers.ts'
import type { TestApp } from '../test-app.ts'
import type { Chapter } from './chapter.ts'

const emailPath = (id: number | string) => `/api/multipleTransport/transportEmail/${id}`
const userPath = (id: number | string) => `/api/multipleTransport/transportUser/${id}`

/** What is wrong with the body of an assignment must be said of its field. */
async function refuse(service: TestApp, path: string, body: unknown, field: string) {
  const answer = await service.ask('POST', path, body)
  assert.equal(answer.status, 400, answer.text)
  assert.equal(answer.body.success, false)
  assert.deepEqual(Object.keys(answer.body.details), [field])
}

/** What is sent to assign a transport. */
export const assignmentFields: Chapter = {
  '| transportId | integer | assign to email, assign to user | yes |': async ({ service }) => {
    const { id: transportId } = await addTransport(service)
    const email = await addEmail(service)
    const user = await addUser(service, {})
    for (const path of [emailPath(email.id), userPath(user.id)]) {
      await refuse(service, path, {}, 'transportId')
      for (const wrong of ['one', 1.5, true, [transportId], -1]) {
        await refuse(service, path, { transportId: wrong }, 'transportId')
      }
      assert.equal((await service.ask('POST', path, { transportId })).status, 200)
    }
  },
  '| useOwnerTransport | boolean | assign to email only | no |': async ({ service }) => {
    const { id: transportId } = await addTransport(service)
    const email = await addEmail(service)
    const user = await addUser(service, {})
    const plain = await service.ask('POST', emailPath(email.id), { transportId })
    assert.equal(plain.body.transportEmail.useOwnerTransport, false)
    const body = { transportId, useOwnerTransport: true }
    const owner = await service.ask('POST', emailPath(email.id), body)
    assert.equal(owner.body.transportEmail.useOwnerTransport, true)
    const wrong = { transportId, useOwnerTransport: 'banana' }
    await refuse(service, emailPath(email.id), wrong, 'useOwnerTransport')
    const ofUser = await service.askFor('POST', userPath(user.id), body)
    assert.equal('useOwnerTransport' in ofUser.transportUser, false)
  },
}

/** The endpoints that assign. */
export const assignmentEndpoints: Chapter = {
  '| Assign transport to email | POST | /api/multipleTransport/transportEmail/{emailId} | path `emailId` (integer, required); body: transportId (integer, required), useOwnerTransport (boolean, optional) | not shown |':
    async ({ service }) => {
      const transport = await addTransport(service)
      const email = await addEmail(service)
      const body = { transportId: transport.id, useOwnerTransport: true }
      const answer = await service.askFor('POST', emailPath(email.id), body)
      assert.deepEqual(answer, {
        transportEmail: {
          email: { id: email.id, name: email.name },
          transport,
          useOwnerTransport: true,
        },
      })
      await refuse(service, emailPath('abc'), body, 'emailId')
      const missing = await service.ask('POST', emailPath(999_999), body)
      assert.deepEqual([missing.status, missing.body.success], [404, false])
    },
  '| Assign transport to user | POST | /api/multipleTransport/transportUser/{userId} | path `userId` (integer, required); body: transportId (integer, required) | not shown |':
    async ({ service }) => {
      const transport = await addTransport(service)
      const { id, username, email } = await addUser(service, {})
      const body = { transportId: transport.id }
      const answer = await service.askFor('POST', userPath(id), body)
      assert.deepEqual(answer, { transportUser: { user: { id, username, email }, transport } })
      await refuse(service, userPath('abc'), body, 'userId')
      const missing = await service.ask('POST', userPath(999_999), body)
      assert.deepEqual([missing.status, missing.body.success], [404, false])
    },
}
