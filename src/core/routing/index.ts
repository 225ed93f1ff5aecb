export {
  type Route,
  type RouteQuestion,
  type RouteStep,
  routeOutcomes,
  routeSources,
} from './choose-route.ts'
export { createResolveRoute, type ResolveRoute } from './resolve-route.ts'
