import type { DsnReader } from '../dsn-reader.ts'
import type { Provider } from '../provider.ts'
import { ownLogin, type SmtpLogin, smtpPreset } from '../smtp-preset.ts'

/**
 * Gmail.
 * @see https://support.google.com/a/answer/176600
 */
export const gmail: Provider = {
  name: 'gmail',
  title: 'Gmail',
  form: {
    link: 'https://myaccount.google.com/apppasswords',
    variants: [
      {
        scheme: 'gmail+smtp',
        fields: [
          {
            name: 'user',
            label: 'Address',
            type: 'text',
            example: 'me@gmail.com',
            help: 'The whole address.',
          },
          {
            name: 'password',
            label: 'App password',
            type: 'password',
            example: 'abcdefghijklmnop',
            help: 'Not the password of the account. It needs 2-Step Verification.',
          },
        ],
      },
    ],
  },
  schemes: [
    smtpPreset({
      names: ['gmail', 'gmail+smtp', 'gmail+smtps'],
      host: 'smtp.gmail.com',
      port: 465,
      tls: 'implicit',
      login: appPasswordLogin,
    }),
  ],
  smtpHosts: ['smtp.gmail.com', 'smtp-relay.gmail.com'],
  advise({ code, reply }) {
    if (code === 'login_refused')
      return 'Gmail requires an app password, not the password of the account: turn on 2-Step Verification and create one at https://myaccount.google.com/apppasswords.'
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
