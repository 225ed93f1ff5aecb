import { AppError } from '../../kit/app-error.ts'
import { type Caller, mayUse } from '../../kit/caller.ts'
import type { RecordUse } from '../../platform/resource/index.ts'
import type { TemplateRow } from './table.ts'
import { idName } from './template-names.ts'

/**
 * Finds the published emails of Mailyard that refer to templates, directly or through other templates: by the keys of the
 * references (see `keysOf`).
 */
export type FindIncludingEmails = (
  keys: readonly string[],
) => Promise<ReadonlyMap<string, readonly IncludingEmail[]>>

/** A published email that includes a template. */
export interface IncludingEmail {
  id: number
  name: string
  /** See `noBrand`. */
  brand: number
}

const namedMax = 10

/** Finds which templates published emails include: they are deleted only by force. */
export async function findTemplateUses(
  templates: readonly TemplateRow[],
  caller: Caller,
  findIncludingEmails: FindIncludingEmails,
): Promise<Map<number, RecordUse>> {
  const uses = new Map<number, RecordUse>()
  const usable = templates.filter((each) => each.is_published)
  const emailsByName = await findIncludingEmails(usable.map(({ id }) => idName(id)))
  for (const { id, brand_id } of usable) {
    const named = emailsByName.get(idName(id)) ?? []
    const emails = named.filter(({ brand }) => mayUse({ brand_id }, brand))
    if (emails.length === 0) continue
    const users = describeEmails(emails, caller)
    const message =
      `Template ${id} is included by ${users}. Without it they would be sent with a gap, or not at all. ` +
      'Change them first, or delete it anyway.'
    const details = { force: ['must be 1 to delete it anyway'] }
    const refusal = new AppError('conflict', 'template_in_use', message, { details })
    const consequence = {
      planned: `It is included by ${users}.`,
      done: `It was included by ${users}.`,
    }
    uses.set(id, { refusal, consequence })
  }
  return uses
}

/** The names of emails are for callers who may view them. */
export function describeEmails(emails: readonly IncludingEmail[], caller: Caller): string {
  const count = emails.length === 1 ? '1 published email' : `${emails.length} published emails`
  if (caller.mautic !== undefined || !caller.can('email:view')) return count
  const named = emails.slice(0, namedMax).map(({ id, name }) => `${JSON.stringify(name)} (${id})`)
  const more = emails.length > namedMax ? [`${emails.length - namedMax} more`] : []
  return `${count}: ${[...named, ...more].join(', ')}`
}
