export {
  brandOf,
  type Route,
  type RouteQuestion,
  type RouteStep,
  routeOutcomes,
  routeSources,
} from './choose-route.ts'
export {
  createIdentifyMessage,
  type IdentifyMessage,
  type MessageIdentity,
} from './identify/identify-message.ts'
export { createResolveRoute, type ResolveRoute } from './resolve-route.ts'
