import assert from 'node:assert/strict'
import { request } from 'node:http'
import { before, test } from 'node:test'
import { uniqueName } from '../../../../test/callers.ts'
import { readWebhook } from '../../../../test/mautic-double/recordings.ts'
import {
  callWebhook,
  changesOf,
  connectMautic,
  createChange,
  holdAnswers,
  markReinstalled,
  synchronizeMautic,
  useMauticDouble,
} from '../../../../test/mautics.ts'
import { onEachDatabase } from '../../../../test/on-each-database.ts'
import type { TestBody } from '../../../../test/test-app.ts'
import { until } from '../../../../test/until.ts'

onEachDatabase('a webhook of a Mautic', { isOwn: true }, (shared) => {
  const double = useMauticDouble()
  let base: string
  const { ask } = shared
  before(async () => {
    base = await shared.service.listen()
  })

  const connect = async (): Promise<number> => (await connectMautic(shared.service, double)).id
  const createWebhook = (id: number, body: object = { url: base }) =>
    ask('POST', `/api/mautics/${id}/webhook`, body)
  /** A connected Mautic that sends from a domain, and whose webhook was created. */
  const connectWithWebhook = async (domains: readonly string[] = ['brand.test']) => {
    const id = await connect()
    await shared.service.app.mautics.senderDomains.note(id, domains)
    const { webhook } = (await createWebhook(id)).body
    return { id, secret: double.data.hooks.get(webhook.id).secret as string }
  }
  const post = (id: number, body: unknown, secret: string | undefined) =>
    callWebhook(shared.service, { id, secret }, body)
  const suppressionsOf = async (address: string) =>
    (await ask('GET', `/api/suppressions?address=${address}`)).body.suppressions
  const unique = () => `${uniqueName('contact')}@rcpt.test`
  const changeOf = (
    address: string,
    status: string,
    at = shared.clock.now(),
    contactId?: number,
  ): TestBody => createChange(address, { status, at, contactId })

  test('is refused without the right signature, and for another Mautic', async () => {
    const { id } = await connectWithWebhook()
    const other = await connectWithWebhook()
    const withoutWebhook = await connect()
    const body = changesOf(changeOf('c24@rcpt.test', 'bounced'))
    const answers = [
      await post(id, body, undefined),
      await post(id, body, 'wrong'),
      await post(id, body, other.secret),
      await post(withoutWebhook, body, undefined),
    ]
    await ask('PATCH', `/api/mautics/${id}/edit`, { isPublished: false })
    answers.push(await post(id, body, 'wrong'))
    for (const { status, body: answer } of answers)
      assert.deepEqual([status, answer.success], [401, false])
    assert.deepEqual(await suppressionsOf('c24@rcpt.test'), [])
  })

  test('of a Mautic that is unpublished, deleted or without webhook is answered 200 and ignored', async () => {
    const { id, secret } = await connectWithWebhook()
    const withoutWebhook = await connect()
    const body = changesOf(changeOf('c25@rcpt.test', 'bounced'))
    await ask('PATCH', `/api/mautics/${id}/edit`, { isPublished: false })
    for (const [mauticId, key] of [
      [id, secret],
      [withoutWebhook, 'any'],
      [987_654, secret],
    ] as const)
      assert.equal((await post(mauticId, body, key)).status, 200)
    assert.deepEqual(await suppressionsOf('c25@rcpt.test'), [])
  })

  test('is refused if it is no JSON or too large, and other events are ignored', async () => {
    const { id, secret } = await connectWithWebhook()
    assert.equal((await post(id, 'not JSON', secret)).status, 400)
    assert.equal((await post(id, `"${'x'.repeat(8 * 1_048_576)}"`, secret)).status, 413)
    assert.equal((await post(id, `[${'0,'.repeat(500_000)}0]`, secret)).status, 413)
    assert.equal((await post(id, `${'['.repeat(200)}${']'.repeat(200)}`, secret)).status, 400)
    const { body } = readWebhook('open-email_on_open')
    for (const other of [body, [], {}, 'null', changesOf(null, 1, {})])
      assert.deepEqual((await post(id, other, secret)).body, { success: true })
  })

  test('is taken while another client sends slow bodies that name its Mautic', async () => {
    const { id, secret } = await connectWithWebhook()
    const answered: number[] = []
    const slow = [1, 2, 3].map(() => {
      const upload = request(`${base}/webhooks/mautic/${id}`, {
        method: 'POST',
        headers: { 'webhook-signature': 'AAAA' },
        localAddress: '127.0.0.2',
      })
      upload.on('error', () => undefined)
      upload.on('response', (answer) => answered.push(answer.statusCode ?? 0))
      upload.write('x'.repeat(6 * 1_048_576))
      return upload
    })
    await until(() => answered.length > 0, 'a body over the share of the client is refused')
    assert.ok(answered.every((status) => status === 503))
    assert.equal((await post(id, {}, secret)).status, 200)
    for (const upload of slow) upload.destroy()
  })

  test('suppresses an address for the reason of Mautic and the domains that it sends from, and lifts that again', async () => {
    const { id, secret } = await connectWithWebhook(['a.example', 'b.example'])
    const address = unique()
    for (const reason of ['bounced', 'unsubscribed', 'manual']) {
      await post(id, changesOf(changeOf(address, reason)), secret)
      const suppressions = await suppressionsOf(address)
      for (const suppression of suppressions)
        assert.partialDeepStrictEqual(suppression, { reason, source: `mautic ${id}` })
      const domains = suppressions.map(({ senderDomain }: TestBody) => senderDomain)
      assert.deepEqual(domains.sort(), ['a.example', 'b.example'])
      shared.clock.advance(1_000)
      await post(id, changesOf(changeOf(address, 'contactable')), secret)
      assert.deepEqual(await suppressionsOf(address), [])
      shared.clock.advance(1_000)
    }
  })

  test('suppresses nothing for other senders while its Mautic has not sent', async () => {
    const { id, secret } = await connectWithWebhook([])
    const address = unique()
    for (const status of ['unsubscribed', 'bounced', 'manual'])
      assert.equal((await post(id, changesOf(changeOf(address, status)), secret)).status, 200)
    assert.deepEqual(await suppressionsOf(address), [])
    const skipped = shared.service.logged.filter((line) => line.includes('no sender domain'))
    assert.equal(skipped.length, 3)
  })

  test('is not believed while its Mautic is reinstalled', async () => {
    const { id, secret } = await connectWithWebhook()
    await synchronizeMautic(shared.service, id)
    await markReinstalled(shared.service, id)
    const address = unique()
    assert.equal((await post(id, changesOf(changeOf(address, 'bounced')), secret)).status, 200)
    assert.deepEqual(await suppressionsOf(address), [])
  })

  test('does not change or lift a suppression of another source', async () => {
    const { id, secret } = await connectWithWebhook()
    const other = await connectWithWebhook()
    const [complained, fromOther] = [unique(), unique()]
    await ask('POST', '/api/suppressions/new', { address: complained, reason: 'complained' })
    await post(other.id, changesOf(changeOf(fromOther, 'manual')), other.secret)
    for (const address of [complained, fromOther])
      for (const status of ['bounced', 'contactable'])
        await post(id, changesOf(changeOf(address, status)), secret)
    assert.equal((await suppressionsOf(complained))[0].reason, 'complained')
    assert.equal((await suppressionsOf(fromOther))[0].source, `mautic ${other.id}`)
  })

  test('that is repeated, or comes after a later one, changes nothing', async () => {
    const { id, secret } = await connectWithWebhook()
    const [repeated, overtaken] = [unique(), unique()]
    const start = shared.clock.now()
    const unsubscribed = changeOf(repeated, 'unsubscribed', start)
    const both = [changeOf(repeated, 'contactable', start + 1_000), unsubscribed]
    await post(id, changesOf(...both), secret)
    await post(id, changesOf(changeOf(overtaken, 'contactable', start + 1_000)), secret)
    shared.clock.advance(3 * 3_600_000)
    await post(id, changesOf(unsubscribed, changeOf(overtaken, 'manual', start)), secret)
    for (const address of [repeated, overtaken]) assert.deepEqual(await suppressionsOf(address), [])
    const last = changesOf(changeOf(overtaken, 'manual'))
    await post(id, last, secret)
    const [suppression] = await suppressionsOf(overtaken)
    await ask('DELETE', `/api/suppressions/${suppression.id}/delete`)
    await post(id, last, secret)
    assert.deepEqual(await suppressionsOf(overtaken), [])
  })

  test('that comes days late, with hundreds of others, is taken as it is', async () => {
    const { id, secret } = await connectWithWebhook()
    const addresses = Array.from({ length: 300 }, unique)
    const start = shared.clock.now()
    shared.clock.advance(6 * 86_400_000)
    const events = addresses.map((address, index) =>
      changeOf(address, 'unsubscribed', start + index, 1_000 + index),
    )
    for (const _ of [1, 2]) assert.equal((await post(id, changesOf(...events), secret)).status, 200)
    for (const address of addresses) assert.equal((await suppressionsOf(address)).length, 1)
  })

  const listed = (contactId: number, reason: number) =>
    double.data.doNotContact.push({
      ...{ id: String(9_000 + contactId), lead_id: String(contactId), channel: 'email' },
      ...{ reason: String(reason), date_added: '2026-01-31 10:00:00', comments: '' },
    })

  test('of the same second as another one, or after one with a future date, counts where the list of Mautic says so', async () => {
    const { id, secret } = await connectWithWebhook()
    const day = 86_400_000
    let contactId = 300
    for (const [first, last, reason] of [
      ['unsubscribed', 'contactable', 0],
      ['contactable', 'unsubscribed', 1],
      ['bounced', 'manual', 3],
    ] as const)
      for (const [firstMs, lastMs] of [
        [0, 0],
        [20 * day, 0],
        [20 * day, 19 * day],
      ] as const) {
        contactId += 1
        const address = unique()
        const now = shared.clock.now()
        const event = (status: string, at: number) =>
          changesOf(changeOf(address, status, now + at, contactId))
        const [earlier, later] = [event(first, firstMs), event(last, lastMs)]
        await post(id, earlier, secret)
        if (reason > 0) listed(contactId, reason)
        const expected = reason > 0 ? [last] : []
        for (const body of [later, earlier, later, earlier]) {
          assert.equal((await post(id, body, secret)).status, 200)
          const reasons = (await suppressionsOf(address)).map((each: TestBody) => each.reason)
          // A suppression that exists keeps its reason.
          const kept = first === 'bounced' ? [first] : expected
          assert.deepEqual(reasons, kept, `${first} at ${firstMs}, ${last} at ${lastMs}`)
        }
      }
    double.data.doNotContact = []
  })

  test('of the same second as another one withholds while Mautic cannot be asked', async () => {
    const { id, secret } = await connectWithWebhook()
    const address = unique()
    const at = shared.clock.now()
    double.behaviour.fault = () => 500
    for (const status of ['contactable', 'unsubscribed', 'contactable'])
      await post(id, changesOf(changeOf(address, status, at)), secret)
    assert.equal((await suppressionsOf(address)).length, 1)
  })

  test('that is older than a week is answered in time while Mautic waits for the answer', {
    timeout: 30_000,
  }, async () => {
    const { id, secret } = await connectWithWebhook()
    const old = changeOf(unique(), 'manual', shared.clock.now() - 8 * 86_400_000)
    const answer = holdAnswers(double)
    assert.equal((await post(id, changesOf(old), secret)).status, 200)
    assert.deepEqual(await suppressionsOf(old.contact.fields.core.email.value), [])
    answer()
  })

  test('that is older than a week counts where the list of Mautic still says so', async () => {
    const { id, secret } = await connectWithWebhook()
    const start = shared.clock.now()
    const event = (contactId: number, status: string) =>
      changeOf(unique(), status, start, contactId)
    const [same, other, gone] = [event(201, 'manual'), event(202, 'manual'), event(203, 'manual')]
    const [removed, listedAgain] = [event(204, 'contactable'), event(205, 'contactable')]
    listed(201, 3)
    listed(202, 1)
    listed(205, 3)
    const addressOf = ({ contact }: TestBody): string => contact.fields.core.email.value
    const source = `mautic ${id}`
    for (const change of [removed, listedAgain])
      await ask('POST', '/api/suppressions/new', {
        ...{ address: addressOf(change), senderDomain: 'brand.test', source },
      })
    shared.clock.advance(8 * 86_400_000)
    double.requests.length = 0
    const late = changesOf(same, other, gone, removed, listedAgain)
    assert.equal((await post(id, late, secret)).status, 200)
    const asked = double.requests.filter(({ path }) => path.includes('lead_id'))
    assert.equal(asked.length, 1, 'many are asked for at a time')
    const counts = [same, other, gone, removed, listedAgain].map(
      async (change) => (await suppressionsOf(addressOf(change))).length,
    )
    assert.deepEqual(await Promise.all(counts), [1, 0, 0, 0, 1])
    double.data.doNotContact = []
  })

  test('that is older than a week is answered 200 and ignored while Mautic does not answer', async () => {
    const { id, secret } = await connectWithWebhook()
    const old = changeOf(unique(), 'manual', shared.clock.now() - 8 * 86_400_000)
    double.behaviour.fault = () => 500
    assert.equal((await post(id, changesOf(old), secret)).status, 200)
    assert.deepEqual(await suppressionsOf(old.contact.fields.core.email.value), [])
  })

  test('of another channel, status or form is ignored', async () => {
    const { id, secret } = await connectWithWebhook()
    const address = unique()
    const sms = { ...changeOf(address, 'unsubscribed'), channel: 'sms' }
    const odd = changeOf(address, 'constructor')
    const undated = { ...changeOf(address, 'manual'), timestamp: null }
    const bad = changeOf('no address', 'manual')
    assert.equal((await post(id, changesOf(sms, odd, undated, bad), secret)).status, 200)
    assert.deepEqual(await suppressionsOf(address), [])
  })

  test('that echoes a report suppresses nothing, and ends with the entry of Mautic', async () => {
    const { id, secret } = await connectWithWebhook()
    const { mautics } = shared.service.app
    const address = 'c70@rcpt.test'
    const report = { mauticId: id, address, contactId: 70, emailId: 17, comments: 'no such user' }
    const count = () => double.requests.filter(({ path }) => path.includes('/70/dnc/')).length
    await mautics.reports.add([{ ...report, reason: 'bounced' }])
    await mautics.idle()
    assert.equal(count(), 1)
    await post(id, changesOf(changeOf(address, 'bounced')), secret)
    // The other Mautics of these tests have the same list, and read it at some time.
    const source = `mautic ${id}`
    const suppressions = await suppressionsOf(address)
    assert.ok(suppressions.every((each: TestBody) => each.source !== source))
    await post(id, changesOf(changeOf(address, 'contactable')), secret)
    await mautics.reports.add([{ ...report, reason: 'bounced' }])
    await mautics.idle()
    assert.equal(count(), 2)
  })

  test('brings back what Mailyard has reported, also late, again and in bulk, and then is known to work', async () => {
    for (const version of ['5.1.0', '6.0.3', '7.0.0'] as const) {
      Object.assign(double.behaviour, { version, privateHosts: [] })
      double.data.hooks.clear()
      double.data.doNotContact = []
      double.data.pending = []
      const { id } = await connectWithWebhook()
      const { mautics } = shared.service.app
      const dateOf = async () =>
        (await ask('GET', `/api/mautics/${id}`)).body.mautic.status.webhook.dateLastChange
      for (const contactId of [81, 82, 83])
        await mautics.reports.add([
          {
            ...{ mauticId: id, contactId, emailId: 17, reason: 'bounced', comments: '550' },
            address: `c${contactId}@rcpt.test`,
          },
        ])
      await mautics.idle()
      // The other Mautics of these tests have the same list.
      assert.ok(double.data.pending.length >= 3)
      if (version === '7.0.0') {
        assert.deepEqual(await double.callWebhooks(), [], 'it calls no private address')
        assert.equal(await dateOf(), null)
        double.behaviour.privateHosts = ['127.0.0.1']
      }
      shared.clock.advance(3 * 3_600_000)
      assert.deepEqual(await double.callWebhooks({ isRepeated: true }), [200])
      assert.deepEqual(await double.callWebhooks(), [200])
      assert.notEqual(await dateOf(), null)
      const source = `mautic ${id}`
      const suppressions = await suppressionsOf('c81@rcpt.test')
      assert.ok(suppressions.every((each: TestBody) => each.source !== source))
      await ask('DELETE', `/api/mautics/${id}/delete`)
    }
    Object.assign(double.behaviour, { version: '5.1.0' })
  })
})
