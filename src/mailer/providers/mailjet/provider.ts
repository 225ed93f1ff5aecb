import type { Provider } from '../provider.ts'
import { ownLogin, smtpPreset } from '../smtp-preset.ts'
import { mailjetApi } from './api.ts'

/** https://dev.mailjet.com/smtp-relay/configuration/ */
export const mailjet: Provider = {
  name: 'mailjet',
  title: 'Mailjet',
  schemes: [
    mailjetApi,
    smtpPreset({
      names: ['mailjet', 'mailjet+smtp', 'mailjet+smtps', 'mautic+mailjet+smtp'],
      host: 'in-v3.mailjet.com',
      port: 587,
      tls: 'starttls',
      login: ownLogin,
    }),
  ],
  smtpHosts: ['in-v3.mailjet.com'],
}
