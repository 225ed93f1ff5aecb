import type { Provider } from '../provider.ts'
import { keyLogin, smtpPreset } from '../smtp-preset.ts'
import { mailtrapApi, mailtrapSandbox } from './api.ts'

/** https://docs.mailtrap.io/email-api-smtp/setup/smtp-integration */
export const mailtrap: Provider = {
  name: 'mailtrap',
  title: 'Mailtrap',
  schemes: [
    mailtrapApi,
    mailtrapSandbox,
    smtpPreset({
      names: ['mailtrap', 'mailtrap+smtp', 'mailtrap+smtps'],
      host: 'live.smtp.mailtrap.io',
      port: 587,
      tls: 'starttls',
      login: keyLogin('the API token', 'api'),
      isUserSecret: true,
    }),
  ],
  smtpHosts: ['live.smtp.mailtrap.io', 'bulk.smtp.mailtrap.io', 'sandbox.smtp.mailtrap.io'],
}
