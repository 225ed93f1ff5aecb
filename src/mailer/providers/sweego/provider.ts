import { DsnError } from '../../grammar/dsn-error.ts'
import type { DsnReader } from '../dsn-reader.ts'
import type { Provider } from '../provider.ts'
import { ownLogin, smtpPreset } from '../smtp-preset.ts'
import { sweegoApi } from './api.ts'

/** https://learn.sweego.io/docs/sending/smtp: every customer has a host and port of his own. */
export const sweego: Provider = {
  name: 'sweego',
  title: 'Sweego',
  schemes: [
    sweegoApi,
    smtpPreset({
      names: ['sweego', 'sweego+smtp'],
      host: ownHost,
      port: (dsn) => dsn.port ?? missing('port', dsn),
      tls: 'implicit',
      login: ownLogin,
    }),
  ],
}

function ownHost(dsn: DsnReader): string {
  return dsn.hasDefaultHost ? missing('host', dsn) : dsn.host
}

function missing(what: 'host' | 'port', { scheme }: DsnReader): never {
  throw new DsnError(
    what === 'host' ? 'no_host' : 'invalid_port',
    `Sweego gives each account a host and port of its own; write ${scheme}://LOGIN:PASSWORD@HOST:PORT.`,
  )
}
