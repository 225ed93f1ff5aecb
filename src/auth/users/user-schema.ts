import Type, { type Static } from 'typebox'
import {
  emailAddress,
  isPublishedFlag,
  mauticStampExample,
  mauticStampSchema,
  nameText,
  nullable,
  recordId,
  stampFields,
  text,
} from '../../http/index.ts'
import type { ResourceShape } from '../../resource/index.ts'
import { smtpModeInput, smtpModeItem } from '../smtp-mode-field.ts'

const passwordLengthMin = 8
/** Longer passwords take longer to hash. */
const passwordLengthMax = 1024

/** A password to be set. */
export const newPassword = Type.String({
  minLength: passwordLengthMin,
  maxLength: passwordLengthMax,
})
const password = Type.Object(
  {
    password: newPassword,
    confirm: Type.String({ description: 'The password again.' }),
  },
  { description: 'The new password. No response has it.' },
)

const ann = {
  username: 'ann',
  firstName: 'Ann',
  lastName: 'Miller',
  email: 'ann@example.com',
}
const plainPassword = {
  password: 'correct horse battery staple',
  confirm: 'correct horse battery staple',
}

/** The input of the API. A change may leave out the password. */
export const userInput = Type.Object(
  {
    username: nameText('The name to log in with.'),
    firstName: text('Default: empty.', { maxLength: 255 }),
    lastName: text('Default: empty.', { maxLength: 255 }),
    email: emailAddress('The address for test messages and for log-in.'),
    role: recordId('Id of the role.'),
    plainPassword: Type.Optional(password),
    smtpMode: smtpModeInput,
    isPublished: isPublishedFlag,
  },
  {
    title: 'UserInput',
    examples: [
      { ...ann, role: 2, plainPassword },
      { username: 'ben', email: 'ben@example.com', role: 2, plainPassword },
    ],
  },
)
export type UserInput = Static<typeof userInput>

const roleOfUser = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  description: nullable(Type.String()),
  isAdmin: Type.Boolean(),
  rawPermissions: Type.Unsafe<object>({ type: 'object', additionalProperties: true }),
})

const authorRole = {
  id: 2,
  name: 'Author',
  description: 'Writes emails and templates.',
  isAdmin: false,
  rawPermissions: { email: ['view', 'create', 'edit'], twigtemplates: ['full'] },
}

/** The user that the first example of the input creates. */
export const userExample = {
  id: 2,
  ...ann,
  role: authorRole,
  smtpMode: null,
  ...mauticStampExample,
}

/** The output of the API. */
export const userItem = Type.Object(
  {
    id: Type.Integer(),
    username: Type.String(),
    firstName: Type.String(),
    lastName: Type.String(),
    email: Type.String(),
    role: Type.Union([roleOfUser, Type.Null()]),
    smtpMode: smtpModeItem,
    ...mauticStampSchema,
  },
  {
    title: 'User',
    examples: [userExample],
  },
)
export type UserItem = Static<typeof userItem>

export const userFields = {
  ...stampFields,
  username: { column: 'username', type: 'text' },
  firstName: { column: 'first_name', type: 'text' },
  lastName: { column: 'last_name', type: 'text' },
  email: { column: 'email', type: 'text' },
} as const

/** The resource `/api/users`. */
export const userShape: ResourceShape = {
  path: '/api/users',
  one: 'user',
  many: 'users',
  label: 'User',
  area: 'user',
  listLimit: 30,
  fields: userFields,
  item: userItem,
  input: userInput,
  exampleChange: { lastName: 'Smith' },
}
