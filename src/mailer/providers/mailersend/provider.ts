import type { Provider } from '../provider.ts'
import { ownLogin, smtpPreset } from '../smtp-preset.ts'
import { mailersendApi } from './api.ts'

/** https://www.mailersend.com/help/smtp-relay. Symfony asks for implicit TLS on 587, where the server speaks STARTTLS. */
export const mailersend: Provider = {
  name: 'mailersend',
  title: 'MailerSend',
  schemes: [
    mailersendApi,
    smtpPreset({
      names: ['mailersend', 'mailersend+smtp'],
      host: 'smtp.mailersend.net',
      port: 587,
      tls: 'starttls',
      login: ownLogin,
    }),
  ],
  smtpHosts: ['smtp.mailersend.net'],
}
