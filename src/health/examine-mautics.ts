import { formatDate } from '../kit/iso-date.ts'
import { listMauticProblems, listReportProblems, listWebhookProblems } from '../mautic/index.ts'
import type { Storage } from '../storage/index.ts'
import { actionsOn, bad, doubtful, type Finding, good, minuteOf } from './finding.ts'

/** How many Mautics a finding names. */
const namedMax = 5

const check = 'Mautic'

/** Finds the connected Mautics that cannot be read in whole, or accept no reports. Returns nothing where none is connected. */
export async function examineMautics(storage: Storage): Promise<Finding[]> {
  return [
    ...(await examineReading(storage)),
    ...(await examineWebhooks(storage)),
    ...(await examineReports(storage)),
  ]
}

async function examineWebhooks(storage: Storage): Promise<Finding[]> {
  const fix =
    'Until it works, additions to the Do not contact list are taken over within a minute, and removals within an hour. Create it again.'
  const command = 'POST /api/mautics/{id}/webhook'
  const problems = await listWebhookProblems(storage)
  return problems.slice(0, namedMax).map(({ id, name, problem, since }) => {
    const date = since === null ? '' : ` since ${minuteOf(formatDate(since))}`
    const detail = `The webhook of "${name}" has a problem${date}: ${problem}`
    return bad(check, { detail, fix, command, actions: actionsOn('openMautic', [{ id, name }]) })
  })
}

async function examineReports(storage: Storage): Promise<Finding[]> {
  const fix = 'They are sent again and again. Find out why Mautic refuses them.'
  const command = 'GET /api/mautics/{id}/reports?state=queued'
  const problems = await listReportProblems(storage)
  return problems.slice(0, namedMax).map(({ id, name, reports, problem }) => {
    const count = reports === 1 ? 'a report' : `${reports} reports`
    const sentence = `"${name}" does not accept ${count} for its Do not contact list`
    const actions = actionsOn('openMautic', [{ id, name }])
    return doubtful(check, { detail: `${sentence}: ${problem}`, fix, command, actions })
  })
}

async function examineReading(storage: Storage): Promise<Finding[]> {
  const mautics = await listMauticProblems(storage)
  if (mautics.length === 0) return []
  const failing = mautics.filter(({ problem }) => problem !== null)
  if (failing.length === 0) {
    const count = mautics.length === 1 ? 'The connected Mautic' : `All ${mautics.length} Mautics`
    return [good(check, `${count} can be read.`)]
  }
  const problems = failing.slice(0, namedMax).map(({ name, since, problem }) => {
    const date = since === null ? '' : ` since ${minuteOf(since)}`
    return `"${name}" has a problem${date}: ${problem}`
  })
  const more = failing.length > namedMax ? [`${failing.length - namedMax} others too.`] : []
  const fix = 'What is known stays in force. Check the connection to find out why.'
  const command = 'POST /api/mautics/{id}/check'
  const actions = actionsOn('openMautic', failing.slice(0, namedMax))
  return [bad(check, { detail: [...problems, ...more].join(' '), fix, command, actions })]
}
