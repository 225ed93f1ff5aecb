import type { Provider } from '../provider.ts'
import { ownLogin, smtpPreset } from '../smtp-preset.ts'
import { scalewayApi } from './api.ts'

/** https://www.scaleway.com/en/docs/transactional-email/reference-content/smtp-configuration/ */
export const scaleway: Provider = {
  name: 'scaleway',
  title: 'Scaleway Transactional Email',
  schemes: [
    scalewayApi,
    smtpPreset({
      names: ['scaleway', 'scaleway+smtp', 'scaleway+smtps'],
      host: 'smtp.tem.scw.cloud',
      port: 465,
      tls: 'implicit',
      login: ownLogin,
    }),
  ],
  smtpHosts: ['smtp.tem.scw.cloud'],
}
