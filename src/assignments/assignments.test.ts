import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addEmail, addTransport, addUser } from '../../test/callers.ts'
import { onEachDatabase } from '../../test/on-each-database.ts'
import { describeAssignments, describeUserAssignment, openAssignmentStore } from './index.ts'
import { writeAssignment } from './store.ts'

const caller = { userId: 1, name: 'Ann', email: undefined, isAdmin: true, can: () => true }

onEachDatabase('assignments', (shared) => {
  const open = () => {
    const { app } = shared.service
    const { storage } = app
    return {
      ...app,
      store: openAssignmentStore(storage).in(undefined),
      db: storage.tables<object>(),
    }
  }

  test('of an email keep useOwnerTransport until it is changed', async () => {
    const { assignments, store } = open()
    const { id: emailId } = await addEmail(shared.service)
    const { id: transportId } = await addTransport(shared.service)
    assert.equal(await store.findForEmail(emailId), undefined)
    await assignments.assignToEmail(emailId, { transportId, useOwnerTransport: true }, caller)
    const { transportEmail } = await assignments.assignToEmail(emailId, { transportId }, caller)
    assert.deepEqual(
      [transportEmail.transport?.id, transportEmail.useOwnerTransport],
      [transportId, true],
    )
  })

  test('of an email without a transport are deleted, unless the owner decides', async () => {
    const { assignments, store } = open()
    const { id } = await addEmail(shared.service)
    const none = { transportId: null }
    await assignments.assignToEmail(id, { ...none, useOwnerTransport: true }, caller)
    assert.deepEqual(await store.findForEmail(id), { ...none, useOwnerTransport: true })
    await assignments.assignToEmail(id, none, caller)
    assert.equal(await store.findForEmail(id), undefined)
  })

  test('of a user are replaced and deleted', async () => {
    const { assignments, store } = open()
    const { id: userId } = await addUser(shared.service, {})
    const [first, second] = [await addTransport(shared.service), await addTransport(shared.service)]
    await assignments.assignToUser(userId, first.id, caller)
    await assignments.assignToUser(userId, second.id, caller)
    assert.equal(await store.findForUser(userId), second.id)
    const { transportUser } = await assignments.assignToUser(userId, null, caller)
    assert.equal(transportUser.transport, null)
    assert.equal(await store.findForUser(userId), undefined)
  })

  test('name what does not exist', async () => {
    const { assignments, db } = open()
    const { id: emailId } = await addEmail(shared.service)
    const missing = 999_999
    const toMissing = assignments.assignToEmail(emailId, { transportId: missing }, caller)
    await assert.rejects(toMissing, /Transport not found: 999999/)
    await assert.rejects(assignments.assignToUser(missing, 1, caller), /User not found/)
    await assert.rejects(assignments.getForEmail(missing, caller), /Email not found/)
    const target = { kind: 'user' as const, namespace: undefined, id: missing }
    await assert.rejects(writeAssignment(db, target, { transportId: 1 }), /constraint/i)
  })

  test('are described for the answers to deletions, and end with them', async () => {
    const { assignments, store, db } = open()
    const { id: emailId } = await addEmail(shared.service)
    const { id: transportId } = await addTransport(shared.service)
    const users = [await addUser(shared.service, {}), await addUser(shared.service, {})]
    assert.equal(await describeAssignments(transportId, db), undefined)
    await assignments.assignToEmail(emailId, { transportId }, caller)
    for (const { id } of users) await assignments.assignToUser(id, transportId, caller)
    const uses = await describeAssignments(transportId, db)
    assert.deepEqual(uses, {
      planned: '1 email and 2 users lose it.',
      done: 'It was assigned to 1 email and 2 users.',
    })
    const [user] = users
    const ended = await describeUserAssignment(user?.id ?? 0, db)
    const assignment = `The assignment of transport ${transportId} to the user`
    assert.deepEqual(ended, {
      planned: `${assignment} ends.`,
      done: `${assignment} has ended.`,
    })
    const path = `/api/multipleTransports/${transportId}/delete`
    const { body } = await shared.service.ask('DELETE', path)
    assert.match(body.message, /It was assigned to 1 email and 2 users\.$/)
    assert.equal(await store.findForUser(user?.id ?? 0), undefined)
    assert.equal((await store.findForEmail(emailId))?.transportId, null)
  })
})
