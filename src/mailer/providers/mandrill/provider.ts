import type { Provider } from '../provider.ts'
import { ownLogin, smtpPreset } from '../smtp-preset.ts'
import { mandrillApi } from './api.ts'

/** https://mailchimp.com/developer/transactional/docs/smtp-integration/ */
export const mandrill: Provider = {
  name: 'mandrill',
  title: 'Mailchimp Transactional',
  schemes: [
    mandrillApi,
    smtpPreset({
      names: ['mandrill+smtp', 'mandrill+smtps'],
      host: 'smtp.mandrillapp.com',
      port: 587,
      tls: 'starttls',
      login: ownLogin,
    }),
  ],
  smtpHosts: ['smtp.mandrillapp.com'],
}
