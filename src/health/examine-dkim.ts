import { type FailingKey, listFailingKeys } from '../dkim/index.ts'
import { formatDate } from '../kit/iso-date.ts'
import type { Storage } from '../storage/index.ts'
import { actionsOn, bad, doubtful, type Finding, minuteOf } from './finding.ts'

const check = 'DKIM keys'
/** How many keys a finding names. */
const namedMax = 5

/** Finds the keys whose record is gone from DNS, and those that wait for theirs for more than a day. Returns nothing where all sign. */
export async function examineDkim(storage: Storage, now: number): Promise<Finding[]> {
  const keys = await listFailingKeys(storage, now)
  const missing = keys.filter(({ state }) => state === 'missing')
  const waiting = keys.filter(({ state }) => state === 'waiting')
  const findings: Finding[] = []
  if (missing.length > 0)
    findings.push(
      bad(check, {
        detail: describe(missing, 'are not signed any more'),
        fix: 'Publish the record again. The messages are signed once it is found.',
        command: 'POST /api/dkimKeys/{id}/check',
        actions: actionsOn('openDkimKey', named(missing)),
      }),
    )
  if (waiting.length > 0)
    findings.push(
      doubtful(check, {
        detail: describe(waiting, 'are not signed yet'),
        fix: 'Publish the record of the key, or delete the key.',
        command: 'GET /api/dkimKeys?where[0][col]=state&where[0][expr]=eq&where[0][val]=waiting',
        actions: actionsOn('openDkimKey', named(waiting)),
      }),
    )
  return findings
}

function named(keys: readonly FailingKey[]) {
  return keys.slice(0, namedMax).map(({ id, domain }) => ({ id, name: domain }))
}

function describe(keys: readonly FailingKey[], what: string): string {
  const sentences = keys.slice(0, namedMax).map(({ id, domain, since, problem }) => {
    const start = minuteOf(formatDate(since))
    return `Messages of ${domain} ${what} (DKIM key ${id}, since ${start}). ${problem ?? 'Its record was not looked up yet.'}`
  })
  const more = keys.length > namedMax ? [`${keys.length - namedMax} other domains too.`] : []
  return [...sentences, ...more].join(' ')
}
