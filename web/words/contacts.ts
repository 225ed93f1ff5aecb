import { recordWords } from './records.ts'

/** The names of the text fields below the address, by the groups of the form, in their order. */
export const contactFields = {
  personal: {
    title: 'Title',
    firstname: 'First name',
    lastname: 'Last name',
    company: 'Company',
    position: 'Position',
  },
  reach: {
    mobile: 'Mobile',
    phone: 'Phone',
    fax: 'Fax',
    address1: 'Address, line 1',
    address2: 'Address, line 2',
    zipcode: 'Postal code',
    city: 'City',
    state: 'State or region',
    country: 'Country',
  },
  more: {
    preferred_locale: 'Locale',
    timezone: 'Time zone',
    website: 'Website',
    last_active: 'Last active',
    attribution: 'Attribution',
    attribution_date: 'Attribution date',
  },
  social: {
    facebook: 'Facebook',
    foursquare: 'Foursquare',
    instagram: 'Instagram',
    linkedin: 'LinkedIn',
    skype: 'Skype',
    twitter: 'Twitter',
  },
} as const

export const contactWords = {
  ...recordWords('a contact'),
  saved: (name: string) => `Contact ${name} is saved.`,
  one: (id: number) => `Contact ${id}`,
  empty: 'No contact yet. Contacts are the people that emails are sent to.',
  search: 'Search by address, name or company',
  tag: 'Tag',
  newHelp:
    'An address belongs to one contact: adding one that exists changes the contact that has it.',
  groups: { reach: 'Phone and address', more: 'More', social: 'Social networks' },
  added: 'Added',
  changedBy: 'Changed by',
  help: {
    owner: 'A user, whose transport can go first.',
    tags: 'Enter or comma adds one.',
  },
  labels: {
    email: 'Email',
    ...contactFields.personal,
    ...contactFields.reach,
    ...contactFields.more,
    ...contactFields.social,
    points: 'Points',
    owner: 'Owner',
    tags: 'Tags',
    isPublished: 'Published',
  },
  deleteText:
    'Deleted contacts can be restored for some time. What was sent to them stays in the delivery log.',
} as const
