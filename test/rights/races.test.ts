import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import type { Transaction } from 'kysely'
import { addClient, addUser, type TestClient, type TestUser } from '../callers.ts'
import { askToken, callback, getCode, getTokens } from '../consent.ts'
import { onEachDatabase } from '../on-each-database.ts'
import type { TestBody } from '../test-app.ts'

type Tables = Record<string, Record<string, unknown>>

onEachDatabase('a token that is asked for at the very moment', (shared) => {
  let client: TestClient
  let user: TestUser

  before(async () => {
    client = await addClient(shared.yard, { redirectUris: [callback] })
    user = await addUser(shared.yard, { email: ['view'] })
  })

  /** Asks while a change of the user is under way, which ends as `change` says. */
  const askDuring = async (
    fields: Record<string, string>,
    change: (tx: Transaction<Tables>) => Promise<unknown>,
  ) => {
    const { storage } = shared.yard.app
    let asked: ReturnType<typeof askToken> | undefined
    await storage.transaction(async (tx: Transaction<Tables>) => {
      await tx.selectFrom('users').select('id').where('id', '=', user.id).forUpdate().execute()
      asked ??= askToken(shared.yard, client, { redirect_uri: callback, ...fields })
      // It comes as far as it can meanwhile.
      await setTimeout(500)
      await change(tx)
    })
    assert.ok(asked !== undefined)
    return asked
  }
  /** What a new password does; see `endSessions`. */
  const endAll = async (tx: Transaction<Tables>) => {
    for (const table of ['oauth_tokens', 'oauth_codes']) {
      await tx.deleteFrom(table).where('user_id', '=', user.id).execute()
    }
  }
  const countTokens = async () => {
    const db = shared.yard.app.storage.tables<Tables>()
    const rows = await db
      .selectFrom('oauth_tokens')
      .select('hash')
      .where('user_id', '=', user.id)
      .execute()
    return rows.length
  }
  const refresh = (tokens: TestBody) => ({
    grant_type: 'refresh_token',
    refresh_token: tokens.refresh_token,
  })

  test('that the password is changed does not outlive the change: for a code', async () => {
    const code = await getCode(shared.yard, client, user)
    const answer = await askDuring({ grant_type: 'authorization_code', code }, endAll)
    assert.equal(answer.status, 400, answer.text)
    assert.equal(await countTokens(), 0)
  })

  test('that the password is changed does not outlive the change: for a refresh', async () => {
    const tokens = await getTokens(shared.yard, client, user)
    const answer = await askDuring(refresh(tokens), endAll)
    assert.equal(answer.status, 400, answer.text)
    assert.equal(await countTokens(), 0)
  })

  test('that a stolen one is noticed ends with its family', async () => {
    const first = await getTokens(shared.yard, client, user)
    const second = (await askToken(shared.yard, client, refresh(first))).body
    // The thief's exchange ends the family while the owner's is under way, or before, or after.
    await Promise.all([
      askToken(shared.yard, client, refresh(second)),
      askToken(shared.yard, client, refresh(first)),
      askToken(shared.yard, client, refresh(first)),
    ])
    assert.equal(await countTokens(), 0)
  })

  test('that its user is removed is refused, and is no fault', async () => {
    const code = await getCode(shared.yard, client, user)
    const answer = await askDuring({ grant_type: 'authorization_code', code }, (tx) =>
      tx.deleteFrom('users').where('id', '=', user.id).execute(),
    )
    assert.equal(answer.status, 400, answer.text)
  })
})
