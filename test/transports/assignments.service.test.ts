import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addEmail, addTransport, addUser } from '../callers.ts'
import { onMailyard } from '../on-each-database.ts'
import type { TestBody } from '../test-app.ts'

onMailyard('assignments', { isOwn: true }, (shared) => {
  const { ask } = shared

  /** One email and one user, each with its path and what stands around its assignment. */
  const targets = async () => {
    const email = await addEmail(shared.service)
    const user = await addUser(shared.service, {})
    return [
      {
        path: `/api/multipleTransport/transportEmail/${email.id}`,
        answerOf: (transport: TestBody) => ({
          transportEmail: {
            email: { id: email.id, name: email.name },
            transport,
            useOwnerTransport: false,
          },
        }),
      },
      {
        path: `/api/multipleTransport/transportUser/${user.id}`,
        answerOf: (transport: TestBody) => ({
          transportUser: {
            user: { id: user.id, username: user.username, email: user.email },
            transport,
          },
        }),
      },
    ]
  }

  test('404 names the email that is deleted while a transport is assigned to it', async () => {
    const { id: transportId } = await addTransport(shared.service)
    for (const body of [{ transportId }, { transportId: null, useOwnerTransport: true }]) {
      for (let round = 0; round < 5; round += 1) {
        const { id } = await addEmail(shared.service)
        const path = `/api/multipleTransport/transportEmail/${id}`
        const assigned = Array.from({ length: 40 }, () => ask('POST', path, body))
        await ask('DELETE', `/api/emails/${id}/delete`)
        for (const answer of await Promise.all(assigned))
          if (answer.status !== 200)
            assert.deepEqual([answer.status, answer.body.error], [404, 'Email not found'])
      }
    }
  })

  test('POST and GET answer the same, with and without a transport', async () => {
    const transports = [await addTransport(shared.service), await addTransport(shared.service)]
    for (const { path, answerOf } of await targets()) {
      assert.deepEqual((await ask('GET', path)).body, answerOf(null))
      // The second one replaces the first.
      for (const transport of transports) {
        const posted = await ask('POST', path, { transportId: transport.id })
        assert.deepEqual([posted.status, posted.body], [200, answerOf(transport)])
        const read = await ask('GET', path)
        assert.deepEqual([read.status, read.body], [200, answerOf(transport)])
      }
    }
  })

  test('transportId null unassigns, and so does DELETE', async () => {
    const { id: transportId } = await addTransport(shared.service)
    for (const { path, answerOf } of await targets()) {
      await ask('POST', path, { transportId })
      const cleared = await ask('POST', path, { transportId: null })
      assert.deepEqual([cleared.status, cleared.body], [200, answerOf(null)])
      await ask('POST', path, { transportId })
      const deleted = await ask('DELETE', path)
      assert.deepEqual([deleted.status, deleted.body], [200, answerOf(null)])
      assert.deepEqual((await ask('GET', path)).body, answerOf(null))
      assert.equal((await ask('DELETE', path)).status, 200, 'also where there is nothing to clear')
    }
  })

  test("useOwnerTransport is kept with or without a transport of the email's own", async () => {
    const { id: transportId } = await addTransport(shared.service)
    const email = await addEmail(shared.service)
    const path = `/api/multipleTransport/transportEmail/${email.id}`
    const post = async (body: unknown) => (await ask('POST', path, body)).body.transportEmail
    assert.equal((await post({ transportId, useOwnerTransport: true })).useOwnerTransport, true)
    assert.equal((await post({ transportId })).useOwnerTransport, true, 'left out, it stays')
    const ownerOnly = await post({ transportId: null, useOwnerTransport: true })
    assert.deepEqual([ownerOnly.transport, ownerOnly.useOwnerTransport], [null, true])
    assert.equal((await post({ transportId, useOwnerTransport: false })).useOwnerTransport, false)
  })

  test('deleting a transport clears its assignments', async () => {
    for (const remove of [
      (id: number) => ask('DELETE', `/api/multipleTransports/${id}/delete`),
      (id: number) => ask('DELETE', `/api/multipleTransports/batch/delete?ids=${id}`),
    ]) {
      const { id: transportId } = await addTransport(shared.service)
      const all = await targets()
      for (const { path } of all) await ask('POST', path, { transportId })
      assert.equal((await remove(transportId)).status, 200)
      for (const { path, answerOf } of all) {
        assert.deepEqual((await ask('GET', path)).body, answerOf(null))
      }
    }
  })

  test('unpublishing a transport keeps its assignments', async () => {
    const transport = await addTransport(shared.service)
    const all = await targets()
    for (const { path } of all) await ask('POST', path, { transportId: transport.id })
    const edited = await ask('PATCH', `/api/multipleTransports/${transport.id}/edit`, {
      isPublished: false,
    })
    for (const { path, answerOf } of all) {
      assert.deepEqual((await ask('GET', path)).body, answerOf(edited.body))
    }
  })
})
