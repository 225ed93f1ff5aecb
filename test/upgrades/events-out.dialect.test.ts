import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import type { TestBody } from '../test-app.ts'
import { dumpedAt, onDump } from './load-dump.ts'

/** The webhook 2 sends emails, and one waits; the webhook 3 gets only failovers, and is dead; a transport is down. */
const published = `
  insert into webhook_messages (webhook_id, message_id, type, cause, events, body, state, attempts, due_at, created_at)
    select 2, 'msg_2', 'webhook.dead', 'webhook 1', 1, body, 'queued', 0, due_at, created_at
    from webhook_messages where id = 1;
  update webhooks set events = '["transport.failover"]' where id = 3;
  insert into webhook_states (webhook_id, dead_at, problem) values (3, ${dumpedAt}, '410');
  insert into signals (key, at) values ('transport.down 2', ${dumpedAt});
  insert into signals (key, at, ended_at) values ('queue.delayed', ${dumpedAt}, ${dumpedAt});
  insert into mautic_refusal_marks (mautic_id, purpose, reached_at) values (1, 'tag', 7), (1, 'email', 9);`

onDump('webhooks of an earlier version', { changes: published, isStarted: false }, (service) => {
  const readRows = async (query: string): Promise<unknown[]> =>
    (await sql.raw(query).execute(service().app.storage.tables<unknown>())).rows

  test('lose the types of events that are gone; those that have no other are unpublished', async () => {
    const { body } = await service().ask('GET', '/api/webhooks?orderBy=id')
    const shown = body.webhooks.map((webhook: TestBody) => [
      webhook.events,
      webhook.format,
      webhook.isPublished,
    ])
    assert.deepEqual(shown, [
      [['delivery.accepted', 'brake.applied'], 'standard', true],
      [['webhook.dead'], 'chat', false],
      [[], 'chat', false],
    ])
  })

  test('that sent emails keep the address in their name, have no messages, and work again with a URL', async () => {
    const { body } = await service().ask('GET', '/api/webhooks/2')
    assert.match(body.webhook.name, /ops@example\.com/)
    assert.equal(body.webhook.url, null)
    assert.equal(body.webhook.waiting, 0)
    const change = { isPublished: true }
    const refused = await service().ask('PATCH', '/api/webhooks/2/edit', change)
    assert.equal(refused.status, 400, refused.text)
    const url = 'https://chat.example/hook'
    const edited = await service().ask('PATCH', '/api/webhooks/2/edit', { ...change, url })
    assert.equal(edited.status, 200, edited.text)
  })

  test('are not sent again what was published', async () => {
    assert.deepEqual(await readRows('select key from published_conditions order by key'), [
      { key: 'transport.down 2' },
      { key: 'webhook.dead 3' },
    ])
    const marks = await readRows('select mautic_id, reached_at from mautic_tag_marks')
    const markNumbers = marks.map((mark) => Object.values(mark as object).map(Number))
    assert.deepEqual(markNumbers, [[1, 7]])
  })
})
