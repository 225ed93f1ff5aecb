import type { Provider } from '../provider.ts'
import { keyField } from '../provider-form.ts'
import { keyLogin, smtpPreset } from '../smtp-preset.ts'

/**
 * MailKite, as Symfony's bridge uses it.
 * @see https://github.com/symfony/symfony/tree/8.2/src/Symfony/Component/Mailer/Bridge/MailKite
 */
export const mailkite: Provider = {
  name: 'mailkite',
  title: 'MailKite',
  form: {
    link: 'https://mailkite.dev/docs/authentication',
    variants: ['mailkite+smtp', 'mailkite+smtps'].map((scheme) => ({
      scheme,
      fields: [keyField('API key', 'From "Settings", "API key".')],
    })),
  },
  // Each domain has records that only the account knows.
  domains: { link: 'https://mailkite.dev/docs/sending' },
  schemes: [
    smtpPreset({
      names: ['mailkite', 'mailkite+smtp', 'mailkite+smtps'],
      host: 'smtp.mailkite.dev',
      port: ({ scheme }) => (scheme === 'mailkite+smtps' ? 465 : 587),
      login: keyLogin('the API key', 'mailkite'),
    }),
  ],
}
