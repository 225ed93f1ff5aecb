import type { DsnReader } from '../dsn-reader.ts'
import { applicationsPage, entraFields, microsoft365Domains, readEntraGrant } from '../entra.ts'
import { oauthScheme } from '../oauth-scheme.ts'
import type { Provider } from '../provider.ts'
import {
  accessTokenField,
  hostField,
  mailboxField,
  mailboxLimitFields,
  numberField,
  type SetupStep,
  secretField,
  textField,
} from '../provider-form.ts'

/** The hosts of a cloud of Microsoft: SMTP, and the resource of access tokens. */
interface Cloud {
  readonly smtpHost: string
  readonly resource: string
}

const worldwide: Cloud = {
  smtpHost: 'smtp.office365.com',
  resource: 'https://outlook.office365.com',
}

/**
 * Other clouds, by their log-in host.
 * @see https://learn.microsoft.com/microsoft-365/enterprise/urls-and-ip-address-ranges
 */
const otherClouds: ReadonlyMap<string, Cloud> = new Map([
  [
    'login.microsoftonline.us',
    { smtpHost: 'smtp.office365.us', resource: 'https://outlook.office365.us' },
  ],
  [
    'login.partner.microsoftonline.cn',
    { smtpHost: 'smtp.partner.outlook.cn', resource: 'https://partner.outlook.cn' },
  ],
])

function cloudOf({ options }: DsnReader): Cloud {
  const host = (options.text('authEndpoint') ?? '').toLowerCase().replace(/:\d+$/, '')
  return otherClouds.get(host) ?? worldwide
}

/**
 * `office365+oauth://APPLICATION:SECRET@default?tenantId=TENANT`: SMTP with a token of the application. Exchange Online
 * takes three connections and 30 messages a minute for one mailbox.
 * @see https://learn.microsoft.com/exchange/client-developer/legacy-protocols/how-to-authenticate-an-imap-pop-smtp-application-by-using-oauth
 * @see https://learn.microsoft.com/office365/servicedescriptions/exchange-online-service-description/exchange-online-limits
 */
const office365OAuth = oauthScheme({
  name: 'office365+oauth',
  publicOptions: ['authEndpoint', 'tenantId'],
  limits: { connectionsMax: 3, maxPerMinute: 30 },
  server: (dsn) => ({ host: cloudOf(dsn).smtpHost, port: 587 }),
  grant: (dsn) => readEntraGrant(dsn, `${cloudOf(dsn).resource}/.default`),
})

/**
 * How an administrator lets an application send as a mailbox.
 * @see https://learn.microsoft.com/exchange/client-developer/legacy-protocols/how-to-authenticate-an-imap-pop-smtp-application-by-using-oauth
 * @see https://learn.microsoft.com/powershell/module/exchangepowershell/new-serviceprincipal
 */
const setupSteps: readonly SetupStep[] = [
  {
    text: 'In Microsoft Entra, register an application for this tenant only, without a redirect URI. Its overview shows the application (client) id and the directory (tenant) id. Under "Certificates & secrets", create a client secret and copy its value.',
    link: applicationsPage,
  },
  {
    text: 'Under "API permissions", add a permission: "APIs my organization uses", "Office 365 Exchange Online" (not Microsoft Graph), "Application permissions", SMTP.SendAsApp. Then grant admin consent.',
    link: applicationsPage,
  },
  {
    text: 'Follow "Managed application in local directory" on the overview of the application to its enterprise application, and copy the object id there: OBJECT_ID below. The object id of the app registration is another one, and with it every log-in fails.',
  },
  {
    text: 'As an Exchange administrator, let the application send as each mailbox, in PowerShell with the module ExchangeOnlineManagement.',
    shell: 'powershell',
    lines: [
      'Connect-ExchangeOnline',
      'New-ServicePrincipal -AppId {user} -ObjectId OBJECT_ID',
      'Add-MailboxPermission -Identity {mailbox} -User OBJECT_ID -AccessRights FullAccess',
      'Set-CASMailbox -Identity {mailbox} -SmtpClientAuthenticationDisabled $false',
    ],
  },
  { text: 'Wait 15 to 30 minutes until Exchange Online applies this. Then send a test.' },
]

