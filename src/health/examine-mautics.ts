import { listMauticProblems } from '../mautic/index.ts'
import type { Storage } from '../storage/index.ts'
import { bad, type Finding, good } from './finding.ts'

/** How many Mautics a finding names. */
const namedMax = 5

/** Finds the connected Mautics that cannot be read. Returns nothing where none is connected. */
export async function examineMautics(storage: Storage): Promise<Finding[]> {
  const check = 'Mautic'
  const mautics = await listMauticProblems(storage)
  if (mautics.length === 0) return []
  const failing = mautics.filter(({ problem }) => problem !== null)
  if (failing.length === 0) {
    const count = mautics.length === 1 ? 'the connected Mautic' : `all ${mautics.length} Mautics`
    return [good(check, `${count} can be read`)]
  }
  const problems = failing.slice(0, namedMax).map(({ name, since, problem }) => {
    const date = since === null ? '' : ` since ${since}`
    return `"${name}" cannot be read${date}: ${problem}`
  })
  const more = failing.length > namedMax ? [`${failing.length - namedMax} others too.`] : []
  const fix = 'What is known stays in force. Find out why with `POST /api/mautics/{id}/check`.'
  return [bad(check, [...problems, ...more].join(' '), fix)]
}
