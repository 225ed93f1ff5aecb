import type { ConditionKind } from '../../core/findings/index.ts'
import { listFailingWebhooks } from './webhook-states.ts'

/** Webhooks that are not called any more, and those that fail. */
export const webhookConditions: readonly ConditionKind[] = [
  {
    check: 'webhooks',
    severity: 'problem',
    event: 'webhook.dead',
    records: 'webhooks',
    fix: 'Its messages are not sent. Repair the receiver, then test the webhook.',
    command: 'mailyard webhooks test ID',
    actions: ['openWebhook'],
    find: async ({ storage }) =>
      (await listFailingWebhooks(storage, { isDead: true })).map(
        ({ id, name, problem, since }) => ({
          detail: `The webhook "${name}" is not called any more: ${problem}`,
          since,
          record: { id, name },
          data: { webhookId: id, webhook: name, problem },
        }),
      ),
  },
  {
    check: 'webhooks',
    severity: 'warning',
    records: 'webhooks',
    fix: 'Do what the reason says, or repair the receiver: messages that it does not take are sent again for three days.',
    command: 'mailyard webhooks list-messages ID --state queued',
    actions: ['openWebhook'],
    find: async ({ storage }) =>
      (await listFailingWebhooks(storage, { isDead: false })).map(
        ({ id, name, problem, since }) => ({
          detail: `The webhook "${name}" has failed: ${problem}`,
          since,
          record: { id, name },
        }),
      ),
  },
]
