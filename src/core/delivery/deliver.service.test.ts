import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { useMailCatcher } from '../../../test/mail-catcher.ts'
import { clockAt } from '../../../test/movable-clock.ts'
import { onMailyard } from '../../../test/on-each-database.ts'
import { until } from '../../../test/until.ts'
import { AppError } from '../../kit/app-error.ts'
import { createLog } from '../../kit/log.ts'
import { createMailer, type Transport } from '../../libraries/mailer/index.ts'
import { startScriptedServer } from '../../libraries/mailer/testing/smtp-server.case.test.ts'
import type { Storage } from '../../platform/storage/index.ts'
import { Limiter } from '../limits/index.ts'
import { Deliverer, type DeliverReport, type DeliverRequest } from './deliver.ts'
import { openDeliveryLog } from './log/delivery-log.ts'
import type { DeliveryTables } from './table.ts'
import { TransportPool } from './transport-pool.ts'
import { TransportThrottles } from './transport-throttle.ts'

onMailyard('a message that is delivered', (shared) => {
  const catcher = useMailCatcher()
  let transport: Transport
  before(async () => {
    transport = createMailer().open(catcher.dsn)
  })
  after(() => transport.close())

  const throttles = new TransportThrottles({
    clock: clockAt(1_000),
    random: () => 0.5,
    log: createLog('silent'),
  })
  const openDeliverer = (
    storage: Storage,
    transportPool: Pick<TransportPool, 'open' | 'close'>,
  ) => {
    const clock = clockAt(1_000)
    const log = createLog('silent')
    return new Deliverer({
      installation: { problem: undefined },
      transportPool,
      limiter: new Limiter({ storage, clock, log }),
      throttles,
      deliveryLog: openDeliveryLog({ storage, clock, processId: 'test', log }),
      findSuppressions: async () => new Map(),
      bounces: { record: async () => [], close: async () => undefined },
      mauticReporter: {
        noteSender: () => undefined,
        reportSuppressed: async () => undefined,
        close: async () => undefined,
      },
      clock,
      log,
      repeatMs: 0,
    })
  }
  const open = (storage: Storage) => {
    const openTransport = {
      transportId: null,
      name: 'default',
      hasReturnPath: false,
      send: transport.send.bind(transport),
      transport,
    }
    return openDeliverer(storage, { open: async () => openTransport, close: async () => undefined })
  }
  const request = (address: string): DeliverRequest => ({
    source: 'smtp',
    caller: 'tests',
    mauticId: undefined,
    brand: 0,
    emailId: null,
    contactId: null,
    messageId: null,
    requestHash: null,
    envelope: { from: 'a@b.test', to: [address] },
    subject: 'disk',
    compose: () => ({ raw: Buffer.from('Subject: disk\r\n\r\nHello\r\n'), subject: 'disk' }),
    route: { target: { kind: 'default' }, trace: [] },
    keysOf: (to) => ({ messageKey: `message to ${to}`, bulkKey: null }),
  })
  const resultOf = async (delivered: Promise<DeliverReport>) => (await delivered).sent[0]?.result
  const deliveriesTo = (address: string) => {
    const db = shared.service.app.storage.tables<DeliveryTables>()
    const query = db.selectFrom('deliveries').selectAll().where('recipient', '=', address)
    return query.orderBy('id').execute()
  }

  test('is not sent if its start cannot be flushed; it is listed as deferred and may be retried', async () => {
    const { storage } = shared.service.app
    const full = new AppError('upstream', 'database', 'The disk is full.')
    const failing = { ...storage, flush: () => Promise.reject(full) }
    const result = await resultOf(open(failing).deliver(request('ann@disk.test')))
    assert.deepEqual([result?.outcome, result?.isRetrySafe], ['refused', true])
    assert.equal(catcher.mails.length, 0)
    const [row] = await deliveriesTo('ann@disk.test')
    assert.equal(row?.outcome, 'deferred')
    assert.match(row?.reason ?? '', /The disk is full/)

    const again = await resultOf(open(storage).deliver(request('ann@disk.test')))
    assert.equal(again?.outcome, 'accepted')
    const sentTo = catcher.mails.map(({ to }) => to)
    assert.deepEqual(sentTo, [['ann@disk.test']])
  })

  test('is listed with what its refusal is about, and without that when it was accepted', async () => {
    const classOf = async (address: string) => {
      await open(shared.service.app.storage).deliver(request(address))
      return (await deliveriesTo(address))[0]?.class
    }
    assert.deepEqual(
      [await classOf('refuse-550@class.test'), await classOf('refuse-554@class.test')],
      ['address', 'policy'],
    )
    assert.equal(await classOf('ann@class.test'), null)
  })

  const storedTransports = (send: Transport['send'], findRow: () => Promise<never>) =>
    new TransportPool({
      mailer: { open: () => ({ ...transport, send, close: async () => undefined }) } as never,
      publicMailer: undefined as never,
      transports: { dsnOf: async () => catcher.dsn, findRow } as never,
      defaultDsn: undefined,
      log: createLog('silent'),
    })
  const row = { id: 5, name: 'row', mailer_dsn: 'sealed', brand_id: 0 }
  const byRow = { target: { kind: 'transport', row } }
  const requestBy = (address: string) =>
    ({ ...request(address), route: { ...byRow, trace: [] } }) as unknown as DeliverRequest
  const deliverBy = (transportPool: TransportPool) =>
    openDeliverer(shared.service.app.storage, transportPool)

  test('is deferred, not left as started, if its transport was changed and cannot be opened', async () => {
    const closed = createMailer().open(catcher.dsn)
    await closed.close()
    const gone = new AppError('upstream', 'database', 'The database is lost.')
    const deliverer = deliverBy(
      storedTransports(closed.send.bind(closed), () => Promise.reject(gone)),
    )
    const result = await resultOf(deliverer.deliver(requestBy('ann@changed.test')))
    assert.deepEqual([result?.outcome, result?.fault?.code], ['refused', 'transport_closed'])
    assert.equal((await deliveriesTo('ann@changed.test'))[0]?.outcome, 'deferred')
  })

  test('is uncertain if its transport throws', async () => {
    const deliverer = deliverBy(
      storedTransports(
        () => Promise.reject(new Error('a fault of ours')),
        () => Promise.reject(new Error('not asked for')),
      ),
    )
    const result = await resultOf(deliverer.deliver(requestBy('ann@throws.test')))
    assert.equal(result?.outcome, 'uncertain')
    assert.equal((await deliveriesTo('ann@throws.test'))[0]?.outcome, 'uncertain')
  })

  test('is reported as uncertain if Mailyard stops before the server replies', async () => {
    const server = await startScriptedServer({ script: { dot: { end: 'hang' } } })
    const silentOne = createMailer().open(`smtp://127.0.0.1:${server.port}`)
    const transportPool = storedTransports(silentOne.send.bind(silentOne), () =>
      Promise.reject(new Error()),
    )
    const deliverer = deliverBy(transportPool)
    const delivered = deliverer.deliver(requestBy('ann@silent.test'))
    await until(() => server.received.length > 0, 'the server has the message')
    await deliverer.cancel()
    assert.equal((await resultOf(delivered))?.outcome, 'uncertain')
    assert.equal((await deliveriesTo('ann@silent.test'))[0]?.outcome, 'uncertain')
    await silentOne.close()
    await server.close()
  })

  test('is sent only after its start is flushed', async () => {
    const { storage } = shared.service.app
    const [begun, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const flush = () => {
      begun.resolve()
      return ended.promise
    }
    const before = catcher.mails.length
    const delivered = open({ ...storage, flush }).deliver(request('bob@disk.test'))
    await begun.promise
    assert.equal((await deliveriesTo('bob@disk.test'))[0]?.outcome, 'started')
    // A message that does not wait for the flush arrives meanwhile.
    await setTimeout(100)
    assert.equal(catcher.mails.length, before)
    ended.resolve()
    assert.equal((await resultOf(delivered))?.outcome, 'accepted')
    assert.equal(catcher.mails.length, before + 1)
    assert.equal((await deliveriesTo('bob@disk.test'))[0]?.outcome, 'accepted')
  })
})
