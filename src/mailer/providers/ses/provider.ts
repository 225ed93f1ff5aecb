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
      publicOptions: ['region'],
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
  advise({ code, reply }) {
    if (code === 'login_refused')
      return 'Amazon SES wants SMTP credentials (SES console, SMTP settings, Create SMTP credentials), not the access key and secret of IAM, and those of this region.'
    if (/signature (not yet current|expired)|request.*expired/i.test(reply?.text ?? ''))
      return 'The signature of Amazon SES holds for some minutes: set the clock of this machine (NTP).'
    if (code === 'credentials_refused')
      return 'The API of Amazon SES wants an access key of IAM that may do ses:SendEmail and ses:SendRawEmail, with its secret percent-encoded (/ as %2F), not SMTP credentials; check the region, too.'
    if (/not verified/i.test(reply?.text ?? ''))
      return 'Verify this sender in Amazon SES in the region of the DSN; in the sandbox the recipient must be verified too, or request production access.'
    return undefined
  },
  smtpHosts: [/^email-smtp(-fips)?\.[a-z0-9-]+\.amazonaws\.com(\.cn)?$/],
}
