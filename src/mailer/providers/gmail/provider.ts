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
}

/** Google shows an app password in four groups, and people copy the blanks, or Mautic's `+` for them. */
function appPasswordLogin(dsn: DsnReader): SmtpLogin {
  const { user, password } = ownLogin(dsn)
  const isGrouped = /^[a-z]{4}([ +][a-z]{4}){3}$/.test(password)
  return { user, password: isGrouped ? password.replace(/[ +]/g, '') : password }
}
