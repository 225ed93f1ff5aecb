import { formatDate } from '../kit/iso-date.ts'
import type { Storage } from '../storage/index.ts'
import { listFailingWebhooks } from '../webhooks/index.ts'
import { actionsOn, bad, doubtful, type Finding, minuteOf } from './finding.ts'

const check = 'webhooks'
/** How many webhooks a finding names. */
const namedMax = 5

type FailingWebhook = Awaited<ReturnType<typeof listFailingWebhooks>>[number]

/** Finds the webhooks that are not called any more, and those whose receivers fail. Returns nothing where all work. */
export async function examineWebhooks(storage: Storage): Promise<Finding[]> {
  const webhooks = await listFailingWebhooks(storage)
  const { dead = [], failing = [] } = Object.groupBy(webhooks, ({ deadAt }) =>
    deadAt === null ? 'failing' : 'dead',
  )
  const findings: Finding[] = []
  if (dead.length > 0)
    findings.push(
      bad(check, {
        detail: describe(dead, 'is not called any more. It has failed'),
        fix: 'Its messages are not sent. Repair the receiver, then test the webhook.',
        command: 'POST /api/webhooks/{id}/test',
        actions: actionsOn('openWebhook', dead.slice(0, namedMax)),
      }),
    )
  if (failing.length > 0)
    findings.push(
      doubtful(check, {
        detail: describe(failing, 'has failed'),
        fix: 'Its messages wait, and are sent again for three days. Repair the receiver.',
        command: 'GET /api/webhooks/{id}/messages?state=queued',
        actions: actionsOn('openWebhook', failing.slice(0, namedMax)),
      }),
    )
  return findings
}

function describe(webhooks: readonly FailingWebhook[], what: string): string {
  const problems = webhooks.slice(0, namedMax).map(({ name, failingSince, problem }) => {
    const since = failingSince === null ? '' : ` since ${minuteOf(formatDate(failingSince))}`
    return `The webhook "${name}" ${what}${since}: ${problem ?? 'its receiver does not answer.'}`
  })
  const more = webhooks.length > namedMax ? [`${webhooks.length - namedMax} others too.`] : []
  return [...problems, ...more].join(' ')
}
