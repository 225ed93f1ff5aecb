export { type Gateway, openGateway } from './gateway.ts'
