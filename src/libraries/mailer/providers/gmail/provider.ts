import { DsnError } from '../../grammar/dsn.ts'
import type { DsnReader } from '../dsn-reader.ts'
import {
  encodePrivateKey,
  oauthScheme,
  readPrivateKey,
  readSecretGrant,
  readTokenUrl,
} from '../oauth-scheme.ts'
import type { Provider } from '../provider.ts'
import {
  mailboxField,
  mailboxLimitFields,
  type SetupStep,
  secretField,
  textField,
} from '../provider-form.ts'
import { ownLogin, type SmtpLogin, smtpPreset } from '../smtp-preset.ts'

const scope = 'https://mail.google.com/'

/**
 * `gmail+oauth://CLIENT:SECRET@default?refreshToken=…`, and `gmail+oauth://ACCOUNT@default?key=…` for a service account.
 * @see https://developers.google.com/workspace/gmail/imap/xoauth2-protocol
 * @see https://developers.google.com/identity/protocols/oauth2/service-account
 */
const gmailOAuth = oauthScheme({
  name: 'gmail+oauth',
  publicOptions: ['tokenUrl'],
  server: () => ({ host: 'smtp.gmail.com', port: 465 }),
  grant(dsn) {
    const tokenUrl = readTokenUrl(dsn, 'https://oauth2.googleapis.com/token')
    const target = { tokenUrl, issuer: 'google' as const }
    if (dsn.options.text('key'))
      return {
        ...target,
        type: 'jwt_bearer',
        scope,
        clientId: dsn.requireUser('the email of the service account'),
        key: readPrivateKey(dsn),
      }
    if (!dsn.options.text('refreshToken'))
      throw new DsnError(
        'invalid_option',
        'The DSN needs the option refreshToken, or the option key of a service account. The console gets a refresh token: "Sign in with Google".',
        'refreshToken',
      )
    if (!dsn.options.text('mailbox'))
      dsn.warn(
        'A refresh token opens only the mailbox of the account that signed in: set mailbox to it.',
      )
    // A refresh token has its scope.
    return readSecretGrant(dsn, { ...target, scope: null })
  },
})

const clientsPage = 'https://console.cloud.google.com/auth/clients'
const serviceAccountsPage = 'https://console.cloud.google.com/iam-admin/serviceaccounts'

const enableApi: SetupStep = {
  text: 'Create or choose a project in Google Cloud, and enable the Gmail API in it.',
  link: 'https://console.cloud.google.com/apis/library/gmail.googleapis.com',
}

/**
 * How the owner of a mailbox lets an OAuth client send.
 * @see https://developers.google.com/identity/protocols/oauth2#expiration
 * @see https://support.google.com/cloud/answer/15549945
 */
const clientSteps: readonly SetupStep[] = [
  enableApi,
  {
    text: 'Set the audience of the consent screen to "Internal", which Google Workspace offers. Publish an external app: while it is in testing, a refresh token ends after 7 days.',
    link: 'https://console.cloud.google.com/auth/audience',
  },
  {
    text: 'Create an OAuth client of the type "Web application", with the redirect URI of this form. Copy its client id and client secret.',
    link: clientsPage,
  },
  { text: 'Sign in as the owner of the mailbox, from this form.' },
]

/**
 * How an administrator lets a service account send as every mailbox of a Google Workspace.
 * @see https://developers.google.com/identity/protocols/oauth2/service-account
 * @see https://support.google.com/a/answer/162106
 */
const serviceAccountSteps: readonly SetupStep[] = [
  enableApi,
  {
    text: 'Create a service account, and under "Keys" a key of the type JSON. Paste the whole file into the field of the key.',
    link: serviceAccountsPage,
  },
  {
    text: 'In the admin console of Google Workspace, under "Domain-wide delegation", add the client id of the service account (a number: "client_id" of the key file) with this scope.',
    link: 'https://admin.google.com/ac/owl/domainwidedelegation',
    lines: [scope],
  },
  { text: 'Usually it applies within minutes, at the latest after 24 hours. Then send a test.' },
]

/**
 * Google: Gmail and Google Workspace.
 * @see https://support.google.com/a/answer/176600
 */
