import assert from 'node:assert/strict'
import { test } from 'node:test'
import { logDeliveries } from '../../../test/log-deliveries.ts'
import { addMautic } from '../../../test/mautics.ts'
import { onEachDatabase } from '../../../test/on-each-database.ts'
import { bounceAddress, bounceOf, useReturnPaths } from '../../../test/relay/return-paths.ts'
import type { DeliveryTables } from '../../core/delivery/index.ts'

const dayMs = 86_400_000

onEachDatabase('mail to a return path', { isOwn: true, config: { bounceAddress } }, (shared) => {
  const paths = useReturnPaths(shared)
  const { ask, dial, send, sendOne, comeBack, suppressionsOf, eventsOf } = paths

  test('a bounce suppresses the recipient of that delivery, and names the delivery', async () => {
    const { to, path } = await sendOne()
    assert.match(path, /^bounces\+[\da-z]+-[\da-z]+-[\da-f]{20}@mail\.example\.com$/)
    assert.match(await comeBack(path, bounceOf(to)), /^250 2\.0\.0 Read: bounced/)
    const [suppression, ...others] = await suppressionsOf(to)
    assert.deepEqual(others, [])
    assert.deepEqual(
      [suppression.reason, suppression.senderDomain, suppression.transportId],
      ['bounced', null, paths.transportId],
    )
    assert.deepEqual(await eventsOf(to), [['bounced', 'hard']])
  })

  test('is refused at RCPT where the path is not signed, is too old, or has served its purpose', async () => {
    const { to, path } = await sendOne()
    const [, tag = ''] = /\+(.*)@/.exec(path) ?? []
    const [id, time, signature = ''] = tag.split('-')
    const other = signature.startsWith('0') ? `1${signature.slice(1)}` : `0${signature.slice(1)}`
    const wrong = [
      bounceAddress,
      `bounces+17@mail.example.com`,
      `bounces+${id}-${time}-${other}@mail.example.com`,
      `bounces+${Number.parseInt(id ?? '', 36) + 1}-${time}-${signature}@mail.example.com`,
      `bounces+${id}-${time}-@mail.example.com`,
      `bounces+${tag}x@mail.example.com`,
    ]
    const client = await dial()
    assert.match(await client.say('MAIL FROM:<>'), /^250 /)
    for (const each of wrong)
      assert.match(await client.say(`RCPT TO:<${each}>`), /^550 5\.1\.1 /, each)
    for (const each of [
      'jane@example.net',
      `${tag}@mail.example.com`,
      path.replace('mail.', 'x.mail.'),
    ])
      assert.match(await client.say(`RCPT TO:<${each}>`), /^530 /, each)
    assert.match(await client.say(`RCPT TO:<${path}>`), /^250 /)
    assert.match(await client.say(`RCPT TO:<${path}>`), /^452 4\.5\.3 /)
    client.end()
    assert.match(await comeBack(path, bounceOf(to)), /^250 /)
    assert.match(await comeBack(path, bounceOf(to)), /^550 5\.1\.1 /)
    const old = await sendOne()
    shared.clock.advance(31 * dayMs)
    assert.match(await comeBack(old.path, bounceOf(old.to)), /^550 5\.1\.1 /)
    assert.deepEqual(await suppressionsOf(old.to), [])
  })

  test('is about its delivery, however many messages the recipient has', async () => {
    const { to, path } = await sendOne()
    const { deliveries } = await ask(`/api/deliveries?recipient=${to}`)
    const { id } = deliveries[0]
    const db = shared.service.app.storage.tables<DeliveryTables>()
    await db.updateTable('deliveries').set({ message_id: null }).where('id', '=', id).execute()
    const later = { recipient: to, recipient_key: to, started_at: shared.clock.now() + 1 }
    await logDeliveries(
      shared.service,
      Array.from({ length: 60 }, () => ({ ...later, message_id: null })),
    )
    assert.match(await comeBack(path, bounceOf(to)), /^250 /)
    const { events } = await ask(`/api/deliveries/${id}`)
    assert.equal(events[0]?.class, 'hard')
    assert.equal((await suppressionsOf(to)).length, 1)
  })

  test('is no guess while the database does not say what it is', async () => {
    const { to, path } = await sendOne()
    const { schema } = shared.service.app.storage.tables<DeliveryTables>()
    await schema.alterTable('delivery_events').renameTo('kept_events').execute()
    const client = await dial()
    try {
      await client.say('MAIL FROM:<>')
      for (let count = 0; count < 12; count += 1)
        assert.match(await client.say(`RCPT TO:<${path}>`), /^451 4\.3\.0 /)
    } finally {
      await schema.alterTable('kept_events').renameTo('delivery_events').execute()
    }
    assert.match(await client.say(`RCPT TO:<${path}>`), /^250 /, to)
    client.end()
  })

  test('about a message of a brand suppresses for this brand', async () => {
    const { service } = shared
    const { mailerDsn, brand } = await addMautic(service, { transportId: paths.transportId })
    const { username, password } = new URL(mailerDsn)
    const as = [decodeURIComponent(username), decodeURIComponent(password)] as const
    const [{ to, path } = assert.fail()] = await send(undefined, { as, through: 0 })
    assert.match(await comeBack(path, bounceOf(to)), /^250 /)
    const [suppression] = await suppressionsOf(to)
    assert.deepEqual([suppression.brand, suppression.senderDomain], [brand, null])
  })
})
