import { DsnError } from '../../grammar/dsn.ts'
import type { DsnReader } from '../dsn-reader.ts'
import { jsonScheme, parsed } from '../json-scheme.ts'
import type { Provider } from '../provider.ts'
import { keyField, loginFields, textField } from '../provider-form.ts'
import { smtpPreset } from '../smtp-preset.ts'
import { bodyV1, readV1 } from './api-v1.ts'
import { bodyV2, readV2 } from './api-v2.ts'

/**
 * AhaSend's API has no raw MIME, so the message is parsed. A DSN with an account id uses the API v2, one without it the
 * API v1 of older keys.
 * @see https://ahasend.com/docs/api-reference
 */
const ahasendApi = jsonScheme({
  names: ['ahasend+api'],
  form: {
    fields: [
      keyField('API key', 'An API key that may send messages, from "API keys".'),
      textField('password', 'Account id', {
        example: '0f8fad5b-d9cb-469f-a165-70867728950e',
        help: 'The page of the API keys shows it. Empty for older keys (API v1).',
        isOptional: true,
      }),
    ],
  },
  host: 'api.ahasend.com',
  path: ({ password }) =>
    password === undefined ? '/v1/email/send' : `/v2/accounts/${password}/messages/conversation`,
  headers(dsn): Record<string, string> {
    const key = dsn.requireUser('the API key')
    return dsn.password === undefined ? { 'x-api-key': key } : { authorization: `Bearer ${key}` }
  },
  limits: { recipientsMax: 100 },
  options: isFirst,
  body: parsed((message, isV1) => (isV1 ? bodyV1(message) : bodyV2(message))),
  readResponse: (response, isV1) => (isV1 ? readV1(response) : readV2(response)),
})

/** Whether a DSN is for the API v1. */
function isFirst({ user = '', password }: DsnReader): boolean {
  if (password !== undefined && !/^[\w-]+$/.test(password))
    throw new DsnError(
      'invalid_option',
      'The password part must be the account id of AhaSend: letters, digits and "-" only.',
      'password',
    )
  if (password === undefined && user.startsWith('aha-sk-'))
    throw new DsnError(
      'missing_password',
      'A key of the API v2 needs the account id in the password part: ahasend+api://KEY:ACCOUNT@default.',
    )
  return password === undefined
}

/** https://ahasend.com/docs/smtp */
export const ahasend: Provider = {
  name: 'ahasend',
  title: 'AhaSend',
  form: { link: 'https://ahasend.com/docs/api-reference' },
  /**
   * AhaSend signs with two keys of each domain, as TXT records or as CNAMEs to its own. Domains whose DNS it manages
   * have another selector. The return path can have another name, too.
   */
  domains: {
    selectors: [{ name: 'ahasend' }, { name: 'ahasend2' }],
    returnPaths: [
      { name: 'psrp', type: 'CNAME', target: /^(rp|[a-z0-9]+\.setup)\.ahasend\.com$/i },
    ],
    link: 'https://ahasend.com/docs',
  },
  schemes: [
    ahasendApi,
    smtpPreset({
      names: ['ahasend', 'ahasend+smtp'],
      form: {
        link: 'https://ahasend.com/docs/smtp',
        fields: loginFields('An SMTP credential, from "Credentials", "SMTP".'),
      },
      host: 'send.ahasend.com',
      port: 587,
    }),
  ],
}
