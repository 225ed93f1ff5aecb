import type { Provider } from '../provider.ts'
import { ownLogin, smtpPreset } from '../smtp-preset.ts'
import { brevoApi } from './api.ts'

/** https://developers.brevo.com/docs/smtp-integration; sendinblue is its old name. */
export const brevo: Provider = {
  name: 'brevo',
  title: 'Brevo',
  schemes: [
    brevoApi,
    smtpPreset({
      names: ['brevo', 'brevo+smtp', 'sendinblue', 'sendinblue+smtp'],
      host: 'smtp-relay.brevo.com',
      port: 465,
      tls: 'implicit',
      login: ownLogin,
    }),
  ],
  smtpHosts: ['smtp-relay.brevo.com', 'smtp-relay.sendinblue.com'],
}
