export { type Door, openDoor } from './door.ts'
export { createNetworkLookup, isLoopback } from './network-address.ts'
export { createReply, type Reply } from './reply.ts'
export type { Submission } from './session.ts'
