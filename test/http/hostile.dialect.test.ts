import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { test } from 'node:test'
import fc from 'fast-check'
import { testDatabases } from '../databases.ts'
import { openTestApp, type TestApp } from '../test-app.ts'
import { volume } from '../volume.ts'
import { findOperation, type OpenApiDocument, readOperations } from './api-description.ts'
import { checkAnswer } from './check-answer.ts'
import { type HostileRequest, requestsTo } from './hostile-requests.ts'
import { secretMark, userMark } from './hostile-values.ts'
import { type Population, populate } from './population.ts'
import { type Client, createClient } from './send-request.ts'

/** How many groups of requests each database gets. */
const groupsCount = volume({ short: 60, full: 5_000 })
/** A failure names its seed; with it the same requests are sent again. */
const seed = Number(process.env['HOSTILE_SEED'] ?? randomInt(2 ** 31))
const restoredEvery = 100
/** The most requests that are open at the same time. */
const atOnceMax = 8

for (const { name, createMigrated } of testDatabases) {
  test(`random and hostile requests find no fault, no crash and no secret, on ${name}`, async (t) => {
    t.diagnostic(`HOSTILE_SEED=${seed}`)
    const database = await createMigrated()
    // All outbound connections are denied, so that no DSN reaches another host.
    const config = { outboundPolicy: 'public' as const, outboundDeny: ['0.0.0.0/0', '::/0'] }
    const service = await openTestApp({ database, config })
    const client = createClient(await service.listen())
    try {
      const population = await populate(service)
      await attack({ service, client, population })
      await service.askFor('GET', '/readyz', undefined, { as: 'anonymous' })
    } finally {
      client.close()
      await service.close()
      await database.drop()
    }
  })
}

/** A POST may name another method. */
function methodOf({ method, headers }: HostileRequest): string {
  const other = headers['x-http-method-override']?.toUpperCase() ?? ''
  return method === 'POST' && /^(DELETE|PATCH|PUT)$/.test(other) ? other : method
}

interface Attack {
  service: TestApp
  client: Client
  population: Population
}

async function attack({ service, client, population }: Attack): Promise<void> {
  const document = (await service.ask('GET', '/api/openapi.json')).body as OpenApiDocument
  const operations = readOperations(document)
  const requests = fc.oneof(...operations.map(requestsTo))
  let count = 0
  const send = async (request: HostileRequest) => {
    const answer = await client.send(request, population.authorizationOf(request.caller))
    const operation = findOperation(operations, { ...request, method: methodOf(request) })
    checkAnswer({ operation, request, answer })
  }
  const group = fc.array(requests, { minLength: 1, maxLength: atOnceMax })
  const property = fc.asyncProperty(group, async (together) => {
    const before = count
    count += together.length
    if (Math.floor(count / restoredEvery) > Math.floor(before / restoredEvery))
      await population.restore()
    await Promise.all(together.map(send))
    checkLog(service.logged.splice(0))
  })
  await fc.assert(property, { numRuns: groupsCount, seed })
}

function checkLog(lines: readonly string[]): void {
  for (const line of lines) {
    assert.ok(!line.includes(secretMark), `a secret of a DSN is in the log: ${line}`)
    assert.ok(!line.includes(userMark), `the user of a DSN is in the log: ${line}`)
  }
}
