export { openRelay, type RelayOptions } from './relay.ts'
export type { Door } from './smtp/index.ts'
