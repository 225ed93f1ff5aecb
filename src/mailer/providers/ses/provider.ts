import type { Provider } from '../provider.ts'
import { ownLogin, smtpPreset } from '../smtp-preset.ts'
import { sesApi } from './api.ts'
import { region } from './region.ts'

/** https://docs.aws.amazon.com/ses/latest/dg/smtp-connect.html */
export const ses: Provider = {
  name: 'ses',
  title: 'Amazon SES',
  schemes: [
    sesApi,
    smtpPreset({
      names: ['ses+smtp', 'ses+smtps'],
      host: (dsn) => {
        const own = `email-smtp.${region(dsn)}.amazonaws.com`
        return dsn.hasDefaultHost ? own : dsn.host
      },
      port: 465,
      tls: 'implicit',
      login: ownLogin,
      // SES drops an idle connection after ten seconds.
      pingAfterSeconds: 9,
    }),
  ],
  smtpHosts: [/^email-smtp(-fips)?\.[a-z0-9-]+\.amazonaws\.com(\.cn)?$/],
}
