import type { Provider } from '../provider.ts'

/**
 * https://learn.microsoft.com/exchange/clients-and-mobile-in-exchange-online/authenticated-client-smtp-submission.
 * It has no scheme of its own: people write smtp://user:password@smtp.office365.com:587.
 */
export const office365: Provider = {
  name: 'office365',
  title: 'Microsoft 365',
  schemes: [],
  smtpHosts: ['smtp.office365.com', 'smtp-mail.outlook.com', 'smtp-legacy.office365.com'],
  advise({ code, reply }) {
    if (code === 'login_refused' && reply?.enhancedCode === '5.7.139')
      return 'SMTP AUTH is disabled for this mailbox or the whole tenant: enable "Authenticated SMTP" for the mailbox in the Microsoft 365 admin center, or send with microsoftgraph+api://.'
    if (code === 'login_refused')
      return 'With multi-factor authentication Microsoft 365 takes an app password or an OAuth token (accessToken), and "Authenticated SMTP" must be enabled for the mailbox.'
    if (/SendAsDenied/i.test(reply?.text ?? ''))
      return 'The mailbox may only send as itself; give it the "Send as" permission for that address.'
    return undefined
  },
}
