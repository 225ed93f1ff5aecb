import type { Provider } from '../provider.ts'
import { smtpPreset } from '../smtp-preset.ts'
import { sendgridApi } from './api.ts'
import { sendgridKey } from './key.ts'

/** https://www.twilio.com/docs/sendgrid/for-developers/sending-email/integrating-with-the-smtp-api */
export const sendgrid: Provider = {
  name: 'sendgrid',
  title: 'SendGrid',
  schemes: [
    sendgridApi,
    smtpPreset({
      names: ['sendgrid', 'sendgrid+smtp', 'sendgrid+smtps'],
      host: (dsn) => {
        const region = dsn.options.word('region') ?? 'global'
        return region === 'global' ? 'smtp.sendgrid.net' : `smtp.${region}.sendgrid.net`
      },
      port: 465,
      tls: 'implicit',
      login: (dsn) => ({ user: 'apikey', password: sendgridKey(dsn) }),
      isUserSecret: true,
      publicOptions: ['region'],
    }),
  ],
  smtpHosts: ['smtp.sendgrid.net', 'smtp.eu.sendgrid.net'],
  advise({ code, reply }) {
    if (code === 'login_refused')
      return 'SendGrid wants the word "apikey" as user name and an API key with Mail Send rights as password; with sendgrid+smtp://KEY@default the key alone is enough.'
    if (code === 'credentials_refused')
      return 'Check that the API key is complete (SG.….…) and has the right "Mail Send" (SendGrid, Settings, API Keys); the key of an EU subuser needs region=eu in the DSN.'
    if (/verified sender identity/i.test(reply?.text ?? ''))
      return 'Verify this sender or its domain in SendGrid (Settings, Sender Authentication).'
    return undefined
  },
}
