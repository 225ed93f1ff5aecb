import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { testDatabases } from '../databases.ts'
import { openTestApp, type TestApp } from '../test-app.ts'
import { volume } from '../volume.ts'
import { findOperation, type OpenApiDocument, readOperations } from './api-description.ts'
import { checkAnswer } from './check-answer.ts'
import { requestsTo } from './hostile-requests.ts'
import { secretMark, userMark } from './hostile-values.ts'
import { type Population, populate } from './population.ts'
import { type Client, createClient } from './send-request.ts'

/** How many requests each database gets. */
const requestsCount = volume({ short: 1_000, full: 20_000 })
/** A failure names its seed; with it the same requests are sent again. */
const seed = process.env['HOSTILE_SEED']
const restoredEvery = 100

for (const { name, create } of testDatabases) {
  test(`random and hostile requests find no fault, no crash and no secret, on ${name}`, async () => {
    const database = await create()
    // Nobody outside hears of it, whatever a DSN says.
    const config = { outboundPolicy: 'public' as const, outboundDeny: ['0.0.0.0/0', '::/0'] }
    const yard = await openTestApp({ database, config })
    const client = createClient(await yard.listen())
    try {
      const population = await populate(yard)
      await attack({ yard, client, population })
      const alive = await yard.ask('GET', '/readyz', undefined, { as: 'nobody' })
      assert.equal(alive.status, 200)
    } finally {
      client.close()
      await yard.close()
      await database.drop()
    }
  })
}

interface Attack {
  yard: TestApp
  client: Client
  population: Population
}

async function attack({ yard, client, population }: Attack): Promise<void> {
  const document = (await yard.ask('GET', '/api/openapi.json')).body as OpenApiDocument
  const operations = readOperations(document)
  const requests = fc.oneof(...operations.map(requestsTo))
  let count = 0
  const property = fc.asyncProperty(requests, async (request) => {
    count += 1
    if (count % restoredEvery === 0) await population.restore()
    const answer = await client.send(request, population.authorizationOf(request.caller))
    checkAnswer({ operation: findOperation(operations, request), request, answer })
    checkLog(yard.logged.splice(0))
  })
  const options = seed === undefined ? {} : { seed: Number(seed) }
  await fc.assert(property, { numRuns: requestsCount, ...options })
}

function checkLog(lines: readonly string[]): void {
  for (const line of lines) {
    assert.ok(!line.includes(secretMark), `a secret of a DSN is in the log: ${line}`)
    assert.ok(!line.includes(userMark), `the user of a DSN is in the log: ${line}`)
  }
}
