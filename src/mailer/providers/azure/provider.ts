import type { Provider } from '../provider.ts'
import { azureApi } from './api.ts'

/** https://learn.microsoft.com/azure/communication-services/concepts/email/email-overview */
export const azure: Provider = {
  name: 'azure',
  title: 'Azure Communication Services',
  schemes: [azureApi],
}
