import type { Provider } from '../provider.ts'
import { ownLogin, smtpPreset } from '../smtp-preset.ts'
import { ahasendApi } from './api.ts'

/** https://ahasend.com/docs/smtp */
export const ahasend: Provider = {
  name: 'ahasend',
  title: 'AhaSend',
  schemes: [
    ahasendApi,
    smtpPreset({
      names: ['ahasend', 'ahasend+smtp'],
      host: 'send.ahasend.com',
      port: 587,
      tls: 'starttls',
      login: ownLogin,
    }),
  ],
  smtpHosts: ['send.ahasend.com'],
}
