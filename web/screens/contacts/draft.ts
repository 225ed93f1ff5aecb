import type { Choice } from '../../design/picker.tsx'
import type { Schema } from '../../lib/api.ts'
import { brandDraft, brandInput } from '../../lib/brand.ts'
import { userChoice } from '../../records/find.ts'
import type { Versioned } from '../../records/resource-screen.tsx'
import { readRecord, saveRecord } from '../../records/stored.ts'
import { contactFields, contactWords } from '../../words/contacts.ts'

export type Contact = Schema<'Contact'>

/** A field that has text, such as `firstname`. */
export type TextField = Exclude<
  keyof typeof contactWords.labels,
  'points' | 'owner' | 'tags' | 'isPublished'
>

/** What can be changed of a contact, as the form has it. */
export interface Draft extends Record<TextField, string> {
  points: string
  owner: Choice | undefined
  tags: readonly string[]
  brand: string
  isPublished: boolean
}

type Group = keyof typeof contactFields

/** The text fields of a group, in the order of the form. */
export const fieldsOf = (group: Group) => Object.keys(contactFields[group]) as TextField[]

const groups = Object.keys(contactFields) as Group[]
const textFields: readonly TextField[] = ['email', ...groups.flatMap(fieldsOf)]

/** A value of a contact as text; empty where it has none. */
export function textOf({ fields }: Contact, name: TextField): string {
  const value = fields.all[name]
  return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
}

export function nameOf(contact: Contact): string {
  return `${textOf(contact, 'firstname')} ${textOf(contact, 'lastname')}`.trim()
}

export function draftOf(contact?: Contact): Draft {
  const texts = Object.fromEntries(
    textFields.map((name) => [name, contact === undefined ? '' : textOf(contact, name)]),
  )
  return {
    ...(texts as Record<TextField, string>),
    points: String(contact?.points ?? 0),
    owner: contact?.owner ? userChoice(contact.owner) : undefined,
    tags: contact?.tags.map(({ tag }) => tag) ?? [],
    brand: brandDraft(contact),
    isPublished: contact?.isPublished ?? true,
  }
}

export function labelOf(contact: Contact): string {
  return textOf(contact, 'email') || nameOf(contact) || contactWords.one(contact.id)
}

/** Saves what has changed of a contact; all of a new one, whose `id` is undefined. */
export async function writeContact(
  id: number | undefined,
  draft: Draft,
  { etag, changed }: { etag: string | undefined; changed: readonly (keyof Draft)[] },
): Promise<Versioned<Contact>> {
  const texts = Object.fromEntries(textFields.map((name) => [name, draft[name] || null]))
  const values = {
    ...texts,
    points: Number(draft.points),
    owner: draft.owner === undefined ? null : Number(draft.owner.value),
    tags: [...draft.tags],
    ...brandInput(draft.brand),
    isPublished: draft.isPublished,
  } satisfies Schema<'ContactInput'> as Record<keyof Draft, unknown>
  if (id !== undefined && changed.includes('tags')) {
    const { record } = await readRecord('contact', id)
    values.tags = changesOf(draftOf(record).tags, draft.tags)
  }
  const changes = Object.fromEntries(changed.map((name) => [name, values[name]]))
  return saveRecord('contact', {
    id,
    etag,
    body: id === undefined ? (values as Schema<'ContactInput'>) : changes,
  })
}

/** Tags that are added, and with a leading `-` those that are removed. */
function changesOf(before: readonly string[], after: readonly string[]): string[] {
  const removed = before.filter((tag) => !after.includes(tag)).map((tag) => `-${tag}`)
  return [...removed, ...after.filter((tag) => !before.includes(tag))]
}
