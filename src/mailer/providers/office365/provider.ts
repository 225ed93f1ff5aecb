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
}
