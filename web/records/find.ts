import type { Choice } from '../design/picker.tsx'
import { ask, type Schema } from '../lib/api.ts'
import { type AssignedKind, assignedKinds } from './assigned.ts'
import { brandName } from './brands.tsx'

const limit = 20

type Find = (search: string, signal: AbortSignal) => Promise<Choice[]>

/** The first and last name of a contact; empty for one without. */
export function contactName({ firstname, lastname }: Schema<'Contact'>['fields']['all']): string {
  return [firstname, lastname].filter(Boolean).join(' ')
}

/** A contact as a choice: its address, or its name where it has none. */
function contactChoice({ id, fields }: Schema<'Contact'>): Choice {
  const { email } = fields.all
  const name = contactName(fields.all)
  if (typeof email !== 'string') return { value: String(id), label: name || String(id) }
  return { value: String(id), label: email, note: name || undefined }
}

export const findContacts: Find = async (search, signal) => {
  const query = { search, limit, orderBy: 'email' }
  const { body } = await ask('GET', '/api/contacts', { query, signal })
  return Object.values(body.contacts).map(contactChoice)
}

export const findEmails: Find = async (search, signal) => {
  const query = { search, limit, orderBy: 'name' }
  const { body } = await ask('GET', '/api/emails', { query, signal })
  return Object.values(body.emails).map(({ id, name, subject }) => ({
    value: String(id),
    label: name,
    note: subject,
  }))
}

/** A user as a choice. */
export function userChoice(
  user: Pick<Schema<'User'>, 'id' | 'username' | 'firstName' | 'lastName'>,
): Choice {
  const name = [user.firstName, user.lastName].filter(Boolean).join(' ')
  return { value: String(user.id), label: user.username, note: name || undefined }
}

export const findUsers: Find = async (search, signal) => {
  const { body } = await ask('GET', '/api/users', { query: { search, limit }, signal })
  return body.users.map(userChoice)
}

/** Reads the users that a condition holds for, such as that they have a brand among theirs. */
export async function readUsers(isMeant: (user: Schema<'User'>) => boolean, signal: AbortSignal) {
  const options = { query: { limit: 0, orderBy: 'username' }, signal, isBackground: true }
  return (await ask('GET', '/api/users', options)).body.users.filter(isMeant)
}

/** Finds transports by their name. */
export const findTransports: Find = async (search, signal) => {
  const query = { search, limit, orderBy: 'name' }
  const { body } = await ask('GET', '/api/multipleTransports', { query, signal })
  return body.map(({ id, name, brand }) => ({
    value: String(id),
    label: name,
    note: brand === undefined ? undefined : brandName(brand),
  }))
}

/** Finds emails, or users, of a Mautic by its id. */
export const findAssigned =
  (kind: AssignedKind['name'], mautic: string): Find =>
  async (search, signal) => {
    const { load, orderField: orderBy } = assignedKinds[kind]
    const { rows } = await load({ search, limit, orderBy, mautic }, signal)
    return rows.map(({ id, name }) => ({ value: String(id), label: name, note: String(id) }))
  }
