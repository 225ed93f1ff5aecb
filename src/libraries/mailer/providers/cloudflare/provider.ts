import { secretField } from '../provider-form.ts'
import { passwordLogin, smtpProvider } from '../smtp-preset.ts'

/**
 * Cloudflare Email Sending. In Symfony, `cloudflare` and `cloudflare+api` are its API.
 * @see https://developers.cloudflare.com/email-service/api/send-emails/smtp/
 */
export const cloudflare = smtpProvider({
  name: 'cloudflare',
  title: 'Cloudflare',
  link: 'https://dash.cloudflare.com/profile/api-tokens',
  fixedUser: 'api_token',
  fields: [
    secretField('password', 'API token', {
      example: 'sample-token-123',
      help: 'With the permission "Email Sending: Edit".',
    }),
  ],
  domains: {
    selectors: [{ name: 'cf-bounce' }],
    isComplete: true,
    returnPaths: [{ name: 'cf-bounce', type: 'MX', target: /^route\d+\.mx\.cloudflare\.net$/i }],
    link: 'https://developers.cloudflare.com/email-service/configuration/domains/',
  },
  names: ['cloudflare+smtp'],
  host: 'smtp.mx.cloudflare.net',
  port: 465,
  login: passwordLogin('the API token', 'api_token'),
})
