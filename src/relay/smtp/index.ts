export { type Door, type DoorOptions, openDoor } from './door.ts'
export { createNetworkLookup } from './network-address.ts'
export { createReply, type Reply } from './reply.ts'
export type { Submission } from './session.ts'
