import assert from 'node:assert/strict'
import { test } from 'node:test'
import { clockAt } from '../../../../test/movable-clock.ts'
import type { FinishedAttempt } from '../../../core/delivery/index.ts'
import { addAttemptMetrics } from './attempt-metrics.ts'
import { Registry } from './prom-client.ts'

const address = 'ann@example.com'
const recipient = { address, outcome: 'accepted', reply: null, isPermanent: false } as const
const result = {
  member: 'smtp://mail.test:25',
  outcome: 'accepted',
  stage: 'data',
  reply: null,
  fault: null,
  durationMs: 12,
  recipients: [recipient],
  messageId: null,
  isRetrySafe: false,
  isPermanent: false,
  retryAfterMs: null,
  attempts: [],
} as unknown as FinishedAttempt['result']

function createAttempts() {
  const registry = new Registry()
  const attempts = addAttemptMetrics(registry, clockAt(1_000))
  const send = (transportId: number | null, transport: string, brand = 0) =>
    attempts.observe({ transportId, transport, source: 'api', brand, result })
  const labels = async () => {
    const text = await registry.metrics()
    const found = text.matchAll(/^mailyard_deliveries_total\{transport="([^"]*)".* (\d+)$/gm)
    return Object.fromEntries([...found].map(([, label = '', count]) => [label, Number(count)]))
  }
  return { registry, send, labels }
}

test('the label of a transport is its name with its id, and that of the default has no id', async () => {
  const { send, labels } = createAttempts()
  send(1, 'Bulk')
  send(2, 'Bulk')
  send(2, 'Bulk')
  send(null, 'default')
  assert.deepEqual(await labels(), { 'Bulk (1)': 1, 'Bulk (2)': 2, default: 1 })
})

test('a transport that is renamed leaves no series under its old name', async () => {
  const { registry, send, labels } = createAttempts()
  send(1, 'Before')
  send(1, 'After')
  assert.deepEqual(await labels(), { 'After (1)': 1 })
  assert.doesNotMatch(await registry.metrics(), /Before/)
})

test('a message of a brand is counted under its id, up to 500 brands, and one without a brand has no such label', async () => {
  const { registry, send } = createAttempts()
  const labels = async () => {
    const text = await registry.metrics()
    const found = text.matchAll(/^mailyard_deliveries_total\{.*source="api"(.*)\} (\d+)$/gm)
    return Object.fromEntries([...found].map(([, label = '', count]) => [label, Number(count)]))
  }
  send(1, 'Shared')
  send(1, 'Shared', 7)
  send(1, 'Shared', 7)
  assert.deepEqual(await labels(), { '': 1, ',brand="7"': 2 })
  for (let brand = 1; brand <= 2_000; brand++) send(1, 'Shared', brand)
  const counted = await labels()
  assert.equal(Object.keys(counted).length, 502)
  assert.equal(counted[',brand="other"'], 1_500)
  send(1, 'Renamed')
  assert.deepEqual(await labels(), { '': 1 })
})

test('the number of labels is limited: the transports above it are counted together', async () => {
  const { registry, send, labels } = createAttempts()
  for (let id = 1; id <= 2_000; id++) send(id, 'T')
  const counted = await labels()
  assert.equal(Object.keys(counted).length, 501)
  assert.equal(counted['other'], 1_500)
  assert.ok((await registry.metrics()).length < 1_000_000)
})
