import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addTransport, uniqueName } from '../../../../test/callers.ts'
import { useMailCatcher } from '../../../../test/mail-catcher.ts'
import { onMailyard } from '../../../../test/on-each-database.ts'
import { brakedGroup } from '../../../../test/queue/braked-group.ts'
import { createSendFixture } from '../../../../test/send-fixture.ts'
import { dialAs } from '../../../../test/smtp-dialogue.ts'
import { until } from '../../../../test/until.ts'
import type { QueueTables } from '../../../core/queue/table.ts'

onMailyard('metrics', { isOwn: true }, (shared) => {
  const catcher = useMailCatcher()
  const fixture = createSendFixture(() => shared.service)

  const scrape = async () => {
    const answer = await shared.ask('GET', '/metrics', undefined, { as: 'anonymous' })
    assert.equal(answer.status, 200, answer.text)
    return answer.text
  }
  /** The value of a series, written as in the text; undefined if it is not there. */
  const readValue = async (series: string) => {
    const line = (await scrape()).split('\n').find((each) => each.startsWith(`${series} `))
    return line === undefined ? undefined : Number(line.slice(series.length + 1))
  }
  const post = async (path: string, body: unknown) => {
    const answer = await shared.ask('POST', path, body)
    assert.ok(answer.status < 300, `${path}: ${answer.status} ${answer.text}`)
    return answer.body
  }

  test('count deliveries by transport, outcome and source, and never name a recipient', async () => {
    const { id, name } = await addTransport(shared.service, { mailerDsn: catcher.dsn })
    const person = uniqueName('person')
    const withheld = `withheld-${person}@example.com`
    await post('/api/suppressions/new', { address: withheld, reason: 'bounced' })
    await fixture.sendTo(await fixture.email(id), [
      `${person}@example.com`,
      `refuse-450-${person}@example.com`,
      `refuse-550-${person}@example.com`,
      withheld,
    ])
    const transport = `transport="${name} (${id})"`
    const counted = async (outcome: string, source: string) =>
      readValue(`mailyard_deliveries_total{${transport},outcome="${outcome}",source="${source}"}`)
    for (const outcome of ['accepted', 'deferred', 'refused'])
      assert.equal(await counted(outcome, 'api'), 1)
    const unattempted = (outcome: string) =>
      readValue(`mailyard_deliveries_total{transport="none",outcome="${outcome}",source="api"}`)
    assert.equal(await unattempted('suppressed'), 1)
    const { changed } = await post('/api/queue/cancel', { recipient: `refuse-450-${person}*` })
    assert.equal(changed, 1)
    assert.equal(await unattempted('cancelled'), 1)
    assert.equal(await readValue(`mailyard_attempt_duration_seconds_count{${transport}}`), 3)
    assert.equal(await readValue(`mailyard_transport_up{${transport}}`), 1)
    assert.doesNotMatch(await scrape(), new RegExp(person))
  })

  test('count messages and open connections of the SMTP server', async () => {
    const { id, name } = await addTransport(shared.service, { mailerDsn: catcher.dsn })
    const { port = 0 } = await shared.service.openSmtpServer()
    const client = await dialAs(port)
    const raw = `X-Mailyard-Transport: ${name}\r\nSubject: s\r\n\r\nHello\r\n`
    assert.match(await client.hand({ to: ['a@b.test', 'c@d.test'], raw }), /^250 /)
    const labels = `transport="${name} (${id})",outcome="accepted",source="smtp"`
    assert.equal(await readValue(`mailyard_deliveries_total{${labels}}`), 2)
    assert.equal(await readValue('mailyard_smtp_connections'), 1)
    client.end()
    await client.ended
    await until(async () => (await readValue('mailyard_smtp_connections')) === 0, 'it is closed')
  })

  test('show a transport as down while its server fails, until it is changed', async () => {
    const { id, name } = await addTransport(shared.service, { mailerDsn: 'smtp://127.0.0.1:1' })
    const up = `mailyard_transport_up{transport="${name} (${id})"}`
    assert.equal(await readValue(up), undefined, 'it has not been used')
    await fixture.sendTo(await fixture.email(id), [`${uniqueName('down')}@example.com`])
    assert.equal(await readValue(up), 0)
    shared.clock.advance(1_000)
    const edit = { mailerDsn: catcher.dsn }
    await shared.ask('PATCH', `/api/multipleTransports/${id}/edit`, edit)
    // Values that took long to read are kept for twenty times as long, up to a minute.
    shared.clock.advance(60_000)
    assert.equal(await readValue(up), undefined, 'its state is forgotten')
  })

  test('show what is left of each window of a limit, for any process', async () => {
    const { id: transportId } = await addTransport(shared.service, { mailerDsn: catcher.dsn })
    const name = uniqueName('limit')
    const values = { name, transports: [transportId], perHour: 100, perDay: 3 }
    const { limit } = await post('/api/limits/new', values)
    const left = (window: string) =>
      readValue(`mailyard_limit_remaining{limit="${name} (${limit.id})",window="${window}"}`)
    shared.clock.advance(60_000)
    assert.deepEqual([await left('hour'), await left('day')], [100, 3])
    const addresses = ['a', 'b', 'c'].map((each) => `${each}-${name}@example.com`)
    await fixture.sendTo(await fixture.email(transportId), addresses)
    shared.clock.advance(60_000)
    assert.equal(await left('day'), 0)
  })

  test('count requests by the pattern of their route', async () => {
    const requests = (route: string, status: number) =>
      readValue(`mailyard_http_requests_total{method="GET",route="${route}",status="${status}"}`)
    const before = (await requests('/api/emails/:id', 404)) ?? 0
    for (const id of ['987654', '987655']) await shared.ask('GET', `/api/emails/${id}`)
    await shared.ask('GET', '/unknown-987654')
    assert.equal(await requests('/api/emails/:id', 404), before + 2)
    assert.ok(((await requests('unknown', 404)) ?? 0) > 0)
    assert.doesNotMatch(await scrape(), /="[^"]*98765/)
  })

  test('count the durations of all requests, of any number between two scrapes', async () => {
    const duration = 'mailyard_http_request_duration_seconds_count'
    const known = (await readValue(duration)) ?? 0
    const one = { method: 'GET', routeOptions: { url: '/many' }, statusCode: 200, elapsedTime: 3 }
    const { answered } = shared.service.app
    for (let count = 0; count < 2_500; count += 1) answered.tell(one as never, one as never)
    assert.equal(await readValue(duration), known + 2_501)
  })

  test('count what brakes hold', async () => {
    const db = shared.service.app.storage.tables<QueueTables>()
    const groups = ['a.test', 'b.test', 'c.test'].map((domain, index) => ({
      ...brakedGroup,
      sender_domain: domain,
      transport_id: -1,
      braked_at: index === 0 ? null : 1,
    }))
    await db.insertInto('queue_brakes').values(groups).execute()
    shared.clock.advance(60_000)
    assert.equal(await readValue('mailyard_brakes'), 2)
  })
})
