import { keyField } from '../provider-form.ts'
import { keyLogin, smtpProvider } from '../smtp-preset.ts'

/**
 * MailKite, as Symfony's bridge uses it.
 * @see https://github.com/symfony/symfony/tree/8.2/src/Symfony/Component/Mailer/Bridge/MailKite
 */
export const mailkite = smtpProvider({
  name: 'mailkite',
  title: 'MailKite',
  link: 'https://mailkite.dev/docs/authentication',
  fields: [keyField('API key', 'From "Settings", "API key".')],
  // Each domain has records that only the account knows.
  domains: { link: 'https://mailkite.dev/docs/sending' },
  names: ['mailkite', 'mailkite+smtp', 'mailkite+smtps'],
  host: 'smtp.mailkite.dev',
  port: ({ scheme }) => (scheme === 'mailkite+smtps' ? 465 : 587),
  login: keyLogin('the API key', 'mailkite'),
})
