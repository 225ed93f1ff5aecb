import type { Provider } from '../provider.ts'
import { smtpPreset } from '../smtp-preset.ts'
import { resendApi } from './api.ts'

/** https://resend.com/docs/send-with-smtp */
export const resend: Provider = {
  name: 'resend',
  title: 'Resend',
  schemes: [
    resendApi,
    smtpPreset({
      names: ['resend', 'resend+smtp'],
      host: 'smtp.resend.com',
      port: 465,
      tls: 'implicit',
      // The user name is always the same; what the DSN has there is not read.
      login: (dsn) => ({ user: 'resend', password: dsn.requirePassword('the API key') }),
      isUserSecret: true,
    }),
  ],
  smtpHosts: ['smtp.resend.com'],
}
