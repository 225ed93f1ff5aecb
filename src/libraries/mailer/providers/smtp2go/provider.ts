import { loginFields, regionField } from '../provider-form.ts'
import { smtpProvider } from '../smtp-preset.ts'

/**
 * SMTP2GO.
 * @see https://developers.smtp2go.com/docs/smtp-relay
 */
export const smtp2go = smtpProvider({
  name: 'smtp2go',
  title: 'SMTP2GO',
  link: 'https://app.smtp2go.com/sending/smtp_users/',
  fields: [
    ...loginFields('An SMTP user, from "Sending", "SMTP Users".'),
    regionField(
      { us: 'USA', eu: 'EU and UK', eu2: 'EU only', au: 'Australia' },
      { help: 'Empty for the nearest server.' },
    ),
  ],
  // Each account has three CNAMEs of its own, one of them for the return path.
  domains: {
    link: 'https://support.smtp2go.com/hc/en-gb/articles/28543815517209-SPF-DKIM-and-DMARC',
  },
  names: ['smtp2go+smtp'],
  publicOptions: ['region'],
  host: ({ options }) => {
    const region = options.word('region')
    return region === undefined ? 'mail.smtp2go.com' : `mail-${region}.smtp2go.com`
  },
  port: 465,
  smtpHosts: [/^mail(-[a-z0-9]+)?\.smtp2go\.com$/],
})
