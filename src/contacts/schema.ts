import Type, { type Static, type TOptional, type TUnsafe } from 'typebox'
import {
  isPublishedFlag,
  mauticStampExample,
  mauticStampSchema,
  nullable,
  optionalEmailAddress,
  optionalText,
  recordIdOrNull,
  stampFields,
} from '../http/index.ts'
import type { ListParameter, ResourceShape } from '../resource/index.ts'
import { type ContactFieldAlias, contactFieldAliases, contactFields } from './contact-fields.ts'

/** How many tags a contact may have. */
export const tagsMax = 200

const name = Type.String({ minLength: 1, maxLength: 255 })
/** A change may remove all tags and add as many. */
const tagChanges = Type.Array(name, { maxItems: 2 * tagsMax })

type FieldInputs = Record<ContactFieldAlias, TOptional<TUnsafe<string | null>>>

const carla = { email: 'carla@example.net', firstname: 'Carla', lastname: 'Rossi' }

/** The values of a contact in a request: Mautic's flat fields. */
export const contactInput = Type.Object(
  {
    email: optionalEmailAddress(
      'The address that emails go to. One contact has it: creating another updates that one.',
      { isTrimmed: true },
    ),
    ...(Object.fromEntries(
      contactFieldAliases.map((alias) => [alias, optionalText(contactFields[alias].label)]),
    ) as FieldInputs),
    points: Type.Optional(
      Type.Integer({ minimum: -2_147_483_648, maximum: 2_147_483_647, description: 'Default: 0.' }),
    ),
    owner: Type.Optional(recordIdOrNull('Id of the user who owns the contact.')),
    tags: Type.Optional(
      Type.Unsafe<string[]>({
        ...tagChanges,
        description: `A change adds these; \`-name\` removes one, as in Mautic. A contact has ${tagsMax} at most.`,
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
    firstname: {
      id: '3',
      label: 'First Name',
      alias: 'firstname',
      type: 'text',
      group: 'core',
      value: 'Carla',
    },
    email: {
      id: '1',
      label: 'Email',
      alias: 'email',
      type: 'email',
      group: 'core',
      value: 'carla@example.net',
    },
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
  ...stampFields,
  email: { column: 'email', type: 'text' },
  points: { column: 'points', type: 'number' },
  tags: { column: 'tags', type: 'text' },
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
