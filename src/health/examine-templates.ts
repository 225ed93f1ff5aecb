import type { EmailReferences } from '../messages/index.ts'
import type { Storage } from '../storage/index.ts'
import { listSharedNames, readIdName, type TemplateTables } from '../templates/index.ts'
import { actionsOn, doubtful, type Finding, good } from './finding.ts'

/** How many names a finding has, and how many templates of each. */
const namesMax = 10
const idsMax = 10
/** How many emails a finding names for each template. */
const namedEmailsMax = 3

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

const checkOfEmails = 'templates of emails'
/** SQLite takes 32,766 values in a statement. */
const idsPerQuery = 5_000

/** Finds published emails that include templates that were deleted: these print nothing. */
export async function examineIncluded(
  storage: Storage,
  references: Pick<EmailReferences, 'read'>,
): Promise<Finding> {
  const emails = new Map<number, { id: number; name: string }[]>()
  for await (const { id, name, isPublished, keys } of references.read()) {
    if (!isPublished) continue
    for (const key of keys) {
      const template = readIdName(key)
      if (template === undefined) continue
      emails.set(template, [...(emails.get(template) ?? []), { id, name }])
    }
  }
  for (const id of await findExisting(storage, [...emails.keys()])) emails.delete(id)
  if (emails.size === 0)
    return good(checkOfEmails, 'Every template that published emails include by its id exists.')
  const missing = [...emails].sort(([one], [other]) => one - other)
  const sentences = missing.slice(0, namesMax).map(([template, users]) => {
    const names = users.slice(0, namedEmailsMax).map(({ id, name }) => `${id} (${name})`)
    const more = users.length - names.length
    const others = more > 0 ? `, and ${more} more` : ''
    return `Template ${template} is included by email ${names.join(', ')}${others}.`
  })
  const more = missing.length > namesMax ? ' There are more.' : ''
  const detail = `Published emails include templates that do not exist, and print nothing there. ${sentences.join(' ')}${more}`
  const fix = 'Restore the template, which is possible for 30 days, or remove it from these emails.'
  const users = missing.flatMap(([, each]) => each.slice(0, namedEmailsMax))
  const unique = [...new Map(users.map((each) => [each.id, each])).values()]
  return doubtful(checkOfEmails, {
    detail,
    fix,
    command: 'GET /api/twigTemplates/deleted',
    actions: actionsOn('openEmail', unique.slice(0, namesMax)),
  })
}

async function findExisting(storage: Storage, ids: readonly number[]): Promise<number[]> {
  const found: number[] = []
  const query = storage.tables<TemplateTables>().selectFrom('twig_templates').select('id')
  for (let start = 0; start < ids.length; start += idsPerQuery) {
    const part = ids.slice(start, start + idsPerQuery)
    for (const { id } of await query.where('id', 'in', part).execute()) found.push(id)
  }
  return found
}
