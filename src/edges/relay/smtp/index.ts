export { createNetworkLookup } from './open-connections.ts'
export { openServerTls, type ServerCertificate } from './server-tls.ts'
export type { CommandReply, ReceivedMessage } from './session.ts'
export { openSmtpServer, type SmtpServer } from './smtp-server.ts'
