import { byAlias, contactFieldAliases, contactFields, emailField } from './contact-fields.ts'
import { type ContactItem, contactRecord } from './schema.ts'
import type { ContactRow } from './table.ts'

/** The user who owns a contact, as the API shows them. */
export type ContactOwner = NonNullable<ContactItem['owner']>

/** The values of the fields of a contact, by alias; null for empty ones. */
export function fieldValuesOf(
  row: Pick<ContactRow, 'id' | 'email' | 'points' | 'field_values'>,
): Record<string, string | number | null> {
  const values = JSON.parse(row.field_values) as Record<string, string>
  const all = byAlias((alias) => values[alias] ?? null)
  return { id: row.id, ...all, email: row.email, points: row.points }
}

export function presentContact(row: ContactRow, owner: ContactOwner | undefined): ContactItem {
  const all = fieldValuesOf(row)
  return contactRecord.present(row, {
    owner: owner ?? null,
    tags: (JSON.parse(row.tags) as string[]).map((tag) => ({ tag })),
    fields: {
      core: { ...groupOf(all, 'core'), email: describe('email', all['email'], emailField) },
      social: groupOf(all, 'social'),
      personal: [],
      professional: [],
      all,
    },
  })
}

/** Lists the fields as Mautic numbers and describes them. */
export function describeFields() {
  const others = contactFieldAliases.map((alias) => [alias, contactFields[alias]] as const)
  return [['email', emailField] as const, ...others].map(([alias, field]) => ({
    id: numberOf(alias),
    label: field.label,
    alias,
    type: field.type,
    group: field.group,
  }))
}

/** The email is field 1. */
function numberOf(alias: string): number {
  return (contactFieldAliases as readonly string[]).indexOf(alias) + 2
}

function groupOf(all: Record<string, string | number | null>, group: 'core' | 'social') {
  const aliases = contactFieldAliases.filter((alias) => contactFields[alias].group === group)
  return Object.fromEntries(
    aliases.map((alias) => [alias, describe(alias, all[alias], contactFields[alias])]),
  )
}

function describe(
  alias: string,
  value: string | number | null | undefined,
  field: { label: string; group: string; type: string },
) {
  return {
    // As text, as in Mautic.
    id: String(numberOf(alias)),
    label: field.label,
    alias,
    type: field.type,
    group: field.group,
    value: value === null || value === undefined ? null : String(value),
  }
}
