import type { DsnReader } from '../dsn-reader.ts'
import {
  type ApiScheme,
  apiEndpoint,
  apiKey,
  isPlugin,
  type Provider,
  regionHost,
  valueFor,
} from '../provider.ts'
import { hostField, keyField, loginFields, regionField } from '../provider-form.ts'
import { smtpPreset } from '../smtp-preset.ts'
import { createMimeAdapter, domainOf, findDomain } from './messages-mime.ts'
import { mailgunWebhooks } from './webhooks.ts'

const accountRegion = regionField({ us: 'United States', eu: 'Europe' }, { default: 'us' })

/** All of Symfony's Mailgun API schemes, and that of the Mautic plug-in, use messages.mime. */
const mailgunApi: ApiScheme = {
  kind: 'api',
  names: ['mailgun', 'mailgun+https', 'mailgun+api', 'mautic+mailgun+api'],
  publicOptions: ['domain', 'maxBatchLimit', 'region'],
  form: {
    pluginOptions: { domain: 'password', maxBatchLimit: null },
    fields: [
      keyField('API key', 'Best a sending key of the domain.'),
      hostField('password', 'Sending domain', { example: 'mg.example.com' }),
      accountRegion,
    ],
  },
  read(dsn) {
    // The plug-in's batch size; here each message is one call.
    dsn.options.text('maxBatchLimit')
    return createMimeAdapter({
      endpoint: apiEndpoint(dsn, valueFor(regionHost('api.mailgun.net', 'us'), dsn)),
      key: isPlugin(dsn) ? apiKey(dsn, 'the API key') : dsn.requireUser('the API key'),
      domain: domainOf(dsn),
    })
  },
}

function isSmtp({ scheme }: DsnReader): boolean {
  return scheme.includes('smtp')
}

/** SMTP credentials are those of one domain, that of their user name. */
function domainOfLogin({ user = '' }: DsnReader): string | null {
  const at = user.lastIndexOf('@')
  return at < 0 ? null : (findDomain(user.slice(at + 1)) ?? null)
}

/**
 * Mailgun.
 * @see https://documentation.mailgun.com/docs/mailgun/user-manual/sending-messages/send-smtp
 */
export const mailgun: Provider = {
  name: 'mailgun',
  title: 'Mailgun',
  form: { link: 'https://app.mailgun.com/settings/api_security' },
  webhooks: mailgunWebhooks,
  accountDomain: (dsn) => (isSmtp(dsn) ? domainOfLogin(dsn) : domainOf(dsn)),
  accountSecrets(dsn) {
    const { user, password } = dsn
    // For the API the password part is the sending domain, unless it holds the key, as in the plug-ins.
    const secret = isSmtp(dsn) ? password : (user ?? password)
    return secret === undefined ? [] : [secret]
  },
  /**
   * Mailgun signs for the domain of the DSN, or for its parent domain if that is its DKIM authority, whatever the From
   * domain is. The selector can be chosen. Unless the domain is verified, Mailgun sends on behalf of a domain of its own.
   */
  domains: {
    selectors: ['smtp', 'mx', 'k1', 'pic', 'mailo', 'krs', 'email'].map((name) => ({ name })),
    include: 'mailgun.org',
    link: 'https://documentation.mailgun.com/docs/mailgun/user-manual/domains/domains-verify',
  },
  schemes: [
    mailgunApi,
    smtpPreset({
      names: ['mailgun+smtp', 'mailgun+smtps'],
      publicOptions: ['region'],
      form: {
        link: 'https://app.mailgun.com/sending/domains',
        fields: [
          ...loginFields(
            'SMTP credentials of the domain; the user name is an address such as postmaster@mg.example.com.',
          ),
          accountRegion,
        ],
      },
      host: regionHost('smtp.mailgun.org', 'us'),
      port: 587,
    }),
  ],
  smtpHosts: ['smtp.mailgun.org', 'smtp.eu.mailgun.org'],
}
