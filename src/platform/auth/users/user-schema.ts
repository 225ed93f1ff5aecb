import Type, { type Static } from 'typebox'
import { emailKey, normalizeForSearch } from '../../../kit/normalize-for-search.ts'
import { emailAddress, nullable, recordId, text } from '../../http/index.ts'
import {
  isPublishedField,
  jsonField,
  mauticStamps,
  nameField,
  plainField,
  type ResourceShape,
  recordFields,
} from '../../resource/index.ts'
import { loginRuleFields } from '../login/login-rules.ts'
import { smtpModeField } from '../smtp-mode-field.ts'
import { nameSkeleton } from './name-skeleton.ts'

const brandsMax = 100
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

const ann = { username: 'ann', firstName: 'Ann', lastName: 'Miller', email: 'ann@example.com' }
const plainPassword = {
  password: 'correct horse battery staple',
  confirm: 'correct horse battery staple',
}

const roleOfUser = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  description: nullable(Type.String()),
  isAdmin: Type.Boolean(),
  rawPermissions: Type.Unsafe<object>({ type: 'object', additionalProperties: true }),
})

/** The fields of a user; see `recordFields`. A change may leave out the password. */
export const userRecord = recordFields(
  mauticStamps,
  ['firstName', 'lastName', 'username', 'email'],
  {
    username: nameField('The name to log in with.'),
    firstName: plainField(text('Default: empty.', { maxLength: 255 }), Type.String(), {
      fallback: '',
    }),
    lastName: plainField(text('Default: empty.', { maxLength: 255 }), Type.String(), {
      fallback: '',
    }),
    email: plainField(
      emailAddress('The address for test messages and for log-in.'),
      Type.String(),
      {
        fallback: '',
      },
    ),
    role: { input: recordId('Id of the role.'), item: Type.Union([roleOfUser, Type.Null()]) },
    plainPassword: { input: Type.Optional(password) },
    smtpMode: smtpModeField,
    brands: {
      ...jsonField(
        Type.Optional(
          Type.Array(recordId('A brand.'), {
            maxItems: brandsMax,
            description: 'The brands whose records and messages the user reaches. Empty: all.',
          }),
        ),
        Type.Array(Type.Integer()),
        [],
      ),
      toColumn: (ids: number[] = []) =>
        JSON.stringify([...new Set(ids)].sort((one, other) => one - other)),
    },
    ...loginRuleFields,
    isPublished: isPublishedField,
  },
)

export const userInput = Type.Object(userRecord.input, {
  title: 'UserInput',
  examples: [
    { ...ann, role: 2, plainPassword },
    { username: 'ben', email: 'ben@example.com', role: 2, plainPassword },
  ],
})
export type UserInput = Static<typeof userInput>

/** The columns of a user, without the password. */
export function toUserColumns(input: UserInput) {
  const { username, email } = input
  return {
    ...userRecord.toColumns(input),
    username_key: normalizeForSearch(username.trim()),
    username_skeleton: nameSkeleton(username),
    email_key: emailKey(email),
    role_id: input.role,
  }
}

const authorRole = {
  id: 2,
  name: 'Author',
  description: 'Writes emails and templates.',
  isAdmin: false,
  rawPermissions: { email: ['view', 'create', 'edit'], twigtemplates: ['full'] },
}

/** The user that the first example of the input creates. */
export const userExample = userRecord.example(2, {
  ...ann,
  role: authorRole,
  smtpMode: null,
  brands: [],
  networks: [],
  validUntil: null,
})

export const userItem = Type.Object(userRecord.item, { title: 'User', examples: [userExample] })
export type UserItem = Static<typeof userItem>

export const userFields = {
  ...userRecord.listFields(),
  role: { column: 'role_id', type: 'number' },
} as const

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
