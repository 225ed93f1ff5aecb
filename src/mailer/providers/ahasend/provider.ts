import type { ApiAdapter } from '../../api/api-adapter.ts'
import { DsnError } from '../../grammar/dsn.ts'
import { type ApiScheme, apiEndpoint, type Provider } from '../provider.ts'
import { keyField, loginFields, textField } from '../provider-form.ts'
import { smtpPreset } from '../smtp-preset.ts'
import { ahasendV1 } from './api-v1.ts'
import { ahasendV2 } from './api-v2.ts'

/**
 * AhaSend's API has no raw MIME, so the message is parsed. A DSN with an account id uses the API v2, one without it the
 * API v1 of older keys.
 * @see https://ahasend.com/docs/api-reference
 */
const ahasendApi: ApiScheme = {
  kind: 'api',
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
  read(dsn) {
    const key = dsn.requireUser('the API key')
    const account = dsn.password
    const endpoint = apiEndpoint(dsn, 'api.ahasend.com')
    if (account !== undefined && !/^[\w-]+$/.test(account))
      throw new DsnError(
        'invalid_option',
        'The password part must be the account id of AhaSend: letters, digits and "-" only.',
        'password',
      )
    if (account === undefined && key.startsWith('aha-sk-'))
      throw new DsnError(
        'missing_password',
        'A key of the API v2 needs the account id in the password part: ahasend+api://KEY:ACCOUNT@default.',
      )
    return {
      endpoint,
      limits: { recipientsMax: 100 },
      ...(account === undefined
        ? ahasendV1({ endpoint, key })
        : ahasendV2({ endpoint, key, account })),
    } satisfies ApiAdapter
  },
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
