import type { Provider } from '../provider.ts'
import { postalApi } from './api.ts'

/** https://docs.postalserver.io/developer/api; its SMTP server is reached with smtp://. */
export const postal: Provider = { name: 'postal', title: 'Postal', schemes: [postalApi] }
