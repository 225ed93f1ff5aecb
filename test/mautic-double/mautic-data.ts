import { type Json, readRecording } from './recordings.ts'

/** The versions whose behaviour is known: by recordings, or that of 7 by its source. */
export type MauticVersion = '5.1.0' | '6.0.3' | '7.0.0'

/** What a Mautic has. Tests change it at will. */
export interface MauticData {
  users: Map<number, Json>
  emails: Map<number, Json>
  contacts: Map<number, Json>
  /** Rows of `email_stats`; all values are strings. */
  stats: Json[]
  /** Rows of `lead_donotcontact`; all values are strings. */
  doNotContact: Json[]
  hooks: Map<number, Json>
  /** The changes of Do not contact that its webhooks have not sent. */
  pending: Json[]
  /** The ids of the next records: none is used twice. */
  ids: { hook: number }
}

/** How many records a Mautic has. By default those of the recorded one. */
export interface DataSizes {
  version?: MauticVersion
  users?: number
  emails?: number
  contacts?: number
}

/** Creates the data of the recorded Mautic, or more of the same. */
export function createData(sizes: DataSizes = {}): MauticData {
  const { version = '5.1.0', users = 12, emails = 40, contacts = 310 } = sizes
  // From version 6 on, a new row was modified when it was added; an email of 5 was, too.
  const as = (create: (id: number) => Json) => (id: number) => {
    const row = create(id)
    return version === '5.1.0' ? row : { ...row, dateModified: row.dateAdded ?? null }
  }
  const email = (id: number) =>
    version === '7.0.0' ? { ...createEmail(id), sendToDnc: false } : createEmail(id)
  return {
    users: numbered(users, as(createUser)),
    emails: numbered(emails, as(email)),
    contacts: numbered(contacts, as(createContact)),
    stats: structuredClone(readRecording('081').response.body.stats),
    doNotContact: [],
    hooks: new Map(),
    pending: [],
    ids: { hook: 1 },
  }
}

function numbered(count: number, create: (id: number) => Json): Map<number, Json> {
  return new Map(Array.from({ length: count }, (_, index) => [index + 1, create(index + 1)]))
}

const userTemplate = readRecording('015').response.body.user
const emailTemplate = readRecording('033').response.body.email
const contactTemplate = readRecording('048').response.body.contact
const owners: Json[] = readRecording('054').response.body
const administrator = readRecording('001').response.body

function createUser(id: number): Json {
  const { firstName = 'User', lastName = `Owner${id}` } = owners[id - 1] ?? {}
  if (id === 1) return { ...structuredClone(userTemplate), ...structuredClone(administrator) }
  return {
    ...structuredClone(userTemplate),
    ...{ id, firstName, lastName, username: `user${id}`, email: `owner${id}@lab.test` },
    signature: `Best regards, Owner ${id}`,
  }
}

/** An email of a Mautic, as `GET /api/emails/{id}` shows it. */
export function createEmail(id: number): Json {
  return {
    ...structuredClone(emailTemplate),
    ...{ id, name: `Newsletter ${id}`, subject: `News ${id} for {contactfield=firstname}` },
    customHtml: emailTemplate.customHtml.replaceAll('17', String(id)),
  }
}

/** A contact of a Mautic, as `GET /api/contacts/{id}` shows it. */
export function createContact(id: number): Json {
  const contact = structuredClone(contactTemplate)
  const values = {
    firstname: `First${id}`,
    lastname: `Last${id}`,
    email: `c${id}@rcpt.test`,
  }
  setFields(contact, { id: String(id), ...values })
  contact.id = id
  contact.owner = id > 300 ? null : ownerOf((id % 11) + 2)
  return contact
}

function ownerOf(id: number): Json {
  return { ...contactTemplate.owner, ...owners[id - 1], username: `user${id}` }
}

/** Changes fields of a contact by their aliases. */
export function setFields(contact: Json, values: Record<string, unknown>): void {
  for (const [alias, value] of Object.entries(values)) {
    contact.fields.all[alias] = value
    for (const group of ['core', 'social', 'personal', 'professional']) {
      const field = contact.fields[group]?.[alias]
      if (field !== undefined) Object.assign(field, { value, normalizedValue: value ?? '' })
    }
  }
}

const minimalKeys = Object.keys(readRecording('027').response.body.emails['1'])

/** An email as a list with `minimal=1` shows it. */
export function minimalEmail(email: Json): Json {
  return Object.fromEntries(minimalKeys.map((key) => [key, email[key]]))
}
