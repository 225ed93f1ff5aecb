import assert from 'node:assert/strict'
import { test } from 'node:test'
import { defaultIntervals } from '../../src/core/delivery/intervals.ts'
import type { TestBody } from '../test-app.ts'
import { dumpedAt, onDump } from './load-dump.ts'

const minuteMs = 60_000
const intervals = { ...defaultIntervals, heartbeatMs: 100, expireAfterMs: 1_000 }
const startedAt = dumpedAt - 2 * minuteMs

const deleted = {
  id: 77,
  is_published: 1,
  date_added: startedAt,
  date_modified: null,
  created_by: 'Admin',
  created_by_id: 1,
  modified_by: null,
  modified_by_id: null,
  revision: 1,
  search_text: 'gone',
  email: 'gone@example.com',
  email_key: 'gone@example.com',
  owner_id: null,
  points: 0,
  field_values: '{}',
  tags: '[]',
  segments: '["news"]',
}

/** An attempt of the broadcast 2 to a contact, which the log has. */
const attempt = (contact: number, outcome: string) => `
  insert into deliveries (started_at, source, caller, email_id, contact_id, broadcast_id, sender, recipient, recipient_key,
      transport_id, transport, outcome, process_id, trace)
    select ${startedAt}, 'broadcast', 'Admin', 2, contact_id, broadcast_id, 'news@brand.example', address, address_key,
      2, 'Closed', '${outcome}', 'killed', '[]' from queue_recipients where contact_id = ${contact} and broadcast_id = 2;
  insert into delivery_keys (key, kind, delivery_id, started_at)
    select 'email 2.0 contact ${contact}', 'bulk', max(id), ${startedAt} from deliveries;`

/**
 * Of the broadcast 2, a process was killed during an attempt, the outcome of another one is uncertain, and one recipient is held.
 * Some counts are folded, and a contact of a segment is deleted.
 */
const interrupted = `
  insert into delivery_processes (id, seen_at) values ('killed', ${startedAt});
  ${attempt(5, 'started')}
  update queue_recipients set state = 'claimed', claimed_by = 'killed' where contact_id = 5;
  ${attempt(6, 'uncertain')}
  update queue_recipients set state = 'uncertain' where contact_id = 6;
  update queue_recipients set state = 'held' where contact_id = 4 and broadcast_id = 2;
  update broadcasts set uncertain = 1 where id = 2;
  insert into delivery_counts (transport_id, span_ms, started_at, source, outcome, count)
    select place, span, started_at - started_at % span, source, outcome, sum(change)
    from (select *, transport_id as place from delivery_count_changes
      union all select *, -2 as place from delivery_count_changes) as changes,
      (select ${minuteMs} as span union all select ${60 * minuteMs} as span) as spans
    where id < 5 group by 1, 2, 3, 4, 5;
  delete from delivery_count_changes where id < 5;
  insert into deleted_records (kind, id, name, search_text, is_published, date_deleted, deleted_by, record, related)
    values ('contacts', 77, 'gone@example.com', 'gone', true, ${startedAt}, 'Admin', '${JSON.stringify(deleted)}', 'null');`

onDump('broadcasts of an earlier version', { changes: interrupted, intervals }, (service) => {
  const read = async (path: string): Promise<TestBody> => {
    const { status, body, text } = await service().ask('GET', path)
    assert.equal(status, 200, `${path}: ${text}`)
    return body
  }

  test('are cancelled: each that was not done is logged with its number, and nothing of them is queued', async () => {
    const logged = service()
      .logged.map((line) => JSON.parse(line))
      .filter(({ msg }) => msg === 'broadcast cancelled')
      .map(({ broadcastId, emailId, waiting }) => ({ broadcastId, emailId, waiting }))
    assert.deepEqual(logged, [
      { broadcastId: 2, emailId: 2, waiting: 5 },
      { broadcastId: 3, emailId: 3, waiting: 1 },
    ])
    const { messages } = await read('/api/queue/messages')
    const recipients = messages.map(({ recipient }: TestBody) => recipient)
    assert.deepEqual(recipients, ['waits@example.com'])
  })

  test('leave what may have arrived uncertain in the log; a person settles it, and nothing is sent', async () => {
    const path = '/api/deliveries?outcome=uncertain'
    await service().app.delivery.processes.expireSilent()
    const { deliveries } = await read(path)
    assert.deepEqual(deliveries.map(({ recipient }: TestBody) => recipient).toSorted(), [
      'c4@example.com',
      'c5@example.com',
    ])
    for (const { id } of deliveries) {
      const settled = await service().ask('POST', `/api/deliveries/${id}/settle`, {
        outcome: 'deferred',
      })
      assert.equal(settled.status, 200, settled.text)
    }
    const { messages } = await read('/api/queue/messages')
    assert.equal(messages.length, 1)
    const sent = await read('/api/deliveries?emailId=2&outcome=started,accepted')
    assert.deepEqual(sent.deliveries, [])
  })

  test('leave their deliveries as those of the API, in the log and in its counts', async () => {
    const { deliveries } = await read('/api/deliveries?limit=1000')
    const sources = new Set(deliveries.map(({ source }: TestBody) => source))
    assert.deepEqual([...sources].toSorted(), ['api', 'smtp'])
    const listed = deliveries.filter(({ source }: TestBody) => source === 'api').length
    const times = 'from=2026-11-28T00:00:00Z&to=2026-11-30T00:00:00Z'
    const { series } = await read(`/api/deliveries/stats?by=source&${times}`)
    const api = series.find(({ key }: TestBody) => key === 'api')
    assert.equal(api.total, listed)
  })

  test('leave contacts without segments, also those that are restored', async () => {
    const { status, text } = await service().ask('POST', '/api/contacts/77/restore')
    assert.equal(status, 200, text)
    for (const id of [1, 77]) {
      const { contact } = await read(`/api/contacts/${id}`)
      assert.equal('segments' in contact, false)
    }
  })
})
