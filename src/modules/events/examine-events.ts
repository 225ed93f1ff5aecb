import { countByTransport } from '../../core/deliveries/index.ts'
import type { Finding } from '../../core/findings/index.ts'
import {
  actionsOn,
  bad,
  doubtful,
  findByBrand,
  formatCount,
  good,
  joined,
  listed,
} from '../../core/findings/index.ts'
import { readDsns } from '../../core/transports/index.ts'
import type { OfBrand } from '../../kit/caller.ts'
import { eventProvidersOf } from '../../libraries/mailer/index.ts'
import type { Keyring, Storage } from '../../platform/storage/index.ts'
import { countGivenUp } from './events/received-events.ts'
import { listRefusedWebhooks, listWebhooks, type RefusedWebhook } from './webhooks/list-webhooks.ts'

const check = 'events'
/** How many transports are looked at: those that sent the most. */
const examinedMax = 50
const hourMs = 3_600_000
const weekMs = 7 * 24 * hourMs

/**
 * Finds webhooks of transports whose last request was refused; for a brand without any, transports that sent within a week and whose
 * provider reports events that no webhook receives; and events that cannot be applied.
 */
export async function examineEvents(
  parts: { storage: Storage; keyring: Keyring },
  now: number,
): Promise<Finding[]> {
  const refused = await listRefusedWebhooks(parts.storage)
  const brands = new Set(refused.map(({ brand_id }) => brand_id))
  const missing = (await findMissing(parts, now)).filter(({ brand_id }) => !brands.has(brand_id))
  return [
    ...(await examineGivenUp(parts.storage)),
    ...findByBrand(refused, describeRefused),
    ...findByBrand(missing, describeMissing),
  ]
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

function describeRefused(refused: readonly RefusedWebhook[]): Finding {
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

async function findMissing(
  { storage, keyring }: { storage: Storage; keyring: Keyring },
  now: number,
): Promise<NamedTransport[]> {
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
  return transports.filter(({ id, dsn }) =>
    namesOf(dsn).some((provider) => !webhooks.has(`${id} ${provider}`)),
  )
}

type NamedTransport = OfBrand & { id: number; name: string }

function describeMissing(missing: readonly NamedTransport[]): Finding {
  const names = listed(missing.map(({ name }) => `"${name}"`))
  const detail = `No webhook reports bounces and complaints, although the provider could: ${names}.`
  return {
    ...good(check, detail),
    fix: 'Create the webhook of each transport.',
    command: 'mailyard transports set-webhook ID',
    actions: actionsOn('openTransport', missing),
  }
}

function namesOf(dsn: string): readonly string[] {
  try {
    return eventProvidersOf(dsn).map(({ name }) => name)
  } catch {
    // That the DSN cannot be read is a finding of its own.
    return []
  }
}
