import assert from 'node:assert/strict'
import { execFile, spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { addClient, addUser } from '../callers.ts'
import { callback, getTokens } from '../consent.ts'
import { openTestApp, type TestApp, type TestBody } from '../test-app.ts'

const script = fileURLToPath(new URL('client.php', import.meta.url))
const hasPhp = spawnSync('php', ['-v']).status === 0
const run = promisify(execFile)

test('PHP itself, with the calls of the library and a token that has expired', {
  skip: hasPhp ? false : 'needs php',
}, async () => {
  const service = await openTestApp()
  try {
    const url = await service.listen()
    const client = await addClient(service, { redirectUris: [callback] })
    const user = await addUser(service, 'administrator')
    const tokens = await getTokens(service, client, user)
    await expireAccessTokens(service)
    const { clientId: client_id, clientSecret: client_secret } = client
    const given = { ...tokens, client_id, client_secret, redirect_uri: callback }
    const { stdout } = await run('php', [script, url, JSON.stringify(given)])
    checkAnswers(JSON.parse(stdout), user.username)
  } finally {
    service.server.server.closeAllConnections()
    await service.close()
  }
})

async function expireAccessTokens(service: TestApp): Promise<void> {
  const db = service.app.storage.tables<Record<string, Record<string, unknown>>>()
  const update = db.updateTable('oauth_tokens').set({ expires_at: Date.now() - 1 })
  await update.where('kind', '=', 'access').execute()
}

function checkAnswers(
  answers: Record<string, { status: number; body: TestBody }>,
  username: string,
) {
  const statuses = Object.entries(answers).map(([name, { status }]) => [name, status])
  assert.deepEqual(Object.fromEntries(statuses), {
    expired: 401,
    refreshed: 200,
    self: 200,
    created: 201,
    tested: 200,
    edited: 200,
    listed: 200,
    assigned: 200,
    batch: 201,
    where: 200,
    removed: 200,
    deleted: 200,
    missing: 404,
  })
  const bodyOf = (name: string): TestBody => answers[name]?.body
  assert.equal(bodyOf('self').username, username)
  assert.equal(bodyOf('tested').success, true)
  assert.equal(bodyOf('edited').description, 'Größe')
  assert.equal(bodyOf('listed').length, 1)
  assert.deepEqual(bodyOf('batch').statusCodes, [201, 400])
  assert.equal(bodyOf('where').total, 1)
  assert.deepEqual(bodyOf('missing'), { success: false, error: 'Transport not found' })
}
