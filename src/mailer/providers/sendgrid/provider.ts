import { DsnError } from '../../grammar/dsn-error.ts'
import type { DsnReader } from '../dsn-reader.ts'
import type { Provider } from '../provider.ts'
import { keyLogin, type SmtpLogin, smtpPreset } from '../smtp-preset.ts'

/** https://www.twilio.com/docs/sendgrid/for-developers/sending-email/integrating-with-the-smtp-api */
export const sendgrid: Provider = {
  name: 'sendgrid',
  title: 'SendGrid',
  schemes: [
    smtpPreset({
      names: ['sendgrid', 'sendgrid+smtp', 'sendgrid+smtps'],
      host: (dsn) => {
        const region = dsn.options.word('region') ?? 'global'
        return region === 'global' ? 'smtp.sendgrid.net' : `smtp.${region}.sendgrid.net`
      },
      port: 465,
      tls: 'implicit',
      login: apiKeyLogin,
      isUserSecret: true,
    }),
  ],
  smtpHosts: ['smtp.sendgrid.net', 'smtp.eu.sendgrid.net'],
  advise({ code, reply }) {
    if (code === 'login_refused')
      return 'SendGrid wants the word "apikey" as user name and an API key with Mail Send rights as password; with sendgrid+smtp://KEY@default the key alone is enough.'
    if (/verified sender identity/i.test(reply?.text ?? ''))
      return 'Verify this sender or its domain in SendGrid (Settings, Sender Authentication).'
    return undefined
  },
}

function apiKeyLogin(dsn: DsnReader): SmtpLogin {
  // Symfony takes the word for the key, and every log-in fails.
  if (dsn.user === 'apikey' && dsn.password !== undefined)
    throw new DsnError(
      'misplaced_key',
      `The API key goes in the user part, without "apikey": ${dsn.scheme}://KEY@default.`,
    )
  return keyLogin('the API key', 'apikey')(dsn)
}
