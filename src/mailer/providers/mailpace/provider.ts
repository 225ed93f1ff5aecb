import type { Provider } from '../provider.ts'
import { keyLogin, smtpPreset } from '../smtp-preset.ts'
import { mailpaceApi } from './api.ts'

/** https://docs.mailpace.com/integrations/smtp/; ohmysmtp is its old name. */
export const mailpace: Provider = {
  name: 'mailpace',
  title: 'MailPace',
  schemes: [
    mailpaceApi,
    smtpPreset({
      names: [
        'mailpace',
        'mailpace+smtp',
        'mailpace+smtps',
        'ohmysmtp',
        'ohmysmtp+smtp',
        'ohmysmtp+smtps',
      ],
      host: 'smtp.mailpace.com',
      port: 587,
      tls: 'starttls',
      login: keyLogin('the API token'),
      isUserSecret: true,
    }),
  ],
  smtpHosts: ['smtp.mailpace.com'],
}