/**
 * Microsoft 365, with OAuth. A password needs smtp://user:password@smtp.office365.com:587.
 * @see https://learn.microsoft.com/exchange/clients-and-mobile-in-exchange-online/authenticated-client-smtp-submission
 */
export const office365: Provider = {
  name: 'office365',
  title: 'Microsoft 365',
  accountLimits: [
    {
      title: 'Mailbox',
      perMinute: 30,
      perDay: 10_000,
      connectionsMax: 3,
      link: 'https://learn.microsoft.com/office365/servicedescriptions/exchange-online-service-description/exchange-online-limits',
    },
  ],
  form: {
    link: 'https://admin.microsoft.com/#/users',
    variants: [
      {
        scheme: 'office365+oauth',
        title: 'Microsoft 365 (OAuth)',
        link: applicationsPage,
        fields: [
          ...entraFields('On the overview of the app registration.'),
          mailboxField,
          hostField('authEndpoint', 'Log-in host', {
            example: 'login.microsoftonline.us',
            help: 'Only for other clouds.',
            isAdvanced: true,
          }),
          ...mailboxLimitFields({ connectionsMax: 3, maxPerMinute: 30 }),
        ],
        steps: setupSteps,
      },
      {
        scheme: 'smtp',
        title: 'Password',
        fields: [
          hostField('host', 'Server', {
            example: 'smtp.office365.com',
            default: 'smtp.office365.com',
          }),
          numberField('port', 'Port', { example: '587', default: '587' }),
          textField('user', 'Mailbox', {
            example: 'me@example.com',
            help: 'The whole address. "Authenticated SMTP" must be enabled for the mailbox.',
          }),
          secretField('password', 'Password', {
            example: 'p@ss/word',
            help: 'Or set an access token under More settings.',
            isOptional: true,
          }),
          accessTokenField,
        ],
      },
    ],
  },
  domains: microsoft365Domains,
  schemes: [office365OAuth],
  smtpHosts: ['smtp.office365.com', 'smtp-mail.outlook.com', 'smtp-legacy.office365.com'],
  /** @see https://techcommunity.microsoft.com/blog/exchange/updated-exchange-online-smtp-auth-basic-authentication-deprecation-timeline/4489835 */
  passwordsEnd: {
    date: '2026-12-31',
    sentence:
      'From 31 December 2026 on, Microsoft 365 accepts a password only where an administrator turns it on again.',
    oauthScheme: 'office365+oauth',
  },
  advise({ code, reply }) {
    if (/ConcurrentConnections|sender thread limit/i.test(reply?.text ?? ''))
      return 'Exchange Online takes three connections and 30 messages a minute for one mailbox. Let no other program send as this mailbox, or lower max_connections and max_per_minute.'
    if (code === 'token_refused' && reply?.enhancedCode !== '5.7.139')
      return 'The token is valid, but it opens no mailbox. In Exchange PowerShell, New-ServicePrincipal needs the object id of the enterprise application (not that of the app registration), and Add-MailboxPermission its FullAccess to this mailbox; the application needs the permission SMTP.SendAsApp of Office 365 Exchange Online, with admin consent. A change takes 15 to 30 minutes.'
    if (code === 'login_refused' && /basic authentication is disabled/i.test(reply?.text ?? ''))
      return 'Microsoft 365 accepts no passwords from this tenant any more. Log in with OAuth: use office365+oauth://. For a while, an administrator can turn passwords on again.'
    if (reply?.enhancedCode === '5.7.139')
      return 'SMTP AUTH is disabled for this mailbox or the whole tenant: enable "Authenticated SMTP" for the mailbox in the Microsoft 365 admin center, or send with microsoftgraph+api://.'
    if (code === 'login_refused')
      return 'With multi-factor authentication Microsoft 365 requires an app password, and "Authenticated SMTP" must be enabled for the mailbox. Or log in with OAuth: use office365+oauth://.'
    if (/SendAsDenied/i.test(reply?.text ?? ''))
      return 'The mailbox may only send as itself; give it the "Send as" permission for that address.'
    return undefined
  },
}
