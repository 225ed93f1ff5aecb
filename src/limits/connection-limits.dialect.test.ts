import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { addEmail, addTransport, uniqueName } from '../../test/callers.ts'
import { onEachDatabase, type SharedApp } from '../../test/on-each-database.ts'
import { type RecordingSink, startRecordingSink } from '../../test/recording-sink.ts'
import type { TestApp, TestBody } from '../../test/test-app.ts'

const define = (shared: SharedApp) => {
  let sink: RecordingSink | undefined
  let other: TestApp
  before(async () => {
    other = await shared.openAnother()
  })
  after(() => sink?.stop())

  const post = async (path: string, body: unknown): Promise<TestBody> => {
    const answer = await shared.service.ask('POST', path, body)
    assert.ok(answer.status < 300, answer.text)
    return answer.body
  }
  /** Returns functions that send an email through one of two transports with a limit, in one of two processes. */
  const limited = async (connectionsMax: number) => {
    await sink?.stop()
    sink = await startRecordingSink(20)
    const transports: number[] = []
    const emails: number[] = []
    for (let count = 0; count < 2; count++) {
      const { id: transportId } = await addTransport(shared.service, { mailerDsn: sink.dsn })
      const { id } = await addEmail(shared.service, { plainText: 'Hello' })
      await post(`/api/multipleTransport/transportEmail/${id}`, { transportId })
      transports.push(transportId)
      emails.push(id)
    }
    const limit = { name: uniqueName('limit'), transports, connectionsMax }
    const { id: limitId } = (await post('/api/limits/new', limit)).limit
    await other.app.limiter.reload()
    const email = `${uniqueName('to')}@example.com`
    const { contact } = await post('/api/contacts/new', { email })
    const sends = [shared.service, other].flatMap((service) =>
      emails.map((id) => async () => {
        const path = `/api/emails/${id}/contact/${contact.id}/send`
        assert.deepEqual((await service.ask('POST', path, {})).body, { success: true })
      }),
    )
    return { sink, limitId, sends }
  }

  test('gives the idle connection of one transport or process to the next that needs it', async () => {
    const { sink, sends, limitId } = await limited(1)
    for (const send of sends) await send()
    assert.equal(sink.connections.most, 1)
    const { usage } = (await shared.service.ask('GET', `/api/limits/${limitId}`)).body.limit
    assert.equal(usage.connections.max, 1)
    assert.ok(usage.connections.used <= 1)
  })
}

onEachDatabase(
  'a limit of connections that two transports and two processes share',
  {
    isConcurrent: true,
    // A send that is not answered in time is stored.
    config: { smtpWaitSeconds: 600 },
  },
  define,
)
