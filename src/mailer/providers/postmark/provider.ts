import type { Provider } from '../provider.ts'
import { keyLogin, smtpPreset } from '../smtp-preset.ts'
import { postmarkApi } from './api.ts'

/** https://postmarkapp.com/developer/user-guide/send-email-with-smtp */
export const postmark: Provider = {
  name: 'postmark',
  title: 'Postmark',
  schemes: [
    postmarkApi,
    smtpPreset({
      names: ['postmark', 'postmark+smtp', 'postmark+smtps'],
      host: 'smtp.postmarkapp.com',
      port: 587,
      tls: 'starttls',
      login: keyLogin('the server API token'),
      isUserSecret: true,
      publicOptions: ['message_stream'],
      headers: ({ options }) => {
        const stream = options.text('message_stream') ?? ''
        const keepId = ['X-PM-KeepID', 'true'] as const
        return stream === '' ? [keepId] : [keepId, ['X-PM-Message-Stream', stream]]
      },
    }),
  ],
  smtpHosts: ['smtp.postmarkapp.com', 'smtp-broadcasts.postmarkapp.com'],
}
