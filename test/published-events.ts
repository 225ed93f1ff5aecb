import type { EventType } from '../src/core/published/event-types.ts'
import type { WebhookTables } from '../src/modules/webhooks/table.ts'
import type { TestApp, TestBody } from './test-app.ts'

/** Creates a webhook that asks for some types of events. Its receiver does not answer, so its messages wait. */
export async function askForEvents(service: TestApp, events: readonly EventType[]): Promise<void> {
  const values = { name: 'Operators', events, url: 'http://127.0.0.1:1/' }
  await service.askFor('POST', '/api/webhooks/new', values)
}

/** Returns the data of the events that were published of a type and cause, the oldest first. */
export async function listPublished(
  { app }: TestApp,
  type: EventType,
  cause: string,
): Promise<TestBody[]> {
  const messages = app.storage.tables<WebhookTables>().selectFrom('webhook_messages').select('body')
  const rows = await messages
    .where('type', '=', type)
    .where('cause', '=', cause)
    .orderBy('id')
    .execute()
  return rows.map(({ body }) => JSON.parse(body).data)
}
