import type { EmailReferences } from '../../core/emails/index.ts'
import type { Finding } from '../../core/findings/index.ts'
import {
  actionsOn,
  doubtful,
  findByBrand,
  good,
  joined,
  namedMax,
} from '../../core/findings/index.ts'
import {
  listSharedNames,
  readIdName,
  type SharedName,
  type TemplateTables,
} from '../../core/templates/index.ts'
import type { OfBrand } from '../../kit/caller.ts'
import type { Storage } from '../../platform/storage/index.ts'

/** How many templates of each name a finding has. */
const idsMax = 10
/** How many names are looked at. */
const namesMax = 200
/** How many emails a finding names for each template. */
const namedEmailsMax = 3

const check = 'templates of one name'

/** Finds names that several published templates have: an include by name takes the oldest of them. */
export async function examineTemplates(storage: Storage): Promise<Finding[]> {
  const shared = await listSharedNames(storage, namesMax)
  if (shared.length === 0) return [good(check, 'Every name means one published template.')]
  return findByBrand(shared, describeNames)
}

function describeNames(shared: readonly SharedName[]): Finding {
  const sentences = shared.slice(0, namedMax).map(({ name, ids }) => {
    const others = ids.slice(1, idsMax).join(', ')
    const more = ids.length > idsMax ? ', …' : ''
    return `"${name}" means template ${ids[0]}, not ${others}${more}.`
  })
  if (shared.length > namedMax) sentences.push('There are more.')
  const fix = 'Rename or unpublish the others, or include them by id, such as "id:7".'
  const others = shared.flatMap(({ name, ids }) => ids.slice(1, idsMax).map((id) => ({ id, name })))
  const actions = actionsOn('openTemplate', others)
  return doubtful(check, { detail: sentences.join(' '), fix, actions })
}

const checkOfEmails = 'templates of emails'

/** Finds published emails that name templates that were deleted: a token prints nothing then, and an include fails. */
export async function examineIncluded(
  storage: Storage,
  references: Pick<EmailReferences, 'read'>,
): Promise<Finding[]> {
  const uses: IncludingEmail[] = []
  for await (const { id, name, brand: brand_id, isPublished, keys } of references.read()) {
    if (!isPublished) continue
    for (const key of keys) {
      const template = readIdName(key)
      if (template !== undefined) uses.push({ id, name, brand_id, template })
    }
  }
  const templates = storage.tables<TemplateTables>().selectFrom('twig_templates').select('id')
  const existing = templates.where(
    storage.isAmong('id', [...new Set(uses.map((each) => each.template))]),
  )
  const known = new Set((await existing.execute()).map(({ id }) => id))
  const missing = uses.filter(({ template }) => !known.has(template))
  if (missing.length === 0)
    return [good(checkOfEmails, 'Every template that published emails include by its id exists.')]
  return findByBrand(missing, describeMissing)
}

/** A published email that includes a template by its id. */
interface IncludingEmail extends OfBrand {
  id: number
  name: string
  template: number
}

function describeMissing(uses: readonly IncludingEmail[]): Finding {
  const byTemplate = Map.groupBy(uses, ({ template }) => template)
  const missing = [...byTemplate].sort(([one], [other]) => one - other)
  const sentences = missing.map(([template, users]) => {
    const names = users.slice(0, namedEmailsMax).map(({ id, name }) => `${id} (${name})`)
    const more = users.length - names.length
    const others = more > 0 ? `, and ${more} more` : ''
    return `Template ${template} is included by email ${names.join(', ')}${others}.`
  })
  const detail = `Published emails include templates that do not exist: a token prints nothing there, and an include in Twig fails. ${joined(sentences)}`
  const fix = 'Restore the template while it is kept, or remove it from these emails.'
  const users = missing.flatMap(([, each]) => each.slice(0, namedEmailsMax))
  const unique = [...new Map(users.map((each) => [each.id, each])).values()]
  const command = 'mailyard templates list --deleted'
  const actions = actionsOn('openEmail', unique)
  return doubtful(checkOfEmails, { detail, fix, command, actions })
}
