import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type MailCatcher, startMailCatcher } from '../../test/mail-catcher.ts'
import { onEachDatabase } from '../../test/on-each-database.ts'
import { AppError } from '../kit/app-error.ts'
import { createLog } from '../kit/log.ts'
import { createMailer, type Transport } from '../mailer/index.ts'
import { startScriptedServer } from '../mailer/testing/smtp-server.case.test.ts'
import type { Storage } from '../storage/index.ts'
import { createDeliver, type Dispatch } from './deliver.ts'
import { openJournal } from './journal/journal.ts'
import { type Outlets, openOutlets } from './outlets/outlets.ts'
import type { DeliveryTables } from './table.ts'

onEachDatabase('a message that is delivered', (shared) => {
  let catcher: MailCatcher
  let transport: Transport
  before(async () => {
    catcher = await startMailCatcher()
    transport = createMailer().open(catcher.dsn)
  })
  after(async () => {
    await transport.close()
    await catcher.stop()
  })

  const open = (storage: Storage) => {
    const outlet = {
      transportId: null,
      name: 'default',
      send: transport.send.bind(transport),
      transport,
    }
    return createDeliver({
      journal: openJournal({ storage, clock: { now: () => 1_000 }, processId: 'test' }),
      outlets: { open: async () => outlet, close: async () => undefined },
      stopping: new AbortController().signal,
      log: createLog('silent'),
    })
  }
  const dispatch = (address: string): Dispatch => ({
    source: 'smtp',
    caller: 'tests',
    emailId: null,
    contactId: null,
    sendingId: null,
    messageId: null,
    requestHash: null,
    message: {
      envelope: { from: 'a@b.test', to: [address] },
      raw: Buffer.from('Subject: disk\r\n\r\nHello\r\n'),
    },
    way: { exit: { kind: 'default' }, trace: [] },
    keysOf: (to) => ({ messageKey: `message to ${to}`, bulkKey: null }),
  })
  const deliveriesTo = (address: string) => {
    const db = shared.yard.app.storage.tables<DeliveryTables>()
    const query = db.selectFrom('deliveries').selectAll().where('recipient', '=', address)
    return query.orderBy('id').execute()
  }

  test('is not sent where its beginning does not reach the disk, is listed so, and may be tried again', async () => {
    const { storage } = shared.yard.app
    const full = new AppError('upstream', 'database', 'The disk is full.')
    const failing = { ...storage, reachDisk: () => Promise.reject(full) }
    const { result } = await open(failing)(dispatch('ann@disk.test'))
    assert.deepEqual([result?.outcome, result?.isRetrySafe], ['refused', true])
    assert.equal(catcher.mails.length, 0)
    const [row] = await deliveriesTo('ann@disk.test')
    assert.equal(row?.outcome, 'refused')
    assert.match(row?.reason ?? '', /The disk is full/)

    const again = await open(storage)(dispatch('ann@disk.test'))
    assert.equal(again.result?.outcome, 'accepted')
    assert.deepEqual(
      catcher.mails.map(({ to }) => to),
      [['ann@disk.test']],
    )
  })

  const storedOutlets = (send: Transport['send'], findRow: () => Promise<never>) =>
    openOutlets({
      mailer: { open: () => ({ ...transport, send, close: async () => undefined }) } as never,
      transports: { dsnOf: async () => catcher.dsn, findRow } as never,
      defaultDsn: undefined,
      log: createLog('silent'),
    })
  const byRow = { exit: { kind: 'transport', row: { id: 5, name: 'row', mailer_dsn: 'sealed' } } }
  const deliverBy = (outlets: Outlets, stopping = new AbortController().signal) =>
    createDeliver({
      journal: openJournal({
        storage: shared.yard.app.storage,
        clock: { now: () => 1_000 },
        processId: 'test',
      }),
      outlets,
      stopping,
      log: createLog('silent'),
    })

  test('is refused, not left begun, where its transport was changed and cannot be opened again', async () => {
    const closed = createMailer().open(catcher.dsn)
    await closed.close()
    const gone = new AppError('upstream', 'database', 'The database is gone.')
    const deliver = deliverBy(storedOutlets(closed.send.bind(closed), () => Promise.reject(gone)))
    const { result } = await deliver({
      ...dispatch('ann@changed.test'),
      way: { ...byRow, trace: [] } as never,
    })
    assert.deepEqual([result?.outcome, result?.fault?.code], ['refused', 'transport_closed'])
    assert.equal((await deliveriesTo('ann@changed.test'))[0]?.outcome, 'refused')
  })

  test('is in doubt where its transport throws, which it should not', async () => {
    const deliver = deliverBy(
      storedOutlets(
        () => Promise.reject(new Error('a fault of ours')),
        () => Promise.reject(new Error('not asked for')),
      ),
    )
    const { result } = await deliver({
      ...dispatch('ann@throws.test'),
      way: { ...byRow, trace: [] } as never,
    })
    assert.equal(result?.outcome, 'uncertain')
    assert.equal((await deliveriesTo('ann@throws.test'))[0]?.outcome, 'uncertain')
  })

  test('is told as in doubt when Mailyard stops and its server is still silent', async () => {
    const server = await startScriptedServer({ script: { dot: { end: 'hang' } } })
    const silentOne = createMailer().open(`smtp://127.0.0.1:${server.port}`)
    const stopping = new AbortController()
    const outlets = storedOutlets(silentOne.send.bind(silentOne), () => Promise.reject(new Error()))
    const delivered = deliverBy(
      outlets,
      stopping.signal,
    )({ ...dispatch('ann@silent.test'), way: { ...byRow, trace: [] } as never })
    while (server.received.length === 0) await new Promise((passed) => setTimeout(passed, 10))
    stopping.abort()
    assert.equal((await delivered).result?.outcome, 'uncertain')
    assert.equal((await deliveriesTo('ann@silent.test'))[0]?.outcome, 'uncertain')
    await silentOne.close()
    await server.close()
  })

  test('leaves once its beginning is on the disk, and not before', async () => {
    const { storage } = shared.yard.app
    const { promise, resolve } = Promise.withResolvers<void>()
    const slow = { ...storage, reachDisk: () => promise }
    const before = catcher.mails.length
    const delivered = open(slow)(dispatch('bob@disk.test'))
    await new Promise((passed) => setTimeout(passed, 100))
    assert.equal((await deliveriesTo('bob@disk.test'))[0]?.outcome, 'started')
    assert.equal(catcher.mails.length, before)
    resolve()
    assert.equal((await delivered).result?.outcome, 'accepted')
    assert.equal(catcher.mails.length, before + 1)
    assert.equal((await deliveriesTo('bob@disk.test'))[0]?.outcome, 'accepted')
  })
})
