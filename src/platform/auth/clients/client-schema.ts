import Type, { type Static } from 'typebox'
import { recordIdOrNull, text } from '../../http/index.ts'
import {
  brandField,
  isPublishedField,
  jsonField,
  mauticStamps,
  namedStamps,
  nameField,
  type ResourceShape,
  recordFields,
  referenceField,
} from '../../resource/index.ts'
import { loginRuleFields } from '../login/login-rules.ts'
import { smtpModeField } from '../smtp-mode-field.ts'

/** The supported grants of OAuth 2.0 (RFC 6749). */
export const grantTypes = ['authorization_code', 'refresh_token', 'client_credentials'] as const
export type GrantType = (typeof grantTypes)[number]

/** The grants of a client whose input names none. */
export const defaultGrants: GrantType[] = ['authorization_code', 'refresh_token']

export const exampleClientSecret = 'Yb3xT0qRk7uZ1wE8sVdN5hJc2mLf9aGo4iPyQtXeWrA'

const crm = {
  name: 'CRM',
  redirectUris: ['https://crm.example.com/oauth/callback'],
  grantTypes: ['authorization_code', 'refresh_token', 'client_credentials'],
  role: 2,
}

export const clientRecord = recordFields(mauticStamps, ['name'], {
  name: nameField('The name of the application, as the consent page shows it.'),
  clientId: { item: Type.String() },
  clientSecret: {
    item: text('Shown only once, in the response to the creation.'),
  },
  redirectUris: jsonField(
    Type.Optional(
      Type.Array(Type.String({ maxLength: 2_000 }), {
        maxItems: 50,
        description: 'Where authorization codes may be sent. Compared character by character.',
      }),
    ),
    Type.Array(Type.String()),
    [],
  ),
  grantTypes: jsonField(
    Type.Optional(
      Type.Array(Type.Enum([...grantTypes]), {
        minItems: 1,
        description: 'Default: authorization_code and refresh_token.',
      }),
    ),
    Type.Unsafe<GrantType[]>(Type.Array(Type.String())),
    defaultGrants,
  ),
  role: referenceField(
    'role_id',
    Type.Optional(
      recordIdOrNull('Id of the role that the client itself has with client_credentials.'),
    ),
  ),
  smtpMode: smtpModeField,
  brand: brandField,
  ...loginRuleFields,
  isPublished: isPublishedField,
})

export const clientInput = Type.Object(clientRecord.input, {
  title: 'OAuthClientInput',
  examples: [
    crm,
    {
      name: 'Import',
      grantTypes: ['client_credentials'],
      role: 2,
      networks: ['203.0.113.0/24', '2001:db8::/32'],
      validUntil: '2099-12-31',
    },
  ],
})
export type ClientInput = Static<typeof clientInput>

export const exampleClientId = '7d9f2c41a86b4e5f9c0d3a1b5e8f6072'

const clientItem = Type.Object(clientRecord.item, {
  title: 'OAuthClient',
  examples: [
    clientRecord.example(1, {
      ...crm,
      clientId: exampleClientId,
      smtpMode: null,
      networks: [],
      validUntil: null,
    }),
  ],
})
export type ClientItem = Static<typeof clientItem>

export const clientFields = {
  ...clientRecord.listFields('name'),
  // These two are filtered by name.
  ...namedStamps.fields,
  clientId: { column: 'client_id', type: 'text' },
} as const

export const clientShape: ResourceShape = {
  path: '/api/oauthClients',
  one: 'oauthClient',
  many: 'oauthClients',
  label: 'OAuth client',
  area: 'api',
  listLimit: 30,
  fields: clientFields,
  item: clientItem,
  input: clientInput,
  exampleChange: { redirectUris: ['https://crm.example.com/callback'] },
}
