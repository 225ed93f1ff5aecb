import assert from 'node:assert/strict'
import { test } from 'node:test'
import { examineQuickAck } from './examine-network.ts'

const networks = [{ network: '10.1.0.0/16', username: 'mautic' }]

test('routes without quickack are named with what to do', async () => {
  const quick = 'local 127.0.0.1 dev lo src 127.0.0.1 uid 0 \n    cache <local> quickack 1'
  const slow = '10.1.0.0 dev eth0 src 10.1.0.3 uid 0 \n    cache'
  const [all] = await examineQuickAck(networks, async () => quick)
  assert.deepEqual([all?.severity, all?.fix], ['ok', null])
  const routeTo = async (address: string) => (address === '127.0.0.1' ? quick : slow)
  const [one] = await examineQuickAck(networks, routeTo)
  assert.equal(one?.severity, 'warning')
  assert.match(one?.detail ?? '', /not on the route to 10\.1\.0\.0:/)
  assert.match(one?.fix ?? '', /quickack 1/)
  const [local] = await examineQuickAck([], async () => slow)
  assert.match(local?.fix ?? '', /ip route change local 127\.0\.0\.1 .* quickack 1/)
})

test('without the ip command there is no finding', async () => {
  assert.deepEqual(await examineQuickAck(networks, async () => undefined), [])
})
