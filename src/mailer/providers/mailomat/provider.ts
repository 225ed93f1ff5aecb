import type { Provider } from '../provider.ts'
import { ownLogin, smtpPreset } from '../smtp-preset.ts'
import { mailomatApi } from './api.ts'

/** https://mailomat.swiss/docs/smtp */
export const mailomat: Provider = {
  name: 'mailomat',
  title: 'Mailomat',
  schemes: [
    mailomatApi,
    smtpPreset({
      names: ['mailomat', 'mailomat+smtp', 'mailomat+smtps'],
      host: 'smtp.mailomat.cloud',
      port: 587,
      tls: 'starttls',
      login: ownLogin,
    }),
  ],
  smtpHosts: ['smtp.mailomat.cloud'],
}
