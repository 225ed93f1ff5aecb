import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import type { Transaction } from 'kysely'
import { addClient, addUser, type TestClient, type TestUser } from '../callers.ts'
import { askToken, callback, getCode, getTokens } from '../consent.ts'
import { onEachDatabase } from '../on-each-database.ts'
import type { TestBody } from '../test-app.ts'

type Tables = Record<string, Record<string, unknown>>

onEachDatabase('token requests during a change of the user', (shared) => {
  let client: TestClient
  let user: TestUser

  before(async () => {
    client = await addClient(shared.service, { redirectUris: [callback] })
    user = await addUser(shared.service, { email: ['view'] })
  })

  /** Sends requests while a change of the user is in progress. */
  const askDuring = async (
    fields: Record<string, string>,
    change: (tx: Transaction<Tables>) => Promise<unknown>,
  ) => {
    const { storage } = shared.service.app
    let asked: ReturnType<typeof askToken> | undefined
    await storage.transaction(async (tx: Transaction<Tables>) => {
      await tx.selectFrom('users').select('id').where('id', '=', user.id).forUpdate().execute()
      asked ??= askToken(shared.service, client, { redirect_uri: callback, ...fields })
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
    const db = shared.service.app.storage.tables<Tables>()
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

  test('an exchange of a code during a password change is refused', async () => {
    const code = await getCode(shared.service, client, user)
    const answer = await askDuring({ grant_type: 'authorization_code', code }, endAll)
    assert.equal(answer.status, 400, answer.text)
    assert.equal(await countTokens(), 0)
  })

  test('a refresh during a password change is refused', async () => {
    const tokens = await getTokens(shared.service, client, user)
    const answer = await askDuring(refresh(tokens), endAll)
    assert.equal(answer.status, 400, answer.text)
    assert.equal(await countTokens(), 0)
  })

  test('reuse of a stolen token revokes tokens issued at the same moment', async () => {
    const first = await getTokens(shared.service, client, user)
    const second = (await askToken(shared.service, client, refresh(first))).body
    // The reused token revokes the family before, during or after the exchange of the owner.
    await Promise.all([
      askToken(shared.service, client, refresh(second)),
      askToken(shared.service, client, refresh(first)),
      askToken(shared.service, client, refresh(first)),
    ])
    assert.equal(await countTokens(), 0)
  })

  test('a request while the user is deleted is refused, without a server error', async () => {
    const code = await getCode(shared.service, client, user)
    const answer = await askDuring({ grant_type: 'authorization_code', code }, (tx) =>
      tx.deleteFrom('users').where('id', '=', user.id).execute(),
    )
    assert.equal(answer.status, 400, answer.text)
  })
})
