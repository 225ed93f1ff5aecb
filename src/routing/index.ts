export {
  chooseRoute,
  type Route,
  type RouteFacts,
  type RouteQuestion,
  type RouteSource,
  type RouteStep,
  routeOutcomes,
  routeSources,
} from './choose-route.ts'
export { createResolveRoute, type ResolveRoute } from './resolve-route.ts'
