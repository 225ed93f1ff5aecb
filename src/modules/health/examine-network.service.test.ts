import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onMailyard } from '../../../test/on-each-database.ts'
import { examineQuickAck } from './examine-network.ts'

const quick = 'local 127.0.0.1 dev lo src 127.0.0.1 uid 0 \n    cache <local> quickack 1'
const slow = '192.0.2.7 dev eth0 src 10.1.0.3 uid 0 \n    cache'

onMailyard('quick acknowledgement', { isOwn: true }, (shared) => {
  const connect = (name: string, url: string) =>
    shared.askFor('POST', '/api/mautics/new', { name, url, username: 'user', password: 'secret' })

  test('is no matter where no Mautic is connected', async () => {
    const asked: string[] = []
    const routeTo = async (address: string) => {
      asked.push(address)
      return slow
    }
    assert.deepEqual(await examineQuickAck(shared.service.app.storage, routeTo), [])
    assert.deepEqual(asked, [])
  })

  test('is looked at on the routes to the connected Mautics, and said how to have it', async () => {
    const { storage } = shared.service.app
    await connect('near', 'http://127.0.0.1:1/mautic')
    const [local] = await examineQuickAck(storage, async () => slow)
    assert.match(local?.fix ?? '', /ip route change local 127\.0\.0\.1 .* quickack 1/)
    await connect('far', 'http://192.0.2.7')
    const [all] = await examineQuickAck(storage, async () => quick)
    assert.deepEqual([all?.severity, all?.fix], ['ok', null])
    const routeTo = async (address: string) => (address === '127.0.0.1' ? quick : slow)
    const [one] = await examineQuickAck(storage, routeTo)
    assert.equal(one?.severity, 'warning')
    assert.match(one?.detail ?? '', /^The route to 192\.0\.2\.7 acknowledges late:/)
    assert.match(one?.fix ?? '', /quickack 1/)
  })
})
