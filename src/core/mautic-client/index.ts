export { type Condition, MauticClient, type MauticRequestOptions, where } from './mautic-client.ts'
export { MauticError, notMautic, toAppError, undefinedIfMissing } from './mautic-error.ts'
export {
  asCount,
  asFlag,
  asList,
  asObject,
  asText,
  asTime,
  listOf,
  toFilterDate,
} from './read-answer.ts'
export { sendRequest } from './send-request.ts'
