import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import type { Transaction } from 'kysely'
import { addRole, addUser, uniqueName } from '../callers.ts'
import { onMailyard } from '../on-each-database.ts'
import type { TestAnswer } from '../test-app.ts'

type Tables = Record<'users' | 'roles', { id: number }>

onMailyard('a batch with records that are deleted at the same moment', (shared) => {
  /** Asks while a row is being deleted, by another process or request. */
  const askDuringDeletion = async (
    table: keyof Tables,
    id: number,
    ask: () => Promise<TestAnswer>,
  ): Promise<TestAnswer> => {
    let asked: Promise<TestAnswer> | undefined
    await shared.service.app.storage.transaction(async (tx: Transaction<Tables>) => {
      await tx.deleteFrom(table).where('id', '=', id).execute()
      asked ??= ask()
      // It comes as far as it can meanwhile.
      await setTimeout(300)
    })
    assert.ok(asked !== undefined)
    return asked
  }

  test('fails the contact whose owner it was, and no other', async () => {
    const owner = await addUser(shared.service, {})
    const { body } = await shared.ask('POST', '/api/contacts/new', { firstname: 'Old' })
    const edits = [
      { id: body.contact.id, owner: owner.id },
      { id: body.contact.id, city: 'Bern' },
    ]
    const contacts = [{ firstname: 'One', owner: owner.id }, { firstname: 'Two' }]
    const [created, edited] = await Promise.all([
      askDuringDeletion('users', owner.id, () =>
        shared.ask('POST', '/api/contacts/batch/new', contacts),
      ),
      (async () => {
        const other = await addUser(shared.service, {})
        return askDuringDeletion('users', other.id, () =>
          shared.ask('PATCH', '/api/contacts/batch/edit', [
            { ...edits[0], owner: other.id },
            edits[1],
          ]),
        )
      })(),
    ])
    assert.deepEqual([created.status, created.body.statusCodes], [201, [400, 201]], created.text)
    assert.match(created.body.errors['0'].message, /^owner names no user/)
    assert.deepEqual([edited.status, edited.body.statusCodes], [200, [400, 200]], edited.text)
  })

  test('fails the OAuth client whose role it was, and no other', async () => {
    const role = await addRole(shared.service, { email: ['view'] })
    const client = (values: object) => ({
      name: uniqueName('client'),
      redirectUris: ['https://app.example/callback'],
      ...values,
    })
    const answer = await askDuringDeletion('roles', role, () =>
      shared.ask('POST', '/api/oauthClients/batch/new', [client({ role }), client({})]),
    )
    assert.deepEqual([answer.status, answer.body.statusCodes], [201, [400, 201]], answer.text)
  })
})
