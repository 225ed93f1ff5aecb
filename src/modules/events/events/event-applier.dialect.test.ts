import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { Transaction } from 'kysely'
import { useBrandUsers } from '../../../../test/brand-callers.ts'
import { addTransport, uniqueName } from '../../../../test/callers.ts'
import { logDeliveries } from '../../../../test/log-deliveries.ts'
import { addBrand, addMautic } from '../../../../test/mautics.ts'
import { onEachDatabase } from '../../../../test/on-each-database.ts'
import type { TestBody } from '../../../../test/test-app.ts'
import { until } from '../../../../test/until.ts'
import { type DeliveryRow, type DeliveryTables, notifier } from '../../../core/delivery/index.ts'
import type { TransportTables } from '../../../core/transports/index.ts'
import { emailKey } from '../../../kit/normalize-for-search.ts'
import type { ProviderEvent } from '../../../libraries/mailer/index.ts'
import { composeStatus } from '../mail/report-samples.case.test.ts'
import { type NewReceivedEvents, ReceivedEvents } from './received-events.ts'
import { neverDue, type ReceivedEventsTables } from './table.ts'

onEachDatabase(
  'an event of a provider',
  { config: { mailerFrom: 'news@example.com' } },
  (shared) => {
    const { ask, askFor } = shared
    const as = useBrandUsers(shared)
    let transportId = 0
    before(async () => {
      transportId = await addApi('SG.own')
    })

    const addApi = async (key: string, values: object = {}) => {
      const mailerDsn = `sendgrid+api://${key}@default`
      return (await addTransport(shared.service, { mailerDsn, ...values })).id
    }
    const tables = () => shared.service.app.storage.tables<DeliveryTables & ReceivedEventsTables>()
    /** Logs a delivery and returns it. */
    const log = async (values: Partial<DeliveryRow> = {}) => {
      const recipient = values.recipient ?? `${uniqueName('r')}@rcpt.test`
      const row = {
        recipient,
        recipient_key: emailKey(recipient),
        sender: 'news@brand.test',
        transport_id: transportId,
        transport: 'own',
        outcome: 'accepted' as const,
        provider_id: uniqueName('id'),
        message_id: `<${uniqueName('m')}@brand.test>`,
        started_at: shared.clock.now() - 1_000,
        ...values,
      }
      const [id = 0] = await logDeliveries(shared.service, [row])
      return { ...row, id }
    }
    const eventOf = (
      delivery: Pick<DeliveryRow, 'recipient' | 'provider_id'>,
      values: Partial<ProviderEvent> = {},
    ): ProviderEvent => ({
      type: 'bounced',
      recipient: delivery.recipient,
      providerId: delivery.provider_id,
      otherIds: [],
      at: shared.clock.now(),
      class: values.type === undefined || values.type === 'bounced' ? 'hard' : null,
      reason: '550 5.1.1 no such user',
      eventId: null,
      ...values,
    })
    const receive = async (
      events: readonly ProviderEvent[],
      values: Partial<NewReceivedEvents> = {},
      { app } = shared.service,
    ) => {
      const received = new ReceivedEvents(app.storage, shared.clock)
      const common = { transportId, provider: 'sendgrid', receivedAt: shared.clock.now() }
      await received.add(undefined, { ...common, events, ...values })
      received.notify()
    }
    const apply = async (
      events: readonly ProviderEvent[],
      values: Partial<NewReceivedEvents> = {},
    ) => {
      await receive(events, values)
      await idle()
    }
    const idle = () => shared.service.app.idle()
    const get = async (id: number): Promise<TestBody> =>
      (await ask('GET', `/api/deliveries/${id}`)).body
    const suppressionsOf = async (address: string): Promise<TestBody[]> =>
      (await ask('GET', `/api/suppressions?address=${address}`)).body.suppressions

    test('counts for the delivery with its id, suppresses the address, and can be undone', async () => {
      const delivery = await log()
      await apply([eventOf(delivery)])
      const shown = await get(delivery.id)
      assert.equal(shown.delivery.event, 'bounced')
      const [event] = shown.events
      assert.deepEqual(
        [event.type, event.class, event.reason, event.provider, event.source, event.isGuess],
        ['bounced', 'hard', '550 5.1.1 no such user', 'sendgrid', 'webhook', false],
      )
      const [suppression] = await suppressionsOf(delivery.recipient)
      assert.partialDeepStrictEqual(suppression, {
        reason: 'bounced',
        senderDomain: null,
        source: `delivery ${delivery.id}`,
        transportId,
        deliveryId: delivery.id,
      })
      await ask('POST', '/api/suppressions/delete', { deliveryId: delivery.id })
      assert.deepEqual(await suppressionsOf(delivery.recipient), [])
      // It was undone by a person: the same event does not suppress again.
      await apply([eventOf(delivery)])
      assert.deepEqual(await suppressionsOf(delivery.recipient), [])
    })

    test('counts once, however often it comes and in whatever order', async () => {
      const deliveries = [await log(), await log()]
      const events = deliveries.flatMap((delivery) => [
        eventOf(delivery, { type: 'complained' }),
        eventOf(delivery, { type: 'delivered' }),
        eventOf(delivery, { type: 'deferred', eventId: 'one' }),
        eventOf(delivery, { type: 'deferred', eventId: 'two' }),
        eventOf(delivery, { class: 'soft' }),
        eventOf(delivery),
      ])
      const before = await countsOf()
      await apply([...events, ...events.toReversed()])
      await apply(events.toReversed())
      const after = await countsOf()
      const added = ['delivered', 'deferred', 'bounced', 'complained'].map(
        (type) => (after.get(type) ?? 0) - (before.get(type) ?? 0),
      )
      assert.deepEqual(added, [2, 2, 2, 2])
      const shown = await get(deliveries[0]?.id ?? 0)
      assert.equal(shown.delivery.event, 'complained')
      assert.equal(shown.events.length, 6)
    })
    const countsOf = async (): Promise<Map<string, number>> => {
      const { body, text } = await ask('GET', '/api/deliveries/stats?by=event')
      assert.ok(body.series, text)
      return new Map(body.series.map(({ key, total }: TestBody) => [key, total]))
    }

    test('counts once if two processes apply it', async () => {
      const { app } = shared.service
      if (!app.storage.isShared) return
      const other = await shared.openAnother()
      const delivery = await log()
      const before = await countsOf()
      await Promise.all(
        [shared.service, other].flatMap((service) =>
          [1, 2, 3, 4].map(() => receive([eventOf(delivery)], {}, service)),
        ),
      )
      await Promise.all([idle(), other.app.idle()])
      assert.equal(((await countsOf()).get('bounced') ?? 0) - (before.get('bounced') ?? 0), 1)
      // What the next tests change in the first process would not count in this one.
      await other.app.drain(0)
    })

    test('is found by the Message-ID, with and without brackets', async () => {
      const [one, other] = [await log(), await log()]
      const ids = [one.message_id ?? '', (other.message_id ?? '').slice(1, -1)] as const
      await apply([
        eventOf(one, { providerId: null, otherIds: [ids[0]] }),
        eventOf(other, { providerId: ids[1], at: 1 }),
      ])
      for (const { id } of [one, other]) {
        const { events } = await get(id)
        assert.equal(events.length, 1)
        assert.partialDeepStrictEqual(events[0], { type: 'bounced', isGuess: false })
      }
    })

    test('is found whether its provider writes a domain in Unicode or in ASCII', async () => {
      const forms = ['jane@bücher.test', 'Jane@xn--bcher-kva.test']
      for (const [sent, reported] of [forms, forms.toReversed()] as [string, string][]) {
        const delivery = await log({ recipient: sent })
        await apply([eventOf({ ...delivery, recipient: reported })])
        assert.equal((await get(delivery.id)).delivery.event, 'bounced', sent)
        assert.equal((await suppressionsOf(sent)).length, 1)
      }
    })

    test('is found among hundreds of later messages to its recipient, by either id', async () => {
      const recipient = `${uniqueName('busy')}@rcpt.test`
      const started_at = shared.clock.now() - 60_000
      const [one, other] = [
        await log({ recipient, started_at }),
        await log({ recipient, started_at: started_at + 1 }),
      ]
      const transport_id = await addApi('SG.foreign')
      const outcome = 'accepted' as const
      const later = { outcome, started_at: shared.clock.now() }
      const foreign = { recipient, recipient_key: emailKey(recipient), transport_id, ...later }
      await logDeliveries(shared.service, Array(400).fill(foreign))
      await apply([
        eventOf(one),
        eventOf(other, { providerId: null, otherIds: [other.message_id ?? ''] }),
      ])
      for (const { id } of [one, other]) {
        const { events } = await get(id)
        assert.deepEqual([events.length, events[0].isGuess], [1, false])
      }
    })

    test('with what no database stores leaves the others of its request as they are', async () => {
      const delivery = await log()
      const broken = { recipient: 'a\0\ud800@rcpt.test', provider_id: 'b\0\ud800' }
      await apply([eventOf(broken), eventOf(delivery)])
      assert.equal((await get(delivery.id)).delivery.event, 'bounced')
    })

    test('is a guess by recipient and time, which is shown and suppresses nothing', async () => {
      const delivery = await log()
      await apply([eventOf(delivery, { providerId: 'of another message' })])
      const shown = await get(delivery.id)
      assert.deepEqual([shown.delivery.event, shown.events[0].isGuess], ['bounced', true])
      assert.deepEqual(await suppressionsOf(delivery.recipient), [])
      // What is known later counts in full.
      await apply([eventOf(delivery)])
      assert.equal((await get(delivery.id)).events.length, 2)
      assert.equal((await suppressionsOf(delivery.recipient)).length, 1)
    })

    test('counts only for transports that share the account of the webhook', async () => {
      const sharing = await log({ transport_id: await addApi('SG.own') })
      const foreign = await log({ transport_id: await addApi('SG.other') })
      await apply([eventOf(sharing), eventOf(foreign)])
      assert.equal((await get(sharing.id)).delivery.event, 'bounced')
      assert.equal((await get(foreign.id)).delivery.event, null)
      assert.deepEqual(await suppressionsOf(foreign.recipient), [])
    })

    test('counts for the last messages of a transport that was deleted, until this is erased', async () => {
      const deleted = await addApi('SG.own')
      const delivery = await log({ transport_id: deleted })
      await askFor('DELETE', `/api/multipleTransports/${deleted}/delete`)
      await apply([eventOf(delivery)])
      assert.equal((await get(delivery.id)).delivery.event, 'bounced')
      assert.equal((await suppressionsOf(delivery.recipient)).length, 1)
    })

    test('of a transport of a brand counts for its messages through its transports only', async () => {
      const [brand, other] = [await addBrand(shared.service), await addBrand(shared.service)]
      const addOf = (values: object) => addApi('SG.shared', values)
      const webhook = await addOf({ brand })
      const logOf = async (values: object, brand_id: number) =>
        log({ transport_id: await addOf(values), brand_id, outcome: 'uncertain' })
      const own = await logOf({ brand }, brand)
      const foreign = [
        await logOf({}, brand),
        await logOf({ brand: other }, other),
        // Of before the transport was moved.
        await logOf({ brand }, other),
        await log({ transport_id: webhook, outcome: 'uncertain' }),
      ]
      const events = [own, ...foreign].map((delivery) => eventOf(delivery))
      await apply(events, { transportId: webhook })
      assert.equal((await get(own.id)).delivery.event, 'bounced')
      const [suppression] = await suppressionsOf(own.recipient)
      assert.deepEqual([suppression.brand, suppression.senderDomain], [brand, null])
      for (const { id, recipient } of foreign) {
        const { outcome, event } = (await get(id)).delivery
        assert.deepEqual([outcome, event], ['uncertain', null])
        assert.deepEqual(await suppressionsOf(recipient), [])
      }
    })

    test('by mail of a caller with brands counts for messages of these only', async () => {
      const [brand, other] = [await addBrand(shared.service), await addBrand(shared.service)]
      const [own, ...foreign] = [
        await log({ brand_id: brand }),
        await log({ brand_id: other }),
        await log(),
      ]
      for (const { recipient, message_id: messageId } of [own, ...foreign]) {
        const failed = `Final-Recipient: rfc822; ${recipient}\nAction: failed\nStatus: 5.1.1`
        const report = composeStatus([failed]).replace('<order-1@shop.example>', messageId ?? '')
        const headers = { 'content-type': 'message/rfc822' }
        const options = { headers, ...(await as(brand)) }
        const answer = await ask('POST', '/api/events/message', report, options)
        assert.equal(answer.body.events?.[0]?.recipient, recipient, answer.text)
      }
      await idle()
      assert.equal((await get(own.id)).delivery.event, 'bounced')
      for (const { id, recipient } of foreign) {
        assert.equal((await get(id)).delivery.event, null)
        assert.deepEqual(await suppressionsOf(recipient), [])
      }
    })

    test('by mail counts for a Message-ID and its recipient only', async () => {
      const [named, unnamed] = [await log(), await log()]
      const ofMail = { transportId: null, provider: 'mail' }
      const ids = { providerId: null, otherIds: [named.message_id ?? ''] }
      await apply([eventOf(named, ids), eventOf(unnamed), eventOf(unnamed, ids)], ofMail)
      const { events } = await get(named.id)
      assert.deepEqual([events[0].source, events[0].provider], ['mail', 'mail'])
      assert.equal((await get(unnamed.id)).delivery.event, null)
    })

    test('by mail that only delays is kept once an hour, and one of no message is soon dropped', async () => {
      const delivery = await log()
      const ofMail = { transportId: null, provider: 'mail' }
      const delay = (eventId: string, otherIds = [delivery.message_id ?? '']) =>
        eventOf(delivery, { type: 'deferred', providerId: null, otherIds, eventId })
      const unknown = delay('e', ['<unknown@brand.test>'])
      await apply([delay('a'), delay('b'), delay('c'), unknown], ofMail)
      assert.equal((await get(delivery.id)).events.length, 1)
      shared.clock.advance(3_600_000)
      await apply([delay('d')], ofMail)
      assert.equal((await get(delivery.id)).events.length, 2)
      const left = await tables().selectFrom('received_events').select('events').execute()
      assert.ok(!left.some(({ events }) => events.includes('unknown@brand.test')))
    })

    test('is looked for again where the log is written later, and counted as unknown in the end', async () => {
      const recipient = `${uniqueName('late')}@rcpt.test`
      const late = { recipient, provider_id: uniqueName('late') }
      const never = { recipient: `${uniqueName('never')}@rcpt.test`, provider_id: 'never' }
      await apply([eventOf(late), eventOf(never)])
      const delivery = await log(late)
      for (const waitMs of [30_000, 300_000, 3_600_000]) {
        shared.clock.advance(waitMs + 1)
        await idle()
      }
      assert.equal((await get(delivery.id)).delivery.event, 'bounced')
      const left = await tables().selectFrom('received_events').selectAll().execute()
      assert.ok(!left.some(({ events }) => events.includes('never')))
    })

    /** The reasons and scopes of the suppressions of the recipients of deliveries. */
    const scopesOf = async (...deliveries: readonly Pick<DeliveryRow, 'recipient'>[]) => {
      const found = deliveries.map(({ recipient }) => suppressionsOf(recipient))
      return (await Promise.all(found))
        .flat()
        .map(({ reason, brand = null, senderDomain }) => [reason, brand, senderDomain])
    }

    test('of a complaint or an unsubscribe suppresses for the brand of the message, or else for the domain of the sender', async () => {
      const brand_id = await addBrand(shared.service)
      for (const [values, brand, senderDomain] of [
        [{}, null, 'brand.test'],
        [{ brand_id }, brand_id, null],
      ] as const) {
        const [complained, unsubscribed] = [await log(values), await log(values)]
        await apply([
          eventOf(unsubscribed, { type: 'unsubscribed' }),
          eventOf(complained, { type: 'unsubscribed' }),
        ])
        await apply([eventOf(complained, { type: 'complained' })])
        assert.deepEqual(await scopesOf(complained, unsubscribed), [
          ['complained', brand, senderDomain],
          ['unsubscribed', brand, senderDomain],
        ])
      }
    })

    test('of a bounce suppresses for the brand of the transport, by mail for that of the message, or else for all', async () => {
      const brand = await addBrand(shared.service)
      const own = await addApi('SG.brand', { brand })
      const ofBrand = { brand_id: brand, transport_id: own }
      const ofMail = { transportId: null, provider: 'mail' }
      for (const [values, received, expected] of [
        [{}, {}, null],
        [{ brand_id: brand }, {}, null],
        [ofBrand, { transportId: own }, brand],
        [{}, ofMail, null],
        [{ brand_id: brand }, ofMail, brand],
      ] as const) {
        const delivery = await log(values)
        const ids = { providerId: null, otherIds: [delivery.message_id ?? ''] }
        await apply([eventOf(delivery, received === ofMail ? ids : {})], received)
        assert.deepEqual(await scopesOf(delivery), [['bounced', expected, null]])
      }
    })

    test('suppresses nothing if it is soft, or only delays', async () => {
      const delivery = await log()
      await apply([
        eventOf(delivery, { class: 'soft' }),
        eventOf(delivery, { type: 'deferred' }),
        eventOf(delivery, { type: 'rejected' }),
      ])
      assert.deepEqual(await suppressionsOf(delivery.recipient), [])
    })

    /** A Mautic with a contact and an email, and what a delivery has of them. */
    const addWithContact = async () => {
      const recipient = `${uniqueName('c')}@rcpt.test`
      const records = { emails: [17], contacts: { 9: { email: recipient } } }
      const mautic = await addMautic(shared.service, records)
      const { id: mautic_id, brand: brand_id } = mautic
      const ofMautic = { recipient, mautic_id, brand_id, contact_id: 9, email_id: 17 }
      return { mautic, recipient, ofMautic }
    }

    test('suppresses nothing where a caller of a Mautic wrote the DSN, and is reported to that Mautic', async () => {
      const { mautic, recipient, ofMautic } = await addWithContact()
      const own = await addApi('SG.public', { brand: mautic.brand })
      const transports = shared.service.app.storage.tables<TransportTables>()
      const update = transports.updateTable('transports').set({ is_public_only: true })
      await update.where('id', '=', own).execute()
      const delivery = await log({ ...ofMautic, transport_id: own })
      await apply([eventOf(delivery)], { transportId: own })
      assert.deepEqual(await suppressionsOf(recipient), [])
      const [entry, ...others] = mautic.double.data.doNotContact
      const { lead_id, reason, channel_id, comments } = entry
      const expected = ['9', '2', '17', '550 5.1.1 no such user']
      assert.deepEqual([lead_id, reason, channel_id, comments], expected)
      assert.deepEqual(others, [])
    })

    test('reports a complaint to the Mautic whose message it was', async () => {
      const { mautic, ofMautic } = await addWithContact()
      const delivery = await log(ofMautic)
      await apply([eventOf(delivery, { type: 'complained', reason: null })])
      const [entry] = mautic.double.data.doNotContact
      assert.deepEqual([entry?.lead_id, entry?.reason, entry?.channel_id], ['9', '1', '17'])
      assert.match(entry?.comments ?? '', /reported it as spam/)
    })

    test('is published to webhooks that ask for it, with what its outcome tells; not that of an alert', async () => {
      const events = ['delivery.bounced']
      const webhook = { name: 'Shop', url: 'http://127.0.0.1:1/', events }
      const { id } = (await ask('POST', '/api/webhooks/new', webhook)).body.webhook
      const [bounced, alert] = [
        await log({ contact_id: 3, email_id: 4 }),
        await log({ source: 'smtp', caller: notifier.name }),
      ]
      await apply([eventOf(alert), eventOf(bounced)])
      const { messages, total } = (await ask('GET', `/api/webhooks/${id}/messages`)).body
      const { type, data } = JSON.parse(messages[0].body)
      assert.deepEqual([total, type], [1, 'delivery.bounced'])
      assert.deepEqual(
        [data.deliveryId, data.recipient, data.contactId, data.emailId, data.outcome],
        [bounced.id, bounced.recipient, 3, 4, 'accepted'],
      )
      assert.deepEqual(
        [data.class, data.provider, data.reason],
        ['hard', 'sendgrid', '550 5.1.1 no such user'],
      )
      await ask('DELETE', `/api/webhooks/${id}/delete`)
    })

    test('settles an uncertain delivery as accepted: the provider has it', async () => {
      const [uncertain, guessed] = [
        await log({ outcome: 'uncertain' }),
        await log({ outcome: 'uncertain' }),
      ]
      await apply([
        eventOf(uncertain, { type: 'delivered' }),
        eventOf(guessed, { type: 'delivered', providerId: 'of another message' }),
      ])
      const { delivery } = await get(uncertain.id)
      assert.deepEqual([delivery.outcome, delivery.event], ['accepted', 'delivered'])
      assert.equal((await get(guessed.id)).delivery.outcome, 'uncertain')
    })

    test('of a message in flight waits for its outcome, which it settles if that is uncertain', async () => {
      const delivery = await log({ outcome: 'started', provider_id: null })
      const ids = { providerId: null, otherIds: [delivery.message_id ?? ''] }
      await apply([eventOf(delivery, { type: 'delivered', ...ids })])
      assert.deepEqual((await get(delivery.id)).events, [])
      await tables()
        .updateTable('deliveries')
        .set({ outcome: 'uncertain' })
        .where('id', '=', delivery.id)
        .execute()
      shared.clock.advance(30_001)
      await idle()
      const { outcome, event } = (await get(delivery.id)).delivery
      assert.deepEqual([outcome, event], ['accepted', 'delivered'])
    })

    test('of one transport does not wait for the many of another one', async () => {
      const { storage } = shared.service.app
      const otherId = await addApi('SG.patient')
      const [busy, patient] = [await log(), await log({ transport_id: otherId })]
      const received = new ReceivedEvents(storage, shared.clock)
      const common = { provider: 'sendgrid', receivedAt: shared.clock.now() }
      await storage.transaction(async (tx: Transaction<object>) => {
        for (let index = 0; index < 40; index += 1) {
          const events = [eventOf(busy, { type: 'deferred', eventId: `${index}` })]
          await received.add(tx, { ...common, transportId, events })
        }
        await received.add(tx, { ...common, transportId: otherId, events: [eventOf(patient)] })
      })
      received.notify()
      await idle()
      const first = (await get(patient.id)).events[0].id
      const later = (await get(busy.id)).events.filter(({ id }: TestBody) => id > first)
      assert.ok(later.length > 20, `${later.length} of 40 are applied later`)
    })

    test('that fails while it is applied is neither lost nor counted twice', async () => {
      const { app } = shared.service
      const delivery = await log()
      const add = app.suppressions.add.bind(app.suppressions)
      let isBroken = true
      app.suppressions.add = async (...inputs) => {
        const added = await add(...inputs)
        if (isBroken) throw new Error('Broken.')
        return added
      }
      const before = await countsOf()
      await receive([eventOf(delivery)])
      await idle()
      assert.equal((await get(delivery.id)).events.length, 0)
      isBroken = false
      shared.clock.advance(301_000)
      await idle()
      app.suppressions.add = add
      assert.equal((await suppressionsOf(delivery.recipient)).length, 1)
      assert.equal((await countsOf()).get('bounced'), (before.get('bounced') ?? 0) + 1)
    })

    test('that cannot be applied for three days is given up, found, and tried again at the next start', async () => {
      const { app } = shared.service
      const delivery = await log()
      const add = app.suppressions.add.bind(app.suppressions)
      app.suppressions.add = async () => {
        throw new Error('Broken.')
      }
      const finding = async () => {
        const { findings } = (await ask('GET', '/api/health/findings')).body
        return findings.find(({ check }: TestBody) => check === 'events that fail')?.detail
      }
      await receive([eventOf(delivery)])
      await idle()
      assert.equal(await finding(), undefined)
      shared.clock.advance(3 * 86_400_000)
      await idle()
      assert.match(await finding(), /^Requests with events that could not .* three days: \d of /)
      app.suppressions.add = add
      shared.clock.advance(86_400_000)
      await idle()
      assert.equal((await get(delivery.id)).events.length, 0)
      const other = await shared.openAnother()
      await until(
        async () => (await get(delivery.id)).events.length === 1,
        'another one applies it',
      )
      await other.app.idle()
      assert.equal(await finding(), undefined)
    })

    test('that was given up is deleted after 30 days, also where the process goes on', async () => {
      const givenUp = { transport_id: transportId, provider: 'sendgrid', due_at: neverDue }
      const row = { ...givenUp, received_at: shared.clock.now(), attempts: 0 }
      await tables()
        .insertInto('received_events')
        .values({ ...row, events: '[]', size: 2 })
        .execute()
      const count = async () =>
        (await tables().selectFrom('received_events').select('id').execute()).length
      shared.clock.advance(29 * 86_400_000)
      await idle()
      assert.equal(await count(), 1)
      shared.clock.advance(2 * 86_400_000)
      await idle()
      assert.equal(await count(), 0)
    })
  },
)
