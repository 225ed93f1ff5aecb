import type { Provider } from '../provider.ts'
import { sparkpostApi } from './api.ts'

/** https://developers.sparkpost.com/api/; its SMTP servers are reached with smtp://. */
export const sparkpost: Provider = {
  name: 'sparkpost',
  title: 'SparkPost',
  schemes: [sparkpostApi],
  smtpHosts: ['smtp.sparkpostmail.com', 'smtp.eu.sparkpostmail.com'],
}
