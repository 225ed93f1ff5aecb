import { countByTransport } from '../../core/deliveries/index.ts'
import type { Finding } from '../../core/findings/index.ts'
import {
  actionsOn,
  bad,
  doubtful,
  formatCount,
  good,
  joined,
  listed,
} from '../../core/findings/index.ts'
import { readDsns } from '../../core/transports/index.ts'
import { eventProvidersOf } from '../../libraries/mailer/index.ts'
import type { Keyring, Storage } from '../../platform/storage/index.ts'
import { countGivenUp } from './events/received-events.ts'
import { listRefusedWebhooks, listWebhooks } from './webhooks/list-webhooks.ts'

const check = 'events'
/** How many transports are looked at: those that sent the most. */
const examinedMax = 50
const hourMs = 3_600_000
const weekMs = 7 * 24 * hourMs

/**
 * Finds webhooks of transports whose last request was refused, else transports that sent within a week and whose provider reports
 * events that no webhook receives; and events that cannot be applied.
 */
export async function examineEvents(
  parts: { storage: Storage; keyring: Keyring },
  now: number,
): Promise<Finding[]> {
  const refused = await listRefusedWebhooks(parts.storage)
  const others = refused.length > 0 ? [describeRefused(refused)] : await examineMissing(parts, now)
  return [...(await examineGivenUp(parts.storage)), ...others]
}

async function examineGivenUp(storage: Storage): Promise<Finding[]> {
  const givenUp = await countGivenUp(storage)
  if (givenUp.length === 0) return []
  const requests = givenUp.map(({ provider, count }) => `${formatCount(count)} of ${provider}`)
  const detail = `Requests with events that could not be applied for three days: ${listed(requests, ', ')}.`
  const fix =
    'The log has the reason ("events of a provider given up"). They are kept for 30 days, and applied after the next start: upgrade Mailyard, or report the reason.'
  return [bad('events that fail', { detail, fix })]
}

function describeRefused(refused: Awaited<ReturnType<typeof listRefusedWebhooks>>): Finding {
  const problems = refused.map(
    ({ name, provider, problem }) =>
      `"${name}" refused the last request of ${provider}: ${problem}`,
  )
  return doubtful(check, {
    detail: joined(problems),
    fix: 'Until it is repaired, bounces and complaints are not known. Compare the webhook at the provider with that of the transport.',
    command: 'mailyard transports list-webhooks ID',
    actions: actionsOn('openTransport', refused),
  })
}

async function examineMissing(
  { storage, keyring }: { storage: Storage; keyring: Keyring },
  now: number,
): Promise<Finding[]> {
  const thisHour = now - (now % hourMs)
  const counts = await countByTransport(storage, { from: thisHour - weekMs, to: thisHour + hourMs })
  const ids = counts
    .filter(({ accepted }) => accepted > 0)
    .sort((one, other) => other.accepted - one.accepted)
    .slice(0, examinedMax)
    .map(({ transportId }) => transportId)
  if (ids.length === 0) return []
  const webhooks = new Set(await listWebhooks(storage, ids))
  const transports = await readDsns({ storage, keyring }, ids)
  const missing = transports.filter(({ id, dsn }) =>
    namesOf(dsn).some((provider) => !webhooks.has(`${id} ${provider}`)),
  )
  if (missing.length === 0) return []
  const names = listed(missing.map(({ name }) => `"${name}"`))
  const detail = `No webhook reports bounces and complaints, although the provider could: ${names}.`
  return [
    {
      ...good(check, detail),
      fix: 'Create the webhook of each transport.',
      command: 'mailyard transports set-webhook ID',
      actions: actionsOn('openTransport', missing),
    },
  ]
}

function namesOf(dsn: string): readonly string[] {
  try {
    return eventProvidersOf(dsn).map(({ name }) => name)
  } catch {
    // That the DSN cannot be read is a finding of its own.
    return []
  }
}
