import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { addTransport } from '../../../test/callers.ts'
import { type MauticBehaviour, slowly } from '../../../test/mautic-double/mautic-double.ts'
import { addMautic, synchronizeMautic, type TestMautic } from '../../../test/mautics.ts'
import { onMailyard } from '../../../test/on-each-database.ts'
import { submitQueued } from '../../../test/queue/submit-queued.ts'
import { useScriptedServer } from '../../../test/scripted-server.ts'
import { until } from '../../../test/until.ts'
import { volume } from '../../../test/volume.ts'

const count = volume({ short: 200, full: 500 })
const atOnce = 20

onMailyard('many messages of which only a slow Mautic knows the email', (shared) => {
  const [odd, even, fallback] = [useScriptedServer(), useScriptedServer(), useScriptedServer()]
  let mautic: TestMautic
  before(async () => {
    const { service } = shared
    const { id: transportId } = await addTransport(service, { mailerDsn: fallback.dsn })
    mautic = await addMautic(service, { emails: [1, 2], transportId })
    for (const [emailId, { dsn: mailerDsn }] of [[1, odd] as const, [2, even] as const]) {
      const { id } = await addTransport(service, { mailerDsn })
      const path = `/api/multipleTransport/transportEmail/${emailId}?mautic=${mautic.id}`
      assert.equal((await service.ask('POST', path, { transportId: id })).status, 200)
    }
  })
  const begin = (fault: MauticBehaviour['fault']) => {
    for (const server of [odd, even]) server.taken = []
    mautic.double.requests.length = 0
    mautic.double.behaviour.fault = fault
  }
  const addressOf = (hash: number) => `to${hash}@rcpt.test`
  let hashes = 1_000
  /** Submits them, twenty at once; returns their hashes. `onHalf` is called once half of them are submitted. */
  const submitAll = async (mode: 'queue' | 'hybrid', onHalf = async () => {}) => {
    const all = Array.from({ length: count }, () => ++hashes)
    const left = all.values()
    const submit = async () => {
      for (const hash of left) {
        if (hash === all[count / 2]) await onHalf()
        const to = addressOf(hash)
        const text = String(hash).padStart(22, '6')
        const stat = { tracking_hash: text, lead_id: null, email_address: to }
        mautic.double.data.stats.push({ ...stat, email_id: hash % 2 === 0 ? '2' : '1' })
        const head = `List-Unsubscribe: <https://brand.test/email/unsubscribe/${text}>`
        await submitQueued(shared.service, { mautic, to, head, mode })
      }
    }
    await Promise.all(Array.from({ length: atOnce }, submit))
    return all
  }
  const assertRight = async (all: readonly number[]) => {
    const isMoreThan = (seen: number) => () => odd.taken.length + even.taken.length > seen
    for (let seen = 0; seen < count; seen = odd.taken.length + even.taken.length)
      await until(isMoreThan(seen), 'the next is sent')
    await shared.service.app.idle()
    const [ofOdd, ofEven] = [1, 0].map((rest) => all.filter((hash) => hash % 2 === rest))
    assert.deepEqual(odd.taken.toSorted(), ofOdd?.map(addressOf))
    assert.deepEqual(even.taken.toSorted(), ofEven?.map(addressOf))
    assert.deepEqual(fallback.taken, [])
  }

  for (const mode of ['queue', 'hybrid'] as const)
    test(`go through the transports of their emails, in ${mode}, and ask for many at a time`, async () => {
      begin(slowly())
      await assertRight(await submitAll(mode))
      const { length } = mautic.double.requests
      assert.ok(length < 20 + count / 25, `${length} requests`)
    })

  test('go there also after its password was changed in the middle, and put right', async () => {
    begin(slowly())
    const all = await submitAll('queue', async () => {
      mautic.double.revokeTokens()
      mautic.double.behaviour.fault = () => 401
      await synchronizeMautic(shared.service, mautic.id)
    })
    await shared.service.app.idle()
    assert.ok(odd.taken.length + even.taken.length < count)
    mautic.double.behaviour.fault = slowly()
    await synchronizeMautic(shared.service, mautic.id)
    await assertRight(all)
  })
})
