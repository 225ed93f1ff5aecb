import type { Provider } from '../provider.ts'
import { omniveryApi } from './api.ts'

/** https://docs.omnivery.com/docs/sending/email */
export const omnivery: Provider = {
  name: 'omnivery',
  title: 'Omnivery',
  schemes: [omniveryApi],
}
