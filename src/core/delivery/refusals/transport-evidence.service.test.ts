import assert from 'node:assert/strict'
import { test } from 'node:test'
import { logDeliveries } from '../../../../test/log-deliveries.ts'
import { onMailyard } from '../../../../test/on-each-database.ts'
import { type DeliveryRow, defaultTransport, noTransport } from '../table.ts'
import { TransportEvidence } from './transport-evidence.ts'

type Attempt = Partial<Pick<DeliveryRow, 'outcome' | 'transport_id'>>
const accepted: Attempt = { outcome: 'accepted' }
const refused: Attempt = { outcome: 'refused' }
const deferred: Attempt = { outcome: 'deferred' }
const uncertain: Attempt = { outcome: 'uncertain' }
const times = (count: number, attempt: Attempt) => Array<Attempt>(count).fill(attempt)

onMailyard('a transport', { isOwn: true }, (shared) => {
  let lastId = 1_000
  let at = Date.UTC(2026, 10, 1)
  const log = async (transportId: number | null, attempts: readonly Attempt[]) => {
    const transport_id = transportId ?? defaultTransport
    const rows = attempts.map((attempt) => ({ transport_id, started_at: ++at, ...attempt }))
    await logDeliveries(shared.service, rows)
  }
  const isReliable = (transportId: number | null) =>
    new TransportEvidence(shared.service.app.storage).isReliable(transportId)
  const isReliableAfter = async (attempts: readonly Attempt[]) => {
    lastId += 1
    await log(lastId, attempts)
    return isReliable(lastId)
  }

  test('is believed if it accepted half of its last recipients, and at least one', async () => {
    assert.equal(await isReliableAfter([]), false)
    assert.equal(await isReliableAfter([refused]), false)
    assert.equal(await isReliableAfter([accepted, refused]), true)
    assert.equal(await isReliableAfter([accepted, refused, refused]), false)
    assert.equal(await isReliableAfter([accepted, refused, uncertain]), false)
    assert.equal(await isReliableAfter([...times(25, accepted), ...times(25, refused)]), true)
  })

  test('is judged by its last 50 recipients only', async () => {
    assert.equal(await isReliableAfter([...times(90, accepted), ...times(26, refused)]), false)
    assert.equal(await isReliableAfter([...times(90, refused), ...times(24, accepted)]), false)
    assert.equal(
      await isReliableAfter([...times(90, refused), ...times(25, accepted), ...times(25, refused)]),
      true,
    )
  })

  test('is judged without attempts that are made again', async () => {
    assert.equal(await isReliableAfter([accepted, refused, ...times(60, deferred)]), true)
  })

  test('that is the configured default is judged as any other, without what no transport got', async () => {
    const without = { outcome: 'refused', transport_id: noTransport } satisfies Attempt
    await log(null, [accepted, refused, ...times(60, without)])
    assert.equal(await isReliable(null), true)
    await log(null, [refused])
    assert.equal(await isReliable(null), false)
  })
})
