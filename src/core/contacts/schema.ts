import Type, { type Static } from 'typebox'
import {
  nullable,
  optionalEmailAddress,
  optionalText,
  recordIdOrNull,
} from '../../platform/http/index.ts'
import {
  brandField,
  isPublishedField,
  type ListParameter,
  mauticStamps,
  plainField,
  type ResourceShape,
  recordFields,
} from '../../platform/resource/index.ts'
import { byAlias, contactFields, emailField } from './contact-fields.ts'

/** How many tags a contact may have. */
export const tagsMax = 200

/** A change may remove all tags and add as many. */
const tagList = Type.Array(Type.String({ minLength: 1, maxLength: 255 }), { maxItems: 2 * tagsMax })
const tagText = Type.String({ pattern: `^[^,]{0,255}(?:,[^,]{0,255}){0,${2 * tagsMax - 1}}$` })

const fieldValue = Type.Object(
  {
    id: Type.String(),
    label: Type.String(),
    alias: Type.String(),
    type: Type.String(),
    group: Type.String(),
    value: nullable(Type.String()),
  },
  { title: 'ContactFieldValue' },
)
const fieldGroup = Type.Record(Type.String(), fieldValue)
const owner = Type.Object({
  id: Type.Integer(),
  username: Type.String(),
  firstName: Type.String(),
  lastName: Type.String(),
})

/** The fields of a contact: flat in a request, as in Mautic, and nested in an answer. */
export const contactRecord = recordFields(mauticStamps, [], {
  email: {
    input: optionalEmailAddress(
      'The address that emails go to. One contact of a brand has it: creating another updates that one.',
      { isTrimmed: true },
    ),
  },
  ...byAlias((alias) => ({ input: optionalText(contactFields[alias].label) })),
  points: plainField(
    Type.Optional(
      Type.Integer({
        minimum: -2_147_483_648,
        maximum: 2_147_483_647,
        description: 'Default: 0.',
      }),
    ),
    Type.Integer(),
    { type: 'number', fallback: 0 },
  ),
  owner: {
    input: Type.Optional(recordIdOrNull('Id of the user who owns the contact.')),
    item: Type.Union([owner, Type.Null()]),
  },
  tags: {
    input: Type.Optional(
      Type.Union([tagList, tagText], {
        fault: `must be a list of ${2 * tagsMax} tags or fewer, or text with commas between them; a tag has 1 to 255 characters`,
        description: `A change adds these; \`-name\` removes one, as in Mautic. A list, or text with commas. A contact has ${tagsMax} at most.`,
      }),
    ),
    item: Type.Array(Type.Object({ tag: Type.String() })),
  },
  fields: {
    item: Type.Object({
      core: fieldGroup,
      social: fieldGroup,
      personal: Type.Array(Type.Unknown()),
      professional: Type.Array(Type.Unknown()),
      all: Type.Unsafe<Record<string, string | number | null>>({
        type: 'object',
        additionalProperties: true,
      }),
    }),
  },
  brand: brandField,
  isPublished: isPublishedField,
})

const carla = { email: 'carla@example.net', firstname: 'Carla', lastname: 'Rossi' }

export const contactInput = Type.Object(contactRecord.input, {
  title: 'ContactInput',
  examples: [
    { ...carla, tags: ['customer'] },
    { email: 'dan@example.net', firstname: 'Dan' },
  ],
})
export type ContactInput = Static<typeof contactInput>

const exampleFields = {
  core: {
    firstname: { id: '3', alias: 'firstname', ...contactFields.firstname, value: 'Carla' },
    email: { id: '1', alias: 'email', ...emailField, value: carla.email },
  },
  social: {},
  personal: [],
  professional: [],
  all: { id: 1, ...carla, points: 0 },
}
const contactExample = contactRecord.example(1, {
  points: 0,
  owner: null,
  tags: [{ tag: 'customer' }],
  fields: exampleFields,
})

export const contactItem = Type.Object(contactRecord.item, {
  title: 'Contact',
  examples: [contactExample],
})
export type ContactItem = Static<typeof contactItem>

export const contactListFields = {
  ...contactRecord.listFields(),
  ...byAlias(() => ({ column: 'field_values', type: 'text' }) as const),
  email: { column: 'email', type: 'text' },
  owner: { column: 'owner_id', type: 'number' },
  tags: { column: 'tags', type: 'text', isList: true },
} as const

const tag: ListParameter = {
  fault: 'must be the name of a tag; the contacts that have it are listed',
  toFilter: (value) => ({ op: 'has', field: 'tags', value }),
}

/** The API of contacts: as in Mautic. */
export const contactShape: ResourceShape = {
  path: '/api/contacts',
  one: 'contact',
  many: 'contacts',
  label: 'Contact',
  area: 'contact',
  isKeyed: true,
  updatesExisting: true,
  listLimit: 30,
  fields: contactListFields,
  parameters: { tag },
  item: contactItem,
  input: contactInput,
  exampleChange: { city: 'Vienna', tags: ['-customer', 'partner'] },
}
