import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { testDatabases } from '../databases.ts'
import {
  apiSettings,
  type MailyardOptions,
  type MailyardProcess,
  startMailyard,
} from '../mailyard-process.ts'
import { until } from '../until.ts'
import { volume } from '../volume.ts'
import { ask, transport } from './client.ts'

const kills = volume({ short: 1, full: 20 })
const writers = 6
const batchSize = 40

/** What was answered with 2xx, and so must be there; and what was asked for, and so may be there. */
interface Ledger {
  /** Description by id. */
  kept: Map<number, string>
  removed: Set<number>
  /** Edits and removals without an answer: both outcomes are right. */
  unsure: Map<number, string | undefined>
}

for (const { name, createMigrated } of testDatabases) {
  describe(`killed while it writes, on ${name}`, () => {
    test(`after ${kills === 1 ? 'a kill' : `${kills} kills`}, each answered write is complete and no other write is partial`, async () => {
      const database = await createMigrated()
      const options = { databaseUrl: database.url, env: apiSettings }
      const ledger: Ledger = { kept: new Map(), removed: new Set(), unsure: new Map() }
      for (let round = 0; round < kills; round += 1) {
        const service = await startMailyard(options)
        // The first log-in hashes a password, which takes as long as many writes.
        await ask(service, '/api/users/self')
        const work = Array.from({ length: writers }, (_, writer) =>
          write(service, `${round}-${writer}`, ledger),
        )
        const enough = ledger.kept.size + Math.random() * 5 * batchSize
        await until(() => ledger.kept.size >= enough, 'enough was written')
        service.kill('SIGKILL')
        await Promise.all([...work, service.ended])
        await checkLedger(options, ledger)
      }
      await database.drop()
    })
  })
}

/** Writes until there is no answer any more. */
async function write(service: MailyardProcess, name: string, ledger: Ledger): Promise<void> {
  for (let turn = 0; ; turn += 1) {
    try {
      await writeOnce(service, `${name}-${turn}`, ledger)
    } catch (error) {
      if (error instanceof assert.AssertionError) throw error
      return
    }
  }
}

async function writeOnce(service: MailyardProcess, name: string, ledger: Ledger): Promise<void> {
  const path = '/api/multipleTransports'
  const created = await ask(service, `${path}/new`, { method: 'POST', body: transport(name) })
  assert.equal(created.status, 201)
  const id = created.body.id as number
  ledger.kept.set(id, name)

  ledger.unsure.set(id, `${name} edited`)
  const body = { description: `${name} edited` }
  const edited = await ask(service, `${path}/${id}/edit`, { method: 'PATCH', body })
  assert.equal(edited.status, 200)
  ledger.kept.set(id, body.description)
  ledger.unsure.delete(id)

  const items = Array.from({ length: batchSize }, () => transport(`batch ${name}`))
  const batch = await ask(service, `${path}/batch/new?atomic=1`, { method: 'POST', body: items })
  assert.equal(batch.status, 201)
  const [first, ...others] = (batch.body.multipleTransports as { id: number }[]).map(
    (each) => each.id,
  )
  for (const each of others) ledger.kept.set(each, `batch ${name}`)

  ledger.unsure.set(first ?? 0, undefined)
  assert.equal((await ask(service, `${path}/${first}/delete`, { method: 'DELETE' })).status, 200)
  ledger.unsure.delete(first ?? 0)
  ledger.removed.add(first ?? 0)
}

async function checkLedger(options: MailyardOptions, ledger: Ledger): Promise<void> {
  const service = await startMailyard(options)
  const { body } = await ask(service, '/api/multipleTransports')
  const found = new Map<number, { description: string; mailerDsn: string; name: string }>()
  for (const each of body) found.set(each.id, each)
  for (const [id, description] of ledger.kept) {
    const isUnsure = ledger.unsure.has(id)
    const now = found.get(id)?.description
    assert.ok(now === description || (isUnsure && now === ledger.unsure.get(id)), `${id}: ${now}`)
    ledger.kept.set(id, now ?? '')
  }
  for (const id of ledger.removed) assert.equal(found.has(id), false, `${id} is back`)
  ledger.unsure.clear()
  const batches = new Map<string, number>()
  for (const { name, mailerDsn } of found.values()) {
    assert.equal(mailerDsn, transport(name)['mailerDsn'])
    if (name.startsWith('batch')) batches.set(name, (batches.get(name) ?? 0) + 1)
  }
  // One of each may have been removed.
  for (const [name, count] of batches) assert.ok(count >= batchSize - 1, `${name} has ${count}`)
  assert.equal(await service.stop(), 0)
}
