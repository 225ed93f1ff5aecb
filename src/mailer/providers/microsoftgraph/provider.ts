import type { Provider } from '../provider.ts'
import { microsoftgraphApi } from './api.ts'

/** https://learn.microsoft.com/graph/outlook-send-mime-message */
export const microsoftgraph: Provider = {
  name: 'microsoftgraph',
  title: 'Microsoft Graph',
  schemes: [microsoftgraphApi],
  advise({ code, reply }) {
    if (
      reply?.enhancedCode === 'ErrorAccessDenied' ||
      reply?.enhancedCode === 'Authorization_RequestDenied'
    )
      return 'Give the application the permission Mail.Send of Microsoft Graph (of the type Application), with admin consent; an application access policy in Exchange may shut it out of this mailbox.'
    if (code === 'sender_refused')
      return 'The sender must be a mailbox of this tenant (the user principal name, or the id, of a user or shared mailbox), or one that it may send as.'
    return undefined
  },
}
