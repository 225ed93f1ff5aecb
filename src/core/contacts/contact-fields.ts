/** A field of a contact, with Mautic's description of it. */
export interface ContactField {
  label: string
  group: 'core' | 'social'
  type: string
}

const core = (label: string, type = 'text'): ContactField => ({ label, group: 'core', type })
const social = (label: string): ContactField => ({ label, group: 'social', type: 'text' })

/** The fields of a new Mautic, by alias, in its order. `email` and `points` are columns of their own. */
export const contactFields = {
  title: core('Title', 'lookup'),
  firstname: core('First Name'),
  lastname: core('Last Name'),
  company: core('Primary company', 'company'),
  position: core('Position'),
  mobile: core('Mobile', 'tel'),
  phone: core('Phone', 'tel'),
  fax: core('Fax', 'tel'),
  address1: core('Address Line 1'),
  address2: core('Address Line 2'),
  city: core('City'),
  state: core('State', 'region'),
  zipcode: core('Zip Code'),
  country: core('Country', 'country'),
  preferred_locale: core('Preferred Locale', 'locale'),
  timezone: core('Preferred Timezone', 'timezone'),
  last_active: core('Date Last Active', 'datetime'),
  attribution_date: core('Attribution Date', 'datetime'),
  attribution: core('Attribution', 'number'),
  website: core('Website', 'url'),
  facebook: social('Facebook'),
  foursquare: social('Foursquare'),
  instagram: social('Instagram'),
  linkedin: social('LinkedIn'),
  skype: social('Skype'),
  twitter: social('Twitter'),
} as const satisfies Record<string, ContactField>

export const emailField = core('Email', 'email')

export type ContactFieldAlias = keyof typeof contactFields

/** The aliases, in order. */
export const contactFieldAliases = Object.keys(contactFields) as ContactFieldAlias[]

/** Makes a value for each alias. */
export function byAlias<T>(make: (alias: ContactFieldAlias) => T): Record<ContactFieldAlias, T> {
  const made = contactFieldAliases.map((alias) => [alias, make(alias)])
  return Object.fromEntries(made) as Record<ContactFieldAlias, T>
}
