import { keyField } from '../provider-form.ts'
import { keyLogin, smtpProvider } from '../smtp-preset.ts'

/**
 * Lettermint.
 * @see https://docs.lettermint.co/guides/send-email-with-smtp
 */
export const lettermint = smtpProvider({
  name: 'lettermint',
  title: 'Lettermint',
  link: 'https://dash.lettermint.co/projects',
  fields: [keyField('API token', 'The token of a project, for which SMTP is enabled.')],
  domains: {
    selectors: [{ name: 'lettermint' }],
    isComplete: true,
    returnPaths: [{ name: 'lm-bounces', type: 'CNAME', target: /^bounces\.lmta\.net$/i }],
    cnames: { 'lm-bounces': 'bounces.lmta.net' },
    link: 'https://docs.lettermint.co/platform/domains/introduction',
  },
  names: ['lettermint+smtp'],
  host: 'smtp.lettermint.co',
  port: 465,
  login: keyLogin('the API token', 'lettermint'),
})
