import { hostField, secretField, textField } from '../provider-form.ts'
import { smtpProvider } from '../smtp-preset.ts'

/**
 * turboSMTP, as Symfony's bridge uses it.
 * @see https://github.com/symfony/symfony/tree/8.2/src/Symfony/Component/Mailer/Bridge/TurboSmtp
 */
export const turbosmtp = smtpProvider({
  name: 'turbosmtp',
  title: 'turboSMTP',
  link: 'https://dashboard.serversmtp.com/',
  fields: [
    textField('user', 'Consumer key', { example: 'sample-key-123' }),
    secretField('password', 'Consumer secret', { example: 'sample-secret' }),
    hostField('host', 'Server', {
      example: 'pro.eu.turbo-smtp.com',
      help: 'That of accounts in the EU is pro.eu.turbo-smtp.com.',
      isOptional: true,
      default: 'pro.turbo-smtp.com',
    }),
  ],
  // For a domain that is not verified, turboSMTP sends with an envelope sender and a Sender of its own.
  domains: {
    selectors: [{ name: 'turbo-smtp' }],
    include: 'turbo-smtp.com',
    link: 'https://serversmtp.com/it/come-configurare-autenticazione-delle-email',
  },
  names: ['turbosmtp', 'turbosmtp+smtp'],
  host: ({ hasDefaultHost, host }) => (hasDefaultHost ? 'pro.turbo-smtp.com' : host),
  port: 587,
  smtpHosts: ['pro.turbo-smtp.com', 'pro.eu.turbo-smtp.com'],
})
