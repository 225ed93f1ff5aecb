export { type MovedQuestion, type MovedSender, SendingHooks } from './hooks.ts'
export { Sending } from './sending.ts'
export { createEmailUsage, createTemplateUsage } from './usage.ts'
