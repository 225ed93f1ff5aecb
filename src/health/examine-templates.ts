import type { Storage } from '../storage/index.ts'
import { listSharedNames } from '../templates/index.ts'
import { actionsOn, doubtful, type Finding, good } from './finding.ts'

/** How many names a finding has, and how many templates of each. */
const namesMax = 10
const idsMax = 10

const check = 'templates of one name'

/** Finds names that several published templates have: an include by name takes the oldest of them. */
export async function examineTemplates(storage: Storage): Promise<Finding> {
  const shared = await listSharedNames(storage, namesMax + 1)
  if (shared.length === 0) return good(check, 'Every name means one published template.')
  const sentences = shared.slice(0, namesMax).map(({ name, ids }) => {
    const others = ids.slice(1, idsMax).join(', ')
    const more = ids.length > idsMax ? ', …' : ''
    return `"${name}" means template ${ids[0]}, not ${others}${more}.`
  })
  const more = shared.length > namesMax ? ' There are more.' : ''
  const fix = 'Rename or unpublish the others, or include them by id, such as "id:7".'
  const others = shared
    .slice(0, namesMax)
    .flatMap(({ name, ids }) => ids.slice(1, idsMax).map((id) => ({ id, name })))
  const actions = actionsOn('openTemplate', others.slice(0, namesMax))
  return doubtful(check, { detail: `${sentences.join(' ')}${more}`, fix, actions })
}
