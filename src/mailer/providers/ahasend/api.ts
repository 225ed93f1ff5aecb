import type { ApiAdapter } from '../../api/api-adapter.ts'
import { DsnError } from '../../grammar/dsn-error.ts'
import { apiEndpoint } from '../api-endpoint.ts'
import type { ApiScheme } from '../provider.ts'
import { ahasendV1 } from './api-v1.ts'
import { ahasendV2 } from './api-v2.ts'

/**
 * AhaSend's API takes no raw MIME, so the message is taken apart. A DSN with an account id speaks the
 * API v2, one with a key alone the v1 that keys from before have. https://ahasend.com/docs/api-reference
 */
export const ahasendApi: ApiScheme = {
  kind: 'api',
  names: ['ahasend+api'],
  isUserSecret: true,
  read(dsn) {
    const key = dsn.requireUser('the API key')
    const account = dsn.password
    const endpoint = apiEndpoint(dsn, 'api.ahasend.com')
    if (account !== undefined && !/^[\w-]+$/.test(account))
      throw new DsnError(
        'invalid_option',
        'The password part must be the account id of AhaSend: letters, digits and "-" only.',
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
