import type { Provider } from '../provider.ts'
import { ownLogin, smtpPreset } from '../smtp-preset.ts'
import { mailgunApi } from './api.ts'

/** https://documentation.mailgun.com/docs/mailgun/user-manual/sending-messages/send-smtp */
export const mailgun: Provider = {
  name: 'mailgun',
  title: 'Mailgun',
  schemes: [
    mailgunApi,
    smtpPreset({
      names: ['mailgun+smtp', 'mailgun+smtps'],
      publicOptions: ['region'],
      host: (dsn) => {
        const region = dsn.options.word('region') ?? 'us'
        return region === 'us' ? 'smtp.mailgun.org' : `smtp.${region}.mailgun.org`
      },
      port: 587,
      tls: 'starttls',
      login: ownLogin,
    }),
  ],
  smtpHosts: ['smtp.mailgun.org', 'smtp.eu.mailgun.org'],
}