export const gmail: Provider = {
  name: 'gmail',
  title: 'Google',
  accountLimits: [
    { title: 'Gmail', perDay: 500, link: 'https://support.google.com/mail/answer/22839' },
    {
      title: 'Google Workspace, trial',
      perDay: 500,
      link: 'https://support.google.com/a/answer/166852',
    },
    {
      title: 'Google Workspace',
      perDay: 2_000,
      link: 'https://support.google.com/a/answer/166852',
    },
  ],
  form: {
    title: 'Google (Gmail, Workspace)',
    link: 'https://myaccount.google.com/apppasswords',
    variants: [
      {
        scheme: 'gmail+oauth',
        title: 'Google (OAuth)',
        link: clientsPage,
        fields: [
          textField('user', 'Client id', { example: '1234-sample.apps.googleusercontent.com' }),
          secretField('password', 'Client secret', { example: 'sample-secret' }),
          secretField('refreshToken', 'Refresh token', {
            example: '1//sample-token',
            help: 'From signing in as the owner of the mailbox.',
          }),
          {
            ...mailboxField,
            help: "The account that signed in. Empty: each message through its sender's own mailbox, which only works for that account.",
          },
          ...mailboxLimitFields(),
        ],
        steps: clientSteps,
      },
      {
        scheme: 'gmail+oauth',
        name: 'serviceAccount',
        title: 'Google (OAuth, service account)',
        distinctOption: 'key',
        encode: { key: encodePrivateKey },
        link: serviceAccountsPage,
        fields: [
          textField('user', 'Service account', {
            example: 'mailyard@sample.iam.gserviceaccount.com',
            help: 'Its email: "client_email" of the key file.',
          }),
          secretField('key', 'Key', {
            example: 'LS0tLS1CRUdJTiBQUklWQVRFIEtFWS0tLS0t',
            help: 'The JSON key file, pasted, or its private key.',
          }),
          {
            ...mailboxField,
            help: `${mailboxField.help} The mailbox must belong to the Google Workspace.`,
          },
          ...mailboxLimitFields(),
        ],
        steps: serviceAccountSteps,
      },
      {
        scheme: 'gmail+smtp',
        title: 'App password',
        fields: [
          textField('user', 'Address', { example: 'me@gmail.com', help: 'The whole address.' }),
          secretField('password', 'App password', {
            example: 'abcdefghijklmnop',
            help: 'Not the password of the account. It needs 2-Step Verification.',
          }),
        ],
      },
    ],
  },
  /**
   * Google signs for a domain of Google Workspace once its administrator turned that on; the selector can be changed.
   * For an alias of another domain it may sign for the domain of the account, and use the account's address as envelope
   * sender.
   */
  domains: {
    selectors: [{ name: 'google' }],
    include: '_spf.google.com',
    link: 'https://support.google.com/a/answer/174124',
  },
  schemes: [
    gmailOAuth,
    smtpPreset({
      names: ['gmail', 'gmail+smtp', 'gmail+smtps'],
      host: 'smtp.gmail.com',
      port: 465,
      login: appPasswordLogin,
      isUserSecret: false,
    }),
  ],
  smtpHosts: ['smtp-relay.gmail.com', 'smtp.googlemail.com'],
  /** @see https://support.google.com/a/answer/14114704 */
  passwordsEnd: {
    date: '2025-05-01',
    sentence:
      'From 1 May 2025 on, Google accepts OAuth and app passwords of 16 letters, not the password of an account.',
    oauthScheme: 'gmail+oauth',
    isKept: (password) => /^[a-z]{16}$/i.test(password.replaceAll(' ', '')),
  },
  advise({ code, reply }) {
    if (code === 'token_refused')
      return 'The token does not open this mailbox. Set mailbox to the account that signed in; with a service account, the mailbox must be of the Workspace domain, and the administrator must have delegated the scope https://mail.google.com/.'
    if (code === 'login_refused')
      return 'Google requires an app password, not the password of the account: turn on 2-Step Verification and create one at https://myaccount.google.com/apppasswords.'
    if (reply?.code === 555 && reply.enhancedCode === '5.5.2')
      return 'Google answers so where the log-in is not a mailbox of the domain: check the option mailbox, or the sender.'
    if (reply?.enhancedCode === '5.4.5')
      return "The account's daily sending limit is reached; it is lifted within 24 hours."
    return undefined
  },
}

/** Reads the log-in. Google shows an app password in four groups; the copied spaces, or Mautic's `+`, are removed. */
function appPasswordLogin(dsn: DsnReader): SmtpLogin {
  const { user, password } = ownLogin(dsn)
  const isGrouped = /^[a-z]{4}([ +][a-z]{4}){3}$/.test(password)
  return { user, password: isGrouped ? password.replace(/[ +]/g, '') : password }
}
