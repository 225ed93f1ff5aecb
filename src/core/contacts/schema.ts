import Type, { type Static } from 'typebox'
import {
  isPublishedFlag,
  mauticStampExample,
  mauticStampFields,
  mauticStampSchema,
  nullable,
  optionalEmailAddress,
  optionalText,
  recordIdOrNull,
} from '../../platform/http/index.ts'
import type { ListParameter, ResourceShape } from '../../platform/resource/index.ts'
import { byAlias, contactFields, emailField } from './contact-fields.ts'

/** How many tags a contact may have. */
export const tagsMax = 200

/** A change may remove all tags and add as many. */
const tagList = Type.Array(Type.String({ minLength: 1, maxLength: 255 }), { maxItems: 2 * tagsMax })
const tagText = Type.String({ pattern: `^[^,]{0,255}(?:,[^,]{0,255}){0,${2 * tagsMax - 1}}$` })

const carla = { email: 'carla@example.net', firstname: 'Carla', lastname: 'Rossi' }

/** The values of a contact in a request: Mautic's flat fields. */
export const contactInput = Type.Object(
  {
    email: optionalEmailAddress(
      'The address that emails go to. One contact has it: creating another updates that one.',
      { isTrimmed: true },
    ),
    ...byAlias((alias) => optionalText(contactFields[alias].label)),
    points: Type.Optional(
      Type.Integer({ minimum: -2_147_483_648, maximum: 2_147_483_647, description: 'Default: 0.' }),
    ),
    owner: Type.Optional(recordIdOrNull('Id of the user who owns the contact.')),
    tags: Type.Optional(
      Type.Union([tagList, tagText], {
        fault: `must be a list of ${2 * tagsMax} tags or fewer, or text with commas between them; a tag has 1 to 255 characters`,
        description: `A change adds these; \`-name\` removes one, as in Mautic. A list, or text with commas. A contact has ${tagsMax} at most.`,
      }),
    ),
    isPublished: isPublishedFlag,
  },
  {
    title: 'ContactInput',
    examples: [
      { ...carla, tags: ['customer'] },
      { email: 'dan@example.net', firstname: 'Dan' },
    ],
  },
)
export type ContactInput = Static<typeof contactInput>

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
const contactExample = {
  id: 1,
  points: 0,
  owner: null,
  tags: [{ tag: 'customer' }],
  fields: exampleFields,
  ...mauticStampExample,
}

/** A contact in an answer: Mautic's nested fields. */
export const contactItem = Type.Object(
  {
    id: Type.Integer(),
    points: Type.Integer(),
    owner: Type.Union([owner, Type.Null()]),
    tags: Type.Array(Type.Object({ tag: Type.String() })),
    fields: Type.Object({
      core: fieldGroup,
      social: fieldGroup,
      personal: Type.Array(Type.Unknown()),
      professional: Type.Array(Type.Unknown()),
      all: Type.Unsafe<Record<string, string | number | null>>({
        type: 'object',
        additionalProperties: true,
      }),
    }),
    ...mauticStampSchema,
  },
  { title: 'Contact', examples: [contactExample] },
)
export type ContactItem = Static<typeof contactItem>

export const contactListFields = {
  ...mauticStampFields,
  ...byAlias(() => ({ column: 'field_values', type: 'text' }) as const),
  email: { column: 'email', type: 'text' },
  points: { column: 'points', type: 'number' },
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
