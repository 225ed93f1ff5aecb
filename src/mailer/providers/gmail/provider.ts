import type { DsnReader } from '../dsn-reader.ts'
import type { Provider } from '../provider.ts'
import { ownLogin, type SmtpLogin, smtpPreset } from '../smtp-preset.ts'

/** https://support.google.com/a/answer/176600 */
export const gmail: Provider = {
  name: 'gmail',
  title: 'Gmail',
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
      return 'Gmail wants an app password, not the password of the account: turn on 2-Step Verification and make one at https://myaccount.google.com/apppasswords.'
    if (reply?.enhancedCode === '5.4.5')
      return "The account's daily sending limit is reached; it is lifted within 24 hours."
    return undefined
  },
}

/** Google shows an app password in four groups, and people copy the blanks, or Mautic's `+` for them. */
function appPasswordLogin(dsn: DsnReader): SmtpLogin {
  const { user, password } = ownLogin(dsn)
  const isGrouped = /^[a-z]{4}([ +][a-z]{4}){3}$/.test(password)
  return { user, password: isGrouped ? password.replace(/[ +]/g, '') : password }
}
