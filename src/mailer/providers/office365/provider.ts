import type { Provider } from '../provider.ts'

/**
 * Microsoft 365. It has no scheme: write smtp://user:password@smtp.office365.com:587.
 * @see https://learn.microsoft.com/exchange/clients-and-mobile-in-exchange-online/authenticated-client-smtp-submission
 */
export const office365: Provider = {
  name: 'office365',
  title: 'Microsoft 365',
  form: {
    link: 'https://admin.microsoft.com/#/users',
    variants: [
      {
        scheme: 'smtp',
        fields: [
          {
            name: 'host',
            label: 'Server',
            type: 'host',
            example: 'smtp.office365.com',
            default: 'smtp.office365.com',
          },
          { name: 'port', label: 'Port', type: 'number', example: '587', default: '587' },
          {
            name: 'user',
            label: 'Mailbox',
            type: 'text',
            example: 'me@example.com',
            help: 'The whole address. "Authenticated SMTP" must be enabled for the mailbox.',
          },
          {
            name: 'password',
            label: 'Password',
            type: 'password',
            example: 'p@ss/word',
            help: 'Or an access token.',
            isOptional: true,
          },
          {
            name: 'accessToken',
            label: 'OAuth access token',
            type: 'password',
            example: 'ya29.sample',
            help: 'Instead of a password.',
            isOptional: true,
            isAdvanced: true,
          },
        ],
      },
    ],
  },
  schemes: [],
  smtpHosts: ['smtp.office365.com', 'smtp-mail.outlook.com', 'smtp-legacy.office365.com'],
  advise({ code, reply }) {
    if (code === 'login_refused' && reply?.enhancedCode === '5.7.139')
      return 'SMTP AUTH is disabled for this mailbox or the whole tenant: enable "Authenticated SMTP" for the mailbox in the Microsoft 365 admin center, or send with microsoftgraph+api://.'
    if (code === 'login_refused')
      return 'With multi-factor authentication Microsoft 365 requires an app password or an OAuth token (accessToken), and "Authenticated SMTP" must be enabled for the mailbox.'
    if (/SendAsDenied/i.test(reply?.text ?? ''))
      return 'The mailbox may only send as itself; give it the "Send as" permission for that address.'
    return undefined
  },
}
