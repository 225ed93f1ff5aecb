export { openRelay } from './relay.ts'
export type { Door } from './smtp/index.ts'
