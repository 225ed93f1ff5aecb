export { type Gateway, type GatewayOptions, openGateway } from './gateway.ts'
export type { PublishedMautic } from './served-mautics.ts'
