import type { Provider } from '../provider.ts'
import { keyLogin, smtpPreset } from '../smtp-preset.ts'
import { infobipApi } from './api.ts'

/** https://www.infobip.com/docs/email/smtp-specification */
export const infobip: Provider = {
  name: 'infobip',
  title: 'Infobip',
  schemes: [
    infobipApi,
    smtpPreset({
      names: ['infobip', 'infobip+smtp', 'infobip+smtps'],
      host: 'smtp-api.infobip.com',
      port: 587,
      tls: 'starttls',
      login: keyLogin('the API key', 'App'),
      isUserSecret: true,
    }),
  ],
  smtpHosts: ['smtp-api.infobip.com'],
}
