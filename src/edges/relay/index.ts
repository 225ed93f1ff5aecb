export { BounceMail } from './bounce-mail.ts'
export { openRelay } from './relay.ts'
export type { SmtpServer } from './smtp/index.ts'
